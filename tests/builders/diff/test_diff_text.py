"""Comparisons as text: the changelog of a release, JSON, and two values side by side."""

import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.diff import diff_releases, open_release
from blend.builders.diff.model import ReleaseDiff, _value_pair
from blend.builders.diff.text import (
    _changelog_entry,
    _first_entry,
    changelog,
    diff_json,
    next_changelog,
)
from blend.loaders.releases import read_manifest
from blend.schemas.errors import RowError
from helpers.messages import message_of

SAQ, MCQ = "short-answer-questions", "multiple-choice-questions"
ROWS = pl.DataFrame({"ID": ["q1", "q2", "q3"], "Question": ["Tea | ጠጅ?", "b", "c"], "Topic": ["Food"] * 3})
BASE = {(SAQ, "KR"): ROWS, (SAQ, "KP"): ROWS}

CHANGED = {
    (SAQ, "KR"): pl.DataFrame(
        {
            "ID": ["q1", "q3", "q4"],
            "Question": ["Tea | `ጠላ`?", "c", "d"],
            "Topic": ["Food"] * 3,
            "locale": ["ko-KR"] * 3,
        }
    ),
    (SAQ, "KP"): ROWS,
    (MCQ, "test"): pl.DataFrame({"MCQID": ["m1"]}),
}

ENTRY = """## 1.1.0

After 1.0.0: what was made for it can break.

**Breaks**

* short-answer-questions: 1 row removed

**Adds**

* short-answer-questions: column locale added
* short-answer-questions: 1 row added
* configuration multiple-choice-questions added

**Changes**

* short-answer-questions: 1 row changed in Question
* changed in the manifest: recipe.seed

### Rows

| table | was | now | added | removed | changed | moved |
| --- | --: | --: | --: | --: | --: | --: |
| short-answer-questions KR | 3 | 3 | 1 | 1 | 1 | 0 |
| multiple-choice-questions test | – | 1 | 1 | 0 | 0 | 0 |

### Columns added, removed, or of another type

| configuration | column | before | now |
| --- | --- | --- | --- |
| short-answer-questions | locale | – | string |

### Changed values

| configuration | column | changed rows |
| --- | --- | --: |
| short-answer-questions | Question | 1 |

### Rows added and removed

| configuration | split | row | became |
| --- | --- | --- | --- |
| short-answer-questions | KR | q4 | added |
| short-answer-questions | KR | q2 | removed |
| multiple-choice-questions | test | m1 | added |

### Examples

| where | change |
| --- | --- |
| short-answer-questions KR q1 Question | Tea \\| ጠጅ? → Tea \\| \\`ጠላ\\`? |

### Settings

| setting | before | now |
| --- | --- | --- |
| recipe.seed | 0 | 5 |
"""


def test_a_section_of_the_changelog(make):
    found = diff_releases(make(BASE), make(CHANGED, version="1.1.0", seed=5))
    assert _changelog_entry(found, "1.1.0").splitlines() == ENTRY.splitlines()


def test_the_section_of_a_first_version(make):
    manifest = read_manifest(make(CHANGED))
    assert _first_entry(manifest) == (
        "## 1.0.0\n\nFirst version.\n\n"
        "* `short-answer-questions`: 6 rows in 2 splits\n* `multiple-choice-questions`: 1 row in 1 split\n"
    )


def test_a_changelog_grows_at_the_top(make):
    first = make(BASE, files={"CHANGELOG.md": changelog("## 1.0.0\n\nFirst.\n")})
    text = next_changelog(open_release(first), open_release(make(CHANGED, version="1.1.0", seed=5)))
    title, *sections = text.split("\n## ")
    assert title.startswith("# Changelog\n\n")
    assert sections == [ENTRY.removeprefix("## "), "1.0.0\n\nFirst.\n"]
    # The same comparison gives the same text.
    second = make(CHANGED, version="1.1.0", seed=5, files={"CHANGELOG.md": "of an earlier run"})
    assert next_changelog(open_release(first), open_release(second)) == text


def test_samples_say_of_how_many_they_are_the_first(make):
    more = pl.DataFrame({"ID": ["q1", "q2"], "Question": ["tea", "milk"], "Topic": ["Food"] * 2})
    entry = _changelog_entry(diff_releases(make(BASE), make({(SAQ, "KR"): more, (SAQ, "KP"): more})), "1.1.0")
    _, rows, examples = re.split("### Rows added and removed|### Examples", entry)
    first_of = "The first {} of {}; `blend diff OLD NEW --json` counts and quotes more."
    assert rows.strip().endswith(first_of.format(1, 2))
    assert examples.strip().endswith(first_of.format(1, 4))


def test_a_changelog_counts_what_annotators_typed_and_quotes_none_of_it(make):
    before, after = (
        make(
            {
                ("annotations", "KR"): pl.DataFrame({"ID": ["q1"], "idks": [reason], "Topic": [topic]}),
                ("multiple-choice-questions", "test"): pl.DataFrame({"MCQID": ["q1_1"], "options": [[reason]]}),
            }
        )
        for reason, topic in (("3 agn", "Food"), ("", "Work"))
    )
    found = diff_releases(before, after)
    entry = _changelog_entry(found, "1.0.1")
    assert "agn" not in entry
    assert "| annotations | idks | 1 |" in entry
    assert "annotations KR q1 Topic | Food → Work" in entry
    # Who compares two releases has both.
    assert "3 agn" in str(found.as_tables())


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_the_maintainers_words_stand_first(make, version: str):
    new = make(CHANGED, version=version, changes="Answers of 2026.\n\n* two regions more")
    before = None if version == "1.0.0" else open_release(make(BASE))
    _, entry, *_ = next_changelog(before, open_release(new)).split("\n## ")
    assert entry.split("\n\n")[2:4] == ["Answers of 2026.", "* two regions more"]


def test_a_changelog_that_is_not_text_is_told(make):
    first = open_release(make(BASE))
    path = first.folder / "CHANGELOG.md"
    path.write_bytes(b"# Changelog\n\n\x8a")
    assert message_of(RowError, lambda: next_changelog(first, open_release(make(BASE, version="1.0.1")))) == (
        f"{path}: byte 0x8A in line 3 is not UTF-8; restore it, or pull or build the release again"
    )


def test_json_says_what_follows(make):
    found = diff_releases(make(BASE), make(CHANGED, version="1.1.0", seed=5))
    printed = json.loads(json.dumps(diff_json(found)))
    assert (printed.pop("step"), printed.pop("expected_version")) == ("major", "2.0.0")
    assert printed.pop("reasons")[0] == {"step": "major", "text": "short-answer-questions: 1 row removed"}
    assert ReleaseDiff.model_validate(printed) == found


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("tea", "Tea", ("tea", "Tea")),
        (1, "1", ("1", "1")),
        (None, "null", ("null", '"null"')),
        ("", " a", ('""', '" a"')),
        ("a\nb", 'say "b"', ("a\\nb", 'say "b"')),
        ([{"count": 1}], [], ('[{"count": 1}]', "[]")),
        # Alike to the eye: another Unicode form, an invisible character, another kind of blank or of mark.
        ("caf\u00e9 noir", "cafe\u0301 noir", ("caf\\xe9 noir", "cafe\\u0301 noir")),
        ("می\u200cشود", "میشود", ("می\\u200cشود", "میشود")),
        ("a b", "a\u00a0b", ("a b", "a\\xa0b")),
        ("뭐?", "뭐\uff1f", ("\\ubb50?", "\\ubb50\\uff1f")),
        # Text in the other direction stays, marks that turn the line are spelled out.
        ("شاي", "شاي\u202e!", ("شاي", "شاي\\u202e!")),
    ],
)
def test_two_values(old, new, shown):
    assert _value_pair(old, new) == shown


@given(st.text(), st.text(), st.integers(8, 60))
def test_values_keep_to_the_width_and_stay_on_their_line(old: str, new: str, width: int):
    for text in _value_pair(old, new, width):
        assert len(text) <= width
        assert text.isprintable() or not set(text) & set("\n\r\t\u202e")
