"""Natives name their country in many ways; only what reads right elsewhere becomes a slot without a word."""

import tomllib
from pathlib import Path

import pytest

from blend.builders.templates.country_names import one_country_reasons, propose
from blend.schemas.locales import registry

LOCALES = registry()
TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("author", "question", "template"),
    [
        ("en-GB", "What is eaten in the UK on Sundays?", "What is eaten in {country} on Sundays?"),
        ("en-GB", "What is eaten in UK on Sundays?", "What is eaten in {country} on Sundays?"),
        ("en-GB", "What is the United Kingdom's favourite pet?", "What is {country}'s favourite pet?"),
        ("en-GB", "Is Great Britain known for tea?", "Is {country} known for tea?"),
        ("en-US", "What do people in the U.S. eat?", "What do people in {country} eat?"),
        ("en-US", "What do people in America eat?", "What do people in {country} eat?"),
        ("ko-KR", "What do people in Korea usually eat?", "What do people in {country} usually eat?"),
        ("ko-KR", "What do people eat in your country?", "What do people eat in {country}?"),
        ("ko-KR", "What is my home country's best dish?", "What is {country}'s best dish?"),
        ("ha-NG", "Which fish is sold in Nigeria?", "Which fish is sold in {country}?"),
        ("tl-PH", "What are the Philippines' best fruits?", "What are {country}'s best fruits?"),
        ("eu-PV", "Which sport is typical of Euskadi?", "Which sport is typical of {country}?"),
        ("ko-KR", "What is eaten in {country}?", "What is eaten in {country}?"),
        (None, "What is eaten in Japan?", "What is eaten in {country}?"),
    ],
)
def test_names_of_the_own_country_need_no_reason(author: str | None, question: str, template: str):
    locale = None if author is None else LOCALES.get(author)
    assert propose(question, locale, LOCALES) == (template, ())


@pytest.mark.parametrize("case", TOLD["proposals"], ids=lambda case: case["question"])
def test_anything_else_is_told(case: dict[str, str]):
    author = LOCALES.get(case["author"]) if case["author"] else None
    proposal = propose(case["question"], author, LOCALES)
    assert (proposal.text, proposal.reasons[0]) == (case["template"], case["reason"])


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: locale.tag)
def test_every_name_of_every_locale_is_found(locale):
    for name in (*locale.names, locale.prompt_name):
        for question in (f"What is eaten in {name}?", f"What is eaten in the {name.removeprefix('the ')}?"):
            assert propose(question, locale, LOCALES) == ("What is eaten in {country}?", ())
    for adjective in locale.nationalities:
        assert (
            propose(f"Which {adjective} dish is best?", locale, LOCALES).text
            == "Which {nationality} dish is best?"
        )


# Words that one country only may understand.


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
        ("Which show runs on the BBC in {country}?", ["name: 'BBC'"]),
        ("NHS hospitals in {country} cost what?", ["name: 'NHS'"]),
        ("Who swims in the River Thames in {country}?", ["name: 'River Thames'"]),
        ("Is 김치 eaten in {country}?", ["name: '김치'"]),
        ("Хачапури costs what in {country}? And τσουρέκι?", ["name: 'Хачапури'", "name: 'τσουρέκι'"]),
        ("What do we eat in {country}?", ["speaker: 'we' depends on who asks"]),
        ("Who likes Kimchi and Kimchi in {country}?", ["name: 'Kimchi and Kimchi'"]),
    ],
)
def test_words_of_one_country_are_told(template: str, reasons: list[str]):
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
def test_words_of_any_country_are_not_told(template: str):
    assert one_country_reasons(template) == []
