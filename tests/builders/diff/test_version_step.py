"""The version that follows from what changed."""

import polars as pl
import pytest

from blend.builders.diff import diff_releases
from blend.builders.diff.model import STEPS, version_step
from blend.builders.diff.text import _changelog_entry, _expected_version, accepted_versions

SAQ, MCQ = "short-answer-questions", "multiple-choice-questions"
ROWS = pl.DataFrame({"ID": ["q1", "q2"], "Question": ["a", "b"], "Topic": ["Food", "Food"]})
BASE = {(SAQ, "KR"): ROWS}
ASKED = pl.DataFrame(
    {"MCQID": ["m1", "m2"], "ID": ["q1", "q2"], "country": "UK", "prompt": ["a", "b"]}
).with_columns(options=pl.Series([["a", "b"], ["a", "b"]]))
"""Two questions, each asked once; their ids follow from their options."""

CASES = {
    "nothing": (BASE, {}, "none", []),
    "another version": (BASE, {"version": "3.0.0"}, "none", []),
    "a value": (
        {(SAQ, "KR"): ROWS.with_columns(Question=pl.lit("c"))},
        {},
        "patch",
        ["short-answer-questions: 2 rows changed in Question"],
    ),
    "an order of rows": ({(SAQ, "KR"): ROWS.reverse()}, {}, "patch", ["short-answer-questions: 1 row moved"]),
    "an order of columns": (
        {(SAQ, "KR"): ROWS.select("Question", "ID", "Topic")},
        {},
        "patch",
        ["short-answer-questions: columns stand in another order"],
    ),
    "an option": (BASE, {"seed": 4}, "patch", ["changed in the manifest: recipe.seed"]),
    "the package": (BASE, {"sdk_version": "9"}, "patch", ["changed in the manifest: sdk_version"]),
    "a file": (BASE, {"files": {"datasheet.toml": "new"}}, "patch", ["other files changed: datasheet.toml"]),
    "a row more": (
        {(SAQ, "KR"): pl.concat([ROWS, ROWS.head(1).with_columns(ID=pl.lit("q3"))])},
        {},
        "minor",
        ["short-answer-questions: 1 row added"],
    ),
    "a column more": (
        {(SAQ, "KR"): ROWS.with_columns(locale=pl.lit("ko-KR"))},
        {},
        "minor",
        ["short-answer-questions: column locale added"],
    ),
    "a split more": (BASE | {(SAQ, "KP"): ROWS}, {}, "minor", ["short-answer-questions: 1 split added: KP"]),
    "a configuration more": (
        BASE | {(MCQ, "test"): ROWS},
        {},
        "minor",
        ["configuration multiple-choice-questions added"],
    ),
    "a row less": ({(SAQ, "KR"): ROWS.tail(1)}, {}, "major", ["short-answer-questions: 1 row removed"]),
    "another id": (
        {(SAQ, "KR"): ROWS.with_columns(ID=pl.col("ID").str.to_uppercase())},
        {},
        "major",
        ["short-answer-questions: 2 rows removed", "short-answer-questions: 2 rows added"],
    ),
    "a column less": (
        {(SAQ, "KR"): ROWS.drop("Topic")},
        {},
        "major",
        ["short-answer-questions: column Topic removed"],
    ),
    "another type": (
        {(SAQ, "KR"): ROWS.with_columns(Topic=pl.lit(1, pl.Int64))},
        {},
        "major",
        ["short-answer-questions: column Topic is int64, was string"],
    ),
    "another split": (
        {(SAQ, "KO"): ROWS},
        {},
        "major",
        ["short-answer-questions: 1 split removed: KR", "short-answer-questions: 1 split added: KO"],
    ),
    "another configuration": (
        {(MCQ, "KR"): ROWS},
        {},
        "major",
        ["configuration short-answer-questions removed", "configuration multiple-choice-questions added"],
    ),
    "another licence": (BASE, {"license": "cc0-1.0"}, "major", ["the licence is cc0-1.0, was cc-by-4.0"]),
    "another name": (BASE, {"name": "b"}, "major", ["the dataset's name is b, was blend-sample"]),
}


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_change(make, case: str):
    tables, changes, step, reasons = CASES[case]
    files = {"datasheet.toml": "old"}
    found = version_step(diff_releases(make(BASE, files=files), make(tables, **({"files": files} | changes))))
    assert (found.step, [reason.text for reason in found.reasons]) == (step, reasons)


def test_the_largest_reason_comes_first_and_decides(make):
    grown = pl.concat(
        [ROWS.tail(1).with_columns(Question=pl.lit("?")), ROWS.with_columns(ID=pl.lit("q") + "Question")]
    )
    found = version_step(diff_releases(make(BASE), make({(SAQ, "KR"): grown}, seed=1)))
    assert found.step == "major"
    assert [(reason.step, reason.text) for reason in found.reasons] == [
        ("major", "short-answer-questions: 1 row removed"),
        ("minor", "short-answer-questions: 2 rows added"),
        ("patch", "short-answer-questions: 1 row changed in Question"),
        ("patch", "changed in the manifest: recipe.seed"),
    ]


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
        {"MCQID": [*"abcdef", "g", "h"], "ID": ["q1"] * 6 + ["q2", "q4"], "country": "UK", "prompt": "p"}
    )
    new = pl.DataFrame(
        {
            "MCQID": [*"efxyz", "s", "h", "i"],
            "ID": ["q1"] * 5 + ["q3", "q4", "q4"],
            "country": "UK",
            "prompt": "p",
        }
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
