"""Natives name their country in many ways; only what reads right elsewhere becomes a slot without a word."""

import pytest

from blend.builders.templates.country_names import propose
from blend.schemas.locales import registry

LOCALES = registry()


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


@pytest.mark.parametrize(
    ("author", "question", "template", "reason"),
    [
        (
            "ko-KR",
            "Which Korean dish is best in Korea?",
            "Which {nationality} dish is best in {country}?",
            "nationality: 'Korean' before 'dish' became {nationality}",
        ),
        (
            "ko-KR",
            "Koreans eat what?",
            "People from {country} eat what?",
            "people: 'Koreans' became 'people from {country}'",
        ),
        (
            "ko-KR",
            "Who are Koreans' heroes in Korea?",
            "Who are Koreans' heroes in {country}?",
            "people: 'Koreans' in the possessive; rephrase it with {country}",
        ),
        (
            "ko-KR",
            "Who speaks Korean at home in Korea?",
            "Who speaks Korean at home in {country}?",
            "language: 'Korean' is left as the name of a language",
        ),
        (
            "ko-KR",
            "What does a Korean eat in Korea?",
            "What does a Korean eat in {country}?",
            "nationality: 'Korean' has no noun behind it; rephrase it with {country}",
        ),
        (
            "ko-KR",
            "Which Japanese brand is popular in Korea?",
            "Which Japanese brand is popular in {country}?",
            "another country: 'Japanese'",
        ),
        (
            "ko-KP",
            "What do South Koreans send to North Korea?",
            "What do South Koreans send to {country}?",
            "another country: 'South Koreans'",
        ),
        (None, "Does Japan or China win?", "Does Japan or China win?", "another country: 'Japan'"),
        (
            "ko-KR",
            "what is eaten in korea?",
            "what is eaten in {country}?",
            "spelling: 'korea' is taken for a country or its people",
        ),
        (
            "en-US",
            "Which music of Latin America do they give us?",
            "Which music of Latin America do they give us?",
            "no country: nothing names the author's country; put {country} where it belongs",
        ),
    ],
)
def test_anything_else_is_told(author: str | None, question: str, template: str, reason: str):
    proposal = propose(question, None if author is None else LOCALES.get(author), LOCALES)
    assert proposal.text == template
    assert proposal.reasons[0] == reason


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
