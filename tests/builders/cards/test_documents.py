"""Documents that a release brings along, and docs/cards.md: its examples are read, its messages are met."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from blend.builders.cards import _RESPONSIBLE
from blend.builders.cards.facts import _cited_authors, license_of, shares
from blend.builders.release import build_release
from blend.loaders.files.toml import parse_toml, read_toml
from blend.schemas.personal_data import Contributed, Contributor, LocaleShare
from blend.schemas.recipe import Recipe, Source
from blend.schemas.reports import datasheet_model, questions
from helpers.messages import wrong
from helpers.mini_release import mini_recipe


@pytest.mark.slow
def test_without_a_datasheet_everything_is_listed_as_unanswered(tmp_path: Path):
    recipe = mini_recipe(datasheet=None)
    build_release(recipe, tmp_path / "release")
    sheet = (tmp_path / "release" / "DATASHEET.md").read_text(encoding="utf-8")
    assert "The authors have answered 0 of 57 questions. Not answered:\n" in sheet
    assert "*Not answered* (`motivation.funding`)." in sheet
    assert "*Not answered by the authors* (`composition.count`).\n\n*From the build:* Rows" in sheet
    assert not (tmp_path / "release" / "datasheet.toml").exists()


def test_the_datasheet_has_every_question_and_lists_what_is_open(sample_release: Path):
    sheet = (sample_release / "DATASHEET.md").read_text(encoding="utf-8")
    answers = read_toml(sample_release / "datasheet.toml", datasheet_model(), what="datasheet")
    for question in questions(answers):
        asked = f"\n### {question.text}\n\n"
        assert sheet.count(asked) == 1
        after = sheet.split(asked)[1].split("\n### ")[0]
        listed = f"\n`{question.key}`" in sheet.split("\n## Motivation\n")[0]
        assert listed == (question.answer is None)
        assert after.startswith("*Not answered" if question.answer is None else question.answer.strip())
    assert "\n\n\n" not in sheet


def test_a_missing_datasheet_stops_the_build_before_anything_is_written(tmp_path: Path):
    recipe = Recipe(name="x", version="1.0.0", datasheet="no.toml", sources=(Source(kind="sample"),))
    told = wrong(lambda: build_release(recipe, tmp_path / "release", base=tmp_path))
    assert told == f"{tmp_path}/no.toml: no such datasheet; correct the path"
    assert not (tmp_path / "release").exists()


@pytest.mark.slow
def test_a_release_of_one_locale_compares_nothing(tmp_path: Path):
    recipe = mini_recipe(locales=("ko-KR",))
    build_release(recipe, tmp_path / "release")
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    assert "Everyday knowledge of 1 locale in 1 language: 40 questions" in card
    # Without other locales there are no distractors: the card then says nothing of such questions.
    assert not re.search(r"MCQ|A multiple-choice question|`multiple-choice-questions`:", card)


@pytest.mark.parametrize(
    ("identifier", "shown"),
    [
        ("cc-by-4.0", "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)"),
        ("cc-by-sa-4.0", "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)"),
        ("cc-by-nc-nd-3.0", "[CC BY-NC-ND 3.0](https://creativecommons.org/licenses/by-nc-nd/3.0/)"),
        ("cc0-1.0", "[CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/)"),
        ("other", "other"),
    ],
)
def test_licences_are_linked_where_their_text_is_known(identifier: str, shown: str):
    assert license_of(identifier).markdown == shown


# Contributors on a card: named as each agreed to be, and nobody else.


def brought(folder: str, *counts: tuple[str, int, int, int], **about: Any) -> Contributed:
    fixed = {"license": "cc-by-4.0", "agreed": date(2026, 11, 1)}
    contributor = Contributor.model_validate({**fixed, **about})
    locales = [dict(zip(LocaleShare.model_fields, row, strict=True)) for row in counts]
    return Contributed.model_validate({"folder": folder, "contributor": contributor, "locales": locales})


MINA = brought("mina-ko", ("ko-KR", 3, 12, 1), credit="name", name="Mina *Kim*", orcid="0000-0002-1825-0097")
JUN = brought("jun", ("ko-KR", 0, 5, 0), ("ko-KP", 2, 4, 0), credit="pseudonym", pseudonym="jun", license="mit")
ABEL = brought("abel-am", ("am-ET", 1, 2, 0), credit="none")
SARA = brought("sara-fa", ("fa-IR", 2, 3, 1), credit="none", license="cc0-1.0")


def test_each_is_named_as_agreed_and_the_unnamed_are_one():
    rows = shares([ABEL, JUN, MINA, SARA])
    assert [(row.who, row.locales, row.questions, row.responses, row.reviews) for row in rows] == [
        ("jun", ["ko-KP", "ko-KR"], 2, 9, 0),
        (r"Mina \*Kim\* ([ORCID](https://orcid.org/0000-0002-1825-0097))", ["ko-KR"], 3, 12, 1),
        ("*2 contributors not named*", ["am-ET", "fa-IR"], 3, 5, 1),
    ]
    assert [[terms.name for terms in row.licenses] for row in rows] == [
        ["mit"],
        ["CC BY 4.0"],
        ["CC BY 4.0", "CC0 1.0"],
    ]


def test_only_names_are_cited_behind_the_authors_each_once():
    recipe = Recipe(
        name="lunch", version="1.2.0", sources=(Source(kind="contributions", location="contributions"),)
    )
    assert _cited_authors(recipe, [ABEL, JUN, MINA]) == ["Mina *Kim*"]
    own = recipe.model_copy(update={"authors": ("Sara Ahmadi", "Mina *Kim*")})
    assert _cited_authors(own, [MINA]) == ["Sara Ahmadi", "Mina *Kim*"]


# The page of the docs.


SOURCES = 'name = "x"\nversion = "1.0.0"\n{}\n[[sources]]\nkind = "sample"\n'


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "cards.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", page, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_are_read(page: str):
    keys, answers = blocks(page, "toml")
    recipe = parse_toml(SOURCES.format(keys), Recipe, name="recipe.toml", what="recipe")
    assert recipe.datasheet == "datasheet.toml"
    assert recipe.citation is not None
    sheet = parse_toml(answers, datasheet_model(), name="datasheet.toml", what="datasheet")
    answered = [question.key for question in questions(sheet) if question.answer]
    assert answered == ["motivation.purpose", "motivation.funding", "uses.not_for"]


def test_the_message_is_the_one_that_comes(page: str):
    (message,) = blocks(page, "text")
    text = '[motivation]\nfundign = "x"\n'
    told = wrong(lambda: parse_toml(text, datasheet_model(), name="datasheet.toml", what="datasheet"))
    assert told == " ".join(message.split())


def test_numbers_and_keys_in_the_text_are_right(page: str):
    known = [question.key for question in questions(datasheet_model()())]
    assert f"the {len(known)} questions" in page
    named = re.findall(r"`((?:motivation|composition|collection|preprocessing|uses)\.\w+)`", page)
    assert named
    assert set(named) <= set(known)
    assert set(_RESPONSIBLE) <= set(known)
    assert len(_RESPONSIBLE) == 10  # "Ten of them stand in croissant.json"
