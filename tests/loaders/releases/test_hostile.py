"""Releases from people who mean harm: paths that lead out, text that drives a terminal, files that explode."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.diff import diff_releases
from blend.builders.diff.text import _changelog_entry
from blend.builders.validate import CHECKS, validate_release
from blend.cli.releases import show_release
from blend.loaders.datasets import load
from blend.loaders.files import content as unpacked
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, release_locales
from blend.schemas.errors import InputError, RowError
from blend.schemas.recipe import McqOptions
from blend.schemas.texts import escape_controls
from helpers.messages import message_of
from helpers.small_release import small_release
from helpers.tiers import rest_nightly

OUTSIDE = ["../x", "/abs", "C:/x", "a\\b", "a\0b", "", "a//b", "./a", "nul", "a\x1b[2Jb"]
TABLE = "data/annotations/KR-00000.parquet"


@pytest.fixture
def release(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a small release; its files are there, whatever the manifest names."""

    def write(
        name: str = "release",
        *,
        files: tuple[str, ...] = (TABLE,),
        table: str = TABLE,
        verdicts: str | None = None,
        **rows: Any,
    ) -> Path:
        shown = pl.DataFrame({"ID": ["q1"], "answer": ["a"]} | rows)
        folder = small_release(tmp_path / name, {("annotations", "KR"): shown}, name="hostile")
        manifest = read_manifest(folder)
        (info,), (file,) = manifest.tables, manifest.files
        digest = hashlib.sha256(name.encode()).hexdigest()
        mcq = McqOptions(verdicts=verdicts)
        named = {
            "recipe": manifest.recipe.model_copy(update={"mcq": mcq}),
            "tables": (info.model_copy(update={"files": (table,), "content_sha256": digest}),),
            "files": tuple(file.model_copy(update={"path": path}) for path in files),
        }
        (folder / "release.json").write_text(manifest.model_copy(update=named).to_json())
        return folder

    return write


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("where", ["files", "table", "verdicts"])
def test_a_path_that_leads_out_is_refused_by_whoever_would_follow_it(
    release: Callable[..., Path], path: str, where: str
):
    sound = release("sound")
    named: dict[str, Any] = {
        "files": {"files": (TABLE, path)},
        "table": {"table": path},
        "verdicts": {"verdicts": path},
    }
    hostile = release(**named[where])
    expected = (
        f"release.json of hostile 1.0.0 names the path {path!r}, which leads out of the release; "
        "do not use it, and tell who publishes it"
    )
    for use in (
        lambda: diff_releases(sound, hostile),
        lambda: diff_releases(hostile, sound),
        lambda: load(hostile, "annotations"),
        lambda: validate_release(hostile),
    ):
        assert message_of(InputError, use) == expected


def test_a_table_that_no_digest_covers_is_refused(release: Callable[..., Path]):
    hostile = release(files=("other.txt",))
    for use in (lambda: load(hostile, "annotations"), lambda: validate_release(hostile)):
        assert message_of(InputError, use) == (
            f"release.json of hostile 1.0.0 names the file {TABLE!r} for annotations/KR, and no digest of it; "
            "do not use it, and tell who publishes it"
        )


def test_ids_values_and_keys_reach_neither_terminal_nor_changelog_as_they_are(release: Callable[..., Path]):
    old, new = release("old"), release("new", ID=["\x1b]0;owned\x07\nq1"], answer=["\x9b2J\u202eb"])
    manifest = read_manifest(new).model_copy(update={"writers": {"\x1b[2J\u202e": "\x9b31m"}})
    (new / "release.json").write_text(manifest.to_json(), encoding="utf-8")
    text = _changelog_entry(diff_releases(old, new), "1.0.1")
    assert escape_controls(text) == text
    assert r"\x1b[2J\u202e" in text
    # As a cell of a table in Markdown, in which these marks are escaped.
    assert r"| \\x1b\]0;owned\\x07 q1 |" in text


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize(
    "command",
    rest_nightly(
        [
            ["diff", "OLD", "NEW"],
            ["diff", "OLD", "NEW", "--json"],
            ["validate", "NEW"],
            ["validate", "NEW", "--json"],
            ["show", "NEW"],
            ["stats", "NEW"],
            ["publish", "NEW", "org/blend", "--dry-run"],
        ],
        ["diff", "OLD", "NEW"],
    ),
    ids=" ".join,
)
def test_no_command_prints_an_escape_sequence(release: Callable[..., Path], command: list[str]):
    old = release("old")
    new = release("new", ID=["\x1b]0;owned\x07q1"], topic=["\x9b2J\u202eFood"])
    manifest = read_manifest(new).model_copy(update={"writers": {"\x1b[2J": "\x9b31m"}})
    (new / "release.json").write_text(manifest.to_json(), encoding="utf-8")
    names = {"OLD": str(old), "NEW": str(new)}
    run = subprocess.run(
        [sys.executable, "-m", "blend", *(names.get(word, word) for word in command)],
        # Nobody answers there; looking takes no time.
        env=os.environ | {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    printed = run.stdout + run.stderr
    assert printed.strip()
    assert "Traceback" not in printed
    assert not set("\x1b\x07\x9b\u202e") & set(printed)


def test_a_small_file_that_unpacks_to_too_much_is_not_read(
    release: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
):
    old, new = release("old"), release("new", answer=["a" * 100_000])
    monkeypatch.setattr(unpacked, "TABLE_BYTES", 50_000)
    monkeypatch.setattr(unpacked, "TIMES", 0)
    path = new / TABLE
    uses: list[Callable[[], object]] = [
        lambda: diff_releases(old, new),
        lambda: read_config(new, "annotations"),
        lambda: load(new, "annotations"),
        lambda: show_release(new),
    ]
    for use in uses:
        with pytest.raises(InputError) as caught:
            use()
        message = str(caught.value)
        assert message.startswith(f"{path}: {path.stat().st_size:,} bytes that unpack to ")
        assert message.endswith(
            "more than 50,000 is not read of a file of this size; do not use it, and tell who made it"
        )
    report = validate_release(new, checks={"tables": CHECKS["tables"]})
    assert any("that unpack to " in str(problem) for problem in report.checks[0].examples)


def test_a_folder_in_place_of_the_locale_file_is_told(tmp_path: Path):
    (tmp_path / "locales.toml").mkdir()
    told = "locales.toml: a directory; give the file in it"
    assert message_of(RowError, lambda: release_locales(tmp_path)) == told


def test_rows_of_a_file_that_has_changed_since_the_build_are_not_read(release: Callable[..., Path]):
    folder = release()
    rows = pl.read_parquet(folder / TABLE).with_columns(answer=pl.lit("b"))
    rows.write_parquet(folder / TABLE)
    told = message_of(InputError, lambda: read_config(folder, "annotations"))
    assert told.startswith(f"{folder}: ")
    assert TABLE in told
    (folder / TABLE).unlink()
    told = message_of(InputError, lambda: read_config(folder, "annotations"))
    assert told.startswith(f"{folder}: ")
    assert TABLE in told
