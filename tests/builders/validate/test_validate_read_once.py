"""What is kept, skipped or told while a release is surveyed changes nothing of what is said about it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import blend.builders.validate.checked_release as subject_module
from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.checked_release import Release
from blend.builders.validate.checks import characters
from blend.schemas.language.locales import registry
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS
from helpers.tiers import rest_nightly

MCQ_FILE = "data/multiple-choice-questions/test-00000.parquet"
FIX = "correct the source and rebuild the release"
Row = dict[str, Any]

LOOKING_AT_ROWS = (
    *("tables", "rows", "splits", "ids", "questions", "mcq-texts", "mcq-regions"),
    *("correct-answers", "wrong-answers", "overlaps", "positions", "characters", "scripts"),
)


def in_every_text(row: Row) -> None:
    """An option with a hidden character, in all columns that repeat it."""
    old, new = row["options"][1], f"{row['options'][1]}\u202e"
    row["options"][1] = new
    row["prompt"] = row["prompt"].replace(f"B. {old}\n", f"B. {new}\n")
    choices = json.loads(row["choices"]) | {"B": new}
    row["choices"] = json.dumps(choices, ensure_ascii=False)


def changed(change: Callable[[Row], None]) -> Callable[[list[Row]], None]:
    return lambda rows: change(rows[2])


CHANGES: dict[str, Callable[[Row], None]] = {
    "nothing": lambda _: None,
    "an option everywhere": in_every_text,
    "the prompt alone": lambda row: row.update(prompt=row["prompt"] + "\x07"),
    "decomposed choices": lambda row: row.update(choices=row["choices"].replace("}", "e\u0301}")),
    "a country": lambda row: row.update(country="Gree\u00adce"),
    "a blank topic": lambda row: row.update(topic=" "),
    "an answer of nobody": lambda row: row["options"].__setitem__(0, "nobody said so"),
    "no regions": lambda row: row.update(option_regions=[]),
    "a null inside": lambda row: row["options"].__setitem__(3, None),
    "another question": lambda row: row.update(question="Another?"),
    "an impossible answer": lambda row: row.update(answer=7),
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("change", rest_nightly(CHANGES, "nothing", "an option everywhere"))
def test_what_is_kept_or_skipped_changes_no_word(release, monkeypatch, change):
    release.change(MULTIPLE_CHOICE_QUESTIONS, "test", changed(CHANGES[change]))
    checks = {name: CHECKS[name] for name in LOOKING_AT_ROWS}
    quick = validate_release(release.path, checks=checks, examples=1000)

    def everything_is_doubtful(_: Release, __: str, ___: object) -> Iterator[str]:
        yield from ("rows", "texts", "regions")

    monkeypatch.setattr(subject_module, "KEPT_BYTES", 0)
    monkeypatch.setattr(subject_module, "BATCH_ROWS", 100)
    monkeypatch.setattr(Release, "_doubts", everything_is_doubtful)
    monkeypatch.setattr(characters, "_suspicious", lambda *_: None)
    slow = validate_release(release.path, checks=checks, examples=1000)
    assert quick.to_json() == slow.to_json()
    assert (quick.errors > 0) == (change != "nothing")


@pytest.mark.slow
def test_a_character_is_told_in_every_column_that_repeats_it(release):
    row_id = release.rows(MULTIPLE_CHOICE_QUESTIONS, "test")[2]["MCQID"]
    release.change(MULTIPLE_CHOICE_QUESTIONS, "test", changed(in_every_text))
    held = "holds characters that reorder the text: U+202E RIGHT-TO-LEFT OVERRIDE"
    assert release.problems("characters") == [
        f"error: {MCQ_FILE}:{row_id}: column {column} {held}; {FIX}"
        for column in ("prompt", "choices", "options")
    ]


@pytest.mark.slow
def test_only_some_batches_are_read_again(release):
    checked = Release.open(release.path, registry())
    (table,) = checked.tables(MULTIPLE_CHOICE_QUESTIONS)
    assert {len(checked.doubts(table, doubt)) for doubt in ("rows", "texts", "regions")} == {0}
    release.change(MULTIPLE_CHOICE_QUESTIONS, "test", changed(CHANGES["the prompt alone"]))
    checked = Release.open(release.path, registry())
    (table,) = checked.tables(MULTIPLE_CHOICE_QUESTIONS)
    assert checked.doubts(table, "texts") == {(MCQ_FILE, 0)}
    assert checked.doubts(table, "rows") == checked.doubts(table, "regions") == frozenset()
