"""The version that follows from what changed; ``docs/publishing.md`` has the table of steps."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.diff import diff_releases
from blend.builders.diff.model import STEPS, version_step
from blend.builders.diff.text import _changelog_entry, _expected_version, accepted_versions

SAQ, MCQ = "short-answer-questions", "multiple-choice-questions"
ROWS = pl.DataFrame({"ID": ["q1", "q2"], "Question": ["a", "b"], "Topic": ["Food", "Food"]})
ONE, WORD = ROWS.head(1), pl.lit("word")
BASE = {(SAQ, "KR"): ROWS}
ASKED = pl.DataFrame(
    {"MCQID": ["m1", "m2"], "ID": ["q1", "q2"], "country": "UK", "prompt": ["a", "b"]}
).with_columns(options=pl.Series([["a", "b"], ["a", "b"]]))
"""Two questions, each asked once; their ids follow from their options."""


def kr(rows: pl.DataFrame) -> dict[tuple[str, str], pl.DataFrame]:
    return {(SAQ, "KR"): rows}


def case(step: str, tables: Any, *reasons: str, **changes: Any) -> tuple[Any, ...]:
    return step, tables, reasons, changes


CASES = {
    "nothing": case("none", BASE),
    "another version": case("none", BASE, version="3.0.0"),
    "a value": case("patch", kr(ROWS.with_columns(Question=WORD)), f"{SAQ}: 2 rows changed in Question"),
    "an order of rows": case("patch", kr(ROWS.reverse()), f"{SAQ}: 1 row moved"),
    "an order of columns": case(
        "patch", kr(ROWS.select("Question", "ID", "Topic")), f"{SAQ}: columns stand in another order"
    ),
    "an option": case("patch", BASE, "changed in the manifest: recipe.seed", seed=4),
    "the package": case("patch", BASE, "changed in the manifest: sdk_version", sdk_version="9"),
    "a file": case("patch", BASE, "other files changed: datasheet.toml", files={"datasheet.toml": "new"}),
    "a row more": case(
        "minor", kr(pl.concat([ROWS, ONE.with_columns(ID=pl.lit("q3"))])), f"{SAQ}: 1 row added"
    ),
    "a column more": case(
        "minor", kr(ROWS.with_columns(locale=pl.lit("ko-KR"))), f"{SAQ}: column locale added"
    ),
    "a split more": case("minor", BASE | {(SAQ, "KP"): ROWS}, f"{SAQ}: 1 split added: KP"),
    "a configuration more": case("minor", BASE | {(MCQ, "test"): ROWS}, f"configuration {MCQ} added"),
    "a row less": case("major", kr(ONE), f"{SAQ}: 1 row removed"),
    "another id": case(
        "major",
        kr(ROWS.with_columns(ID=pl.col("ID").str.to_uppercase())),
        *(f"{SAQ}: 2 rows removed", f"{SAQ}: 2 rows added"),
    ),
    "a column less": case("major", kr(ROWS.drop("Topic")), f"{SAQ}: column Topic removed"),
    "another type": case(
        "major",
        kr(ROWS.with_columns(Topic=pl.lit(1, pl.Int64))),
        f"{SAQ}: column Topic is int64, was string",
    ),
    "another split": case(
        "major", {(SAQ, "KO"): ROWS}, f"{SAQ}: 1 split removed: KR", f"{SAQ}: 1 split added: KO"
    ),
    "another configuration": case(
        "major", {(MCQ, "KR"): ROWS}, f"configuration {SAQ} removed", f"configuration {MCQ} added"
    ),
    "another licence": case("major", BASE, "the licence is cc0-1.0, was cc-by-4.0", license="cc0-1.0"),
    "another name": case("major", BASE, "the dataset's name is b, was blend-sample", name="b"),
}


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_change(make, name: str):
    step, tables, reasons, changes = CASES[name]
    files = {"datasheet.toml": "old"}
    found = version_step(diff_releases(make(BASE, files=files), make(tables, **({"files": files} | changes))))
    assert (found.step, *(reason.text for reason in found.reasons)) == (step, *reasons)


@pytest.mark.parametrize(
    ("old", "none", "patch", "minor", "major"),
    [
        ("1.2.3", "1.2.3", "1.2.4", "1.3.0", "2.0.0"),
        ("v1.9.9", "1.9.9", "1.9.10", "1.10.0", "2.0.0"),
        # Before 1.0.0 a break raises the second number.
        ("0.4.2", "0.4.2", "0.4.3", "0.5.0", "0.5.0"),
        ("0.0.0", "0.0.0", "0.0.1", "0.1.0", "0.1.0"),
    ],
)
def test_the_expected_version(old: str, none: str, patch: str, minor: str, major: str):
    assert [_expected_version(old, step) for step in STEPS] == [none, patch, minor, major]


def test_larger_steps_are_accepted_and_so_is_the_first_stable_version():
    assert accepted_versions("1.2.3", "major") == ("2.0.0",)
    assert accepted_versions("1.2.3", "patch") == ("1.2.4", "1.3.0", "2.0.0")
    assert accepted_versions("0.4.2", "major") == ("0.5.0", "1.0.0")
    assert accepted_versions("0.4.2", "patch") == ("0.4.3", "0.5.0", "1.0.0")


REMOVED = ["multiple-choice-questions: 1 row removed", "multiple-choice-questions: 1 row added"]
OTHERWISE = "replaced by others that ask the same with other options or in another order"
REPLACED = [f"multiple-choice-questions: 1 row {OTHERWISE}"]


@pytest.mark.parametrize(
    ("rows", "step", "expected"),
    [
        pytest.param({"MCQID": ["m1", "m9"]}, "minor", REPLACED, id="other options"),
        pytest.param({"MCQID": ["m1", "m9"], "country": ["UK", "US"]}, "major", REMOVED, id="another region"),
        pytest.param({"MCQID": ["m1", "m9"], "ID": ["q1", "q9"]}, "major", REMOVED, id="another template"),
    ],
)
def test_a_question_that_is_still_asked_is_not_gone(make, rows, step, expected):
    changed = ASKED.with_columns(**{name: pl.Series(values) for name, values in rows.items()})
    found = version_step(diff_releases(make({(MCQ, "test"): ASKED}), make({(MCQ, "test"): changed})))
    assert (found.step, [reason.text for reason in found.reasons]) == (step, expected)


def test_every_row_counts_once(make):
    """Of six variants of q1 four are gone and three came, q2 is gone, q3 came, and q4 is asked once more."""
    old = pl.DataFrame(
        {"MCQID": [*"abcdefgh"], "ID": ["q1"] * 6 + ["q2", "q4"], "country": "UK", "prompt": "p"}
    )
    new = pl.DataFrame(
        {"MCQID": [*"efxyzshi"], "ID": ["q1"] * 5 + ["q3", "q4", "q4"], "country": "UK", "prompt": "p"}
    )
    found = diff_releases(make({(MCQ, "test"): old}), make({(MCQ, "test"): new}))
    assert [reason.text for reason in version_step(found).reasons] == [
        "multiple-choice-questions: 1 row removed",
        f"multiple-choice-questions: 3 rows {OTHERWISE}",
        "multiple-choice-questions: 1 row removed whose questions are still asked by other rows",
        "multiple-choice-questions: 2 rows added",
    ]
    (split,) = found.configs[0].splits
    assert (split.removed_ids, split.added_ids) == (("d", "g"), ("s", "i"))
    entry = _changelog_entry(found, "1.1.0")
    assert "| table | was | now | added | removed | replaced | changed | moved |" in entry
    assert "| multiple-choice-questions test | 8 | 8 | 2 | 2 | 3 | 0 | 0 |" in entry


def test_every_step_has_its_row_in_the_docs(root: Path):
    rows = (root / "docs" / "publishing.md").read_text(encoding="utf-8").splitlines()
    begins = tuple(f"| {step} |" for step in STEPS)
    assert [row.split(" ")[1] for row in rows if row.startswith(begins)] == list(reversed(STEPS))
