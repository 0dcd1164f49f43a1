"""Slots are filled the way a person would write the sentence."""

import pytest

from blend.builders.templates.localise import fill, slot_country
from blend.schemas.locales import registry

LOCALES = registry()


@pytest.mark.parametrize(
    ("template", "tag", "filled"),
    [
        ("What is eaten in {country}?", "en-GB", "What is eaten in the UK?"),
        ("What is eaten in {country}?", "ko-KP", "What is eaten in North Korea?"),
        ("{country} exports what?", "en-GB", "The UK exports what?"),
        ("“{country} exports what?”", "en-GB", "“The UK exports what?”"),
        ("Think. {country} exports what?", "eu-PV", "Think. The Basque Country exports what?"),
        ("In the {country}, what is eaten?", "en-US", "In the US, what is eaten?"),
        ("In the {country}, what is eaten?", "ko-KR", "In South Korea, what is eaten?"),
        ("The {country} eats what?", "ko-KR", "South Korea eats what?"),
        ("What is {country}'s best dish?", "en-US", "What is the US's best dish?"),
        ("What is {country}’s best dish?", "tl-PH", "What is the Philippines' best dish?"),
        ("What is {country}'s best dish?", "am-ET", "What is Ethiopia's best dish?"),
        ("What is a {nationality} dish?", "en-GB", "What is a British dish?"),
        ("What is a {nationality} dish?", "en-US", "What is an American dish?"),
        ("A {nationality} dish?", "az-AZ", "An Azerbaijani dish?"),
        ("What is the best {nationality} dish?", "su-JB", "What is the best West Javanese dish?"),
        ("Is it hot ,\tin  {country} ? ", "ar-DZ", "Is it hot , in Algeria ?"),
    ],
)
def test_fill(template: str, tag: str, filled: str):
    assert fill(template, LOCALES.get(tag)) == filled


@pytest.mark.parametrize(
    ("adjective", "article"),
    [("European", "a"), ("Ukrainian", "a"), ("Uzbek", "an"), ("Ugandan", "a"), ("Omani", "an"), ("Welsh", "a")],
)
def test_indefinite_article(adjective: str, article: str):
    locale = LOCALES.get("ko-KR").model_copy(update={"nationalities": (adjective,)})
    assert fill("a {nationality} dish", locale) == f"{article} {adjective} dish"


def test_fill_without_an_adjective():
    locale = LOCALES.get("ko-KR").model_copy(update={"nationalities": ()})
    assert fill("in {country}", locale) == "in South Korea"
    with pytest.raises(LookupError, match="ko-KR has no adjective of nationality"):
        fill("{nationality} food", locale)


def test_names_are_whole_words_and_the_longest():
    names = ("Korea", "South Korea", "US")
    assert (
        slot_country("South Korea, US and USB in Koreatown", names)
        == "{country}, {country} and USB in Koreatown"
    )
    assert slot_country("the US' and 'US'", names) == "{country}' and '{country}'"
    assert slot_country("the Philippines' fruit", ["Philippines"]) == "{country}'s fruit"
