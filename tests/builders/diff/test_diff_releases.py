"""Whole releases compared: what is not read, what is said about settings and files, and every message."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from blend.builders.diff import diff_releases, diff_tables, open_release
from blend.builders.diff.model import FileChange, ReleaseLabel, Setting
from blend.schemas.recipe import McqOptions, Source
from helpers.messages import wrong

SAQ, MCQ = "short-answer-questions", "multiple-choice-questions"
ROWS = pl.DataFrame({"ID": ["q1", "q2"], "Question": ["a", "b"]})
BASE = {(SAQ, "KR"): ROWS, (SAQ, "KP"): ROWS}


def test_equal_tables_are_not_read(make):
    old, new = make(BASE), make(BASE | {(SAQ, "KP"): ROWS.head(1)})
    # `publish` compares with a release of which it has only the tables that differ.
    (new / "data" / SAQ / "KR-00000.parquet").unlink()
    found = diff_tables(open_release(old), open_release(new)).configs[0]
    assert [(split.split, split.is_empty) for split in found.splits] == [("KR", True), ("KP", False)]


def test_splits_and_configurations_that_only_one_release_has(make):
    mcqs = pl.DataFrame({"MCQID": ["m1", "m2", "m3"]})
    found = diff_releases(
        make(BASE), make({(SAQ, "DZ"): ROWS, (SAQ, "KP"): ROWS, (MCQ, "test"): mcqs}), examples=2
    )
    saq, mcq = found.configs
    assert (saq.presence, mcq.presence) == ("kept", "added")
    assert [(split.split, split.presence) for split in saq.splits] == [
        ("DZ", "added"),
        ("KP", "kept"),
        ("KR", "removed"),
    ]
    (whole,) = mcq.splits
    assert (whole.old_rows, whole.new_rows, whole.added, whole.added_ids) == (None, 3, 3, ("m1", "m2"))
    gone = saq.splits[2]
    assert (gone.old_rows, gone.new_rows, gone.removed, gone.removed_ids) == (2, None, 2, ("q1", "q2"))
    # Rows of splits that came or went as a whole are told with the split, not as rows.
    assert (saq.total("added"), saq.total("removed")) == (0, 0)


def test_settings_that_differ(make):
    source = Source(kind="blend", location="org/data", revision="v1", sha256="0" * 64)
    old = make(BASE, sources=(source,))
    moved = source.model_copy(update={"revision": "v2", "sha256": "1" * 64})
    new = make(
        BASE,
        sources=(moved, Source(kind="sample")),
        mcq=McqOptions(mode="paper"),
        license="cc0-1.0",
        version="2.0.0",
        locales=("ko-KR", "ko-KP"),
    )
    found = diff_releases(old, new)
    assert found.settings == (
        Setting(path="recipe.license", old="cc-by-4.0", new="cc0-1.0"),
        Setting(path="recipe.sources[0].revision", old="v1", new="v2"),
        Setting(path="recipe.sources[0].sha256", old="0" * 64, new="1" * 64),
        Setting(path="recipe.sources[1].kind", old=None, new="sample"),
        Setting(path="recipe.sources[1].location", old=None, new=""),
        Setting(path="recipe.locales", old=None, new=["ko-KR", "ko-KP"]),
        Setting(path="recipe.mcq.mode", old="default", new="paper"),
    )
    assert found.new == ReleaseLabel(name="blend-sample", version="2.0.0")
    assert not found.is_empty


def test_files_differ_that_no_document_is_written_from(make):
    documents = ("recipe.toml", "CHANGELOG.md", "README.md", "DATASHEET.md", "croissant.json", "eval.yaml")
    old = make(BASE, files=dict.fromkeys(documents, "1.0.0") | {"gone.txt": "", "datasheet.toml": "a text"})
    new = make(BASE, files=dict.fromkeys(documents, "1.1.0") | {"here.txt": "", "datasheet.toml": "a word"})
    assert diff_releases(old, new).files == (
        FileChange(path="datasheet.toml", presence="kept"),
        FileChange(path="gone.txt", presence="removed"),
        FileChange(path="here.txt", presence="added"),
    )


@pytest.mark.parametrize(
    ("damage", "said"),
    [(Path.unlink, "missing"), (lambda file: file.write_bytes(b"PAR1 and then nothing"), "changed")],
)
def test_message_for_a_release_whose_files_are_not_its_own(make, damage: Callable[[Path], object], said: str):
    old, new = make(BASE), make(BASE | {(SAQ, "KP"): ROWS.head(1)})
    damage(new / "data" / SAQ / "KP-00000.parquet")
    message = (
        f"{new}: the files are not those of release.json: data/short-answer-questions/KP-00000.parquet "
        f"({said}); copy or build the release again, and keep other files elsewhere"
    )
    for pair in ((old, new), (new, old), (new, new)):
        assert wrong(partial(diff_releases, *pair)) == message
