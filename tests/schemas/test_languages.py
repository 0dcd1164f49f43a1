"""Languages and countries: in each other's place, and with the article that they take in a sentence."""

import json
from pathlib import Path

import pytest

from blend.schemas.languages import in_a_sentence, turned_around
from blend.schemas.locales import registry


@pytest.mark.parametrize(
    ("tag", "right"),
    [("ge-KA", "ka-GE"), ("JP-ja", "ja-JP"), ("ka-GE", None), ("ko-KQ", None), ("de", None), ("zz-ZZ", None)],
)
def test_language_and_country_in_each_others_place(tag: str, right: str | None):
    assert turned_around(tag) == right


# Articles: names of countries read right in an English sentence.

WITH_ARTICLE = """
Central African Republic, Comoros, Cook Islands, Czech Republic, Democratic Republic of the Congo,
Dominican Republic, Federated States of Micronesia, French protectorate in Morocco, Gaza Empire, Hatay State,
Kingdom of Denmark, Kingdom of Galicia and Lodomeria, Kingdom of Iberia, Kingdom of the Netherlands, Maldives,
Marshall Islands, Netherlands, Northern Mariana Islands, People's Republic of China, Philippines,
Principality of Chernigov, Republic of Artsakh, Republic of Ireland, Republic of the Congo, Seychelles,
Solomon Islands, The Bahamas, The Gambia, United Arab Emirates, United Kingdom, United States of America,
United States of the Ionian Islands, Zaporozhye State, Zirid Dynasty
"""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("France", "France"),
        ("United Kingdom", "the United Kingdom"),
        ("the United Kingdom", "the United Kingdom"),
        ("The Gambia", "the Gambia"),
        ("Soviet Union", "the Soviet Union"),
        ("Ming dynasty", "the Ming dynasty"),
        ("Turks and Caicos Islands", "the Turks and Caicos Islands"),
        ("Saint Vincent and the Grenadines", "Saint Vincent and the Grenadines"),
        ("South Georgia and the South Sandwich Islands", "South Georgia and the South Sandwich Islands"),
        ("Isle of Man", "the Isle of Man"),
        ("Easter Island", "Easter Island"),
        ("Ivory Coast", "Ivory Coast"),
        ("Basque Country", "the Basque Country"),
        ("Thessaly", "Thessaly"),
        ("of", "of"),
        ("", ""),
    ],
)
def test_english_names(name: str, shown: str):
    assert in_a_sentence(name, "en") == shown
    assert in_a_sentence(name, "en-gb") == shown
    assert in_a_sentence(shown, "en") == shown


def test_the_registry_agrees():
    for locale in registry():
        name = locale.prompt_name.removeprefix("the ")
        # "the UK" and "the US" are short for names that take it; Wikidata writes no abbreviations.
        if name not in ("UK", "US"):
            assert in_a_sentence(name, "en") == locale.prompt_name


@pytest.mark.integration
def test_the_names_of_the_published_data(shared: Path):
    names = json.loads((shared / "data/fmlama/country_info.json").read_text())
    wanted = {" ".join(name.split()) for name in WITH_ARTICLE.split(",")}
    assert {name for name in names if in_a_sentence(name, "en") != name} == wanted, "read by a person, all 202"


@pytest.mark.integration
def test_how_many_published_prompts_lacked_it(shared: Path):
    lines = (shared / "data/fmlama/data_lang/en/en_dishes.jsonl").read_text().splitlines()
    origins = [json.loads(line)["origin_name"] for line in lines]
    # United States 285, People's Republic of China 97, United Kingdom 83: 30.0 % of 1,549 rows.
    assert sum(in_a_sentence(name, "en") != name for name in origins) == 285 + 97 + 83
