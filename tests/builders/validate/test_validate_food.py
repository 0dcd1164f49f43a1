"""Validation of a release from Wikidata: our own templates are fine, and what does not apply is not passed."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from blend.builders.release import build_release
from blend.builders.validate import _NEEDS, CHECKS, validate_release
from blend.builders.validate.checked_release import Release
from blend.loaders.recipes.ready import food_recipe
from blend.loaders.releases.tables import release_locales
from blend.schemas.texts import ordinary_in_language
from blend.views.validation import print_report

FACTS = """
    Q1 P31 Q746549
    Q1 label en:soup
    Q1 label fa:می\u200cسوپ
    Q1 P495 Q794
    Q1 P527 Q10
    Q10 label en:salt
    Q10 label fa:نمک
    Q794 P31 Q6256
    Q794 label en:Iran
    Q794 label fa:ایران
"""

DO_NOT_APPLY = [name for name, check in CHECKS.items() if check in _NEEDS]
"""Checks that look at single configurations; each of them is one of questions."""


@pytest.fixture(scope="module")
def food(shorthand: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("food")
    (folder / "facts.nt").write_text(shorthand(FACTS), encoding="utf-8")
    build_release(food_recipe(folder / "facts.nt"), folder / "release", base=folder)
    return folder / "release"


@pytest.mark.nightly
@pytest.mark.slow
def test_our_own_templates_are_not_warned_about(food: Path):
    report = validate_release(food)
    assert [str(problem) for result in report.checks for problem in result.examples] == []


@pytest.mark.slow
def test_what_does_not_apply_is_not_passed(food: Path):
    report = validate_release(food, checks={name: check for name, check in CHECKS.items() if name != "loading"})
    assert [result.check for result in report.checks if not result.applies] == DO_NOT_APPLY
    console = Console(width=100, record=True, file=StringIO())
    print_report(report, console)
    lines = console.export_text().splitlines()
    (votes,) = [line for line in lines if line.startswith("votes ")]
    (files,) = [line for line in lines if line.startswith("files ")]
    assert votes.split()[-3:] == ["–", "–", "–"]
    assert not {"–", *"0123456789"} & set(files)
    assert "– does not apply: the release has no table that the check looks at" in map(str.strip, lines)


@pytest.mark.slow
def test_everything_applies_to_a_release_with_questions(sample_release: Path):
    report = validate_release(sample_release, checks={n: c for n, c in CHECKS.items() if n != "loading"})
    # Rungs are made only where a recipe asks for them.
    assert [result.check for result in report.checks if not result.applies] == ["rungs"]


@pytest.mark.slow
def test_a_check_that_does_not_apply_would_find_nothing(food: Path):
    checked = Release.open(food, release_locales(food))
    assert [problem for check in _NEEDS for problem in check(checked)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("split", "column", "n_warnings"),
    [("fa", "label", 0), ("en", "label", 1), ("fa", "origin_en", 1)],
)
def test_joiners_belong_to_some_languages(
    food: Path, release_of: Callable[[Path], Any], split: str, column: str, n_warnings: int
):
    changed = release_of(food)
    changed.change("food-triples", split, lambda rows: [{**row, column: "a\u200cb"} for row in rows])
    assert len(changed.problems("characters")) == n_warnings


@pytest.mark.parametrize(
    ("tag", "char", "is_ordinary"),
    [
        ("fa", "\u200c", True),
        ("fa", "\u200f", True),
        ("hi", "\u200d", True),
        ("he", "\u200f", True),
        ("he", "\u200c", False),
        ("th", "\u200b", True),
        ("en", "\u200c", False),
        ("zh-hans", "\u200b", False),
        ("mul", "\u200c", False),
        ("x!", "\u200c", False),
    ],
)
def test_invisible_characters_of_a_language(tag: str, char: str, is_ordinary: bool):
    assert (char in ordinary_in_language(tag)) == is_ordinary
