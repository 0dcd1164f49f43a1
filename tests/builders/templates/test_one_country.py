"""Words that one country only may understand are told with the kind of name that they look like."""

import pytest

from blend.builders.templates.country_names import one_country_reasons


@pytest.mark.parametrize(
    ("template", "reasons"),
    [
        ("What do people in {country} eat at Chuseok?", ["name: 'Chuseok'"]),
        ("Who eats Kimchi in {country}? Who drinks Soju?", ["name: 'Kimchi'", "name: 'Soju'"]),
        ("What is eaten on Hangul Day in {country}?", ["name: 'Hangul Day'"]),
        ("What is given on Parents' Day in {country}?", ['name: "Parents\' Day"']),
        ("Is Eid ul Fitr a holiday in {country}?", ["name: 'Eid ul Fitr'"]),
        ("Who leads the Ministry of Education in {country}?", ["name: 'Ministry of Education'"]),
        ("The National Assembly of {country} sits where?", ["name: 'National Assembly'"]),
        ("Who is the king of {country}?", ["institution: 'king' is not found in every country"]),
        ("Which show runs on the BBC in {country}?", ["name: 'BBC'"]),
        ("NHS hospitals in {country} cost what?", ["name: 'NHS'"]),
        ("Who swims in the River Thames in {country}?", ["name: 'River Thames'"]),
        ("Is 김치 eaten in {country}?", ["script: '김치' is not in Latin letters"]),
        ("What do we eat in {country}?", ["speaker: 'we' depends on who asks"]),
        ("Who likes Kimchi and Kimchi in {country}?", ["name: 'Kimchi and Kimchi'"]),
    ],
)
def test_told(template: str, reasons: list[str]):
    assert one_country_reasons(template) == reasons


@pytest.mark.parametrize(
    "template",
    [
        "What is the most popular fruit in {country}?",
        "{country} grows what? Which fruit is it?",
        "What time is lunch in {country}? (Provide in HH:MM format (e.g., 18:00, 09:00).)",
        "How many days are worked in {country}? (Provide Arabic numerals (e.g., 12) only.)",
        "When is the weekend in {country} (e.g. Monday, Tuesday)?",
        "Who watches TV on Sundays or in May in {country}?",
        "Which {nationality} café is best in {country}?",
    ],
)
def test_not_told(template: str):
    assert one_country_reasons(template) == []
