"""docs/cards.md: its examples are read, and its messages are those that a user meets."""

import re
from pathlib import Path

import pytest

from blend.builders.cards import _RESPONSIBLE
from blend.loaders.files.toml import parse_toml
from blend.schemas.recipe import Recipe
from blend.schemas.reports import Datasheet, questions
from helpers.messages import wrong

SOURCES = 'name = "x"\nversion = "1.0.0"\n{}\n[[sources]]\nkind = "sample"\n'


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "cards.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", page, flags=re.MULTILINE | re.DOTALL)


def test_the_keys_of_the_recipe_are_read(page: str):
    recipe, _ = blocks(page, "toml")
    read = parse_toml(SOURCES.format(recipe), Recipe, name="recipe.toml", what="recipe")
    assert read.datasheet == "datasheet.toml"
    assert read.citation is not None


def test_the_answers_are_read(page: str):
    _, answers = blocks(page, "toml")
    sheet = parse_toml(answers, Datasheet, name="datasheet.toml", what="datasheet")
    answered = [question.key for question in questions(sheet) if question.answer]
    assert answered == ["motivation.purpose", "motivation.funding", "uses.not_for"]


def test_the_message_is_the_one_that_comes(page: str):
    (message,) = blocks(page, "text")
    text = '[motivation]\nfundign = "x"\n'
    told = wrong(lambda: parse_toml(text, Datasheet, name="datasheet.toml", what="datasheet"))
    assert told == " ".join(message.split())


def test_numbers_and_keys_in_the_text_are_right(page: str):
    known = [question.key for question in questions(Datasheet())]
    assert f"the {len(known)} questions" in page
    named = re.findall(r"`((?:motivation|composition|collection|preprocessing|uses)\.\w+)`", page)
    assert named
    assert set(named) <= set(known)
    assert set(_RESPONSIBLE) <= set(known)
    assert len(_RESPONSIBLE) == 10  # "Ten of them stand in croissant.json"
