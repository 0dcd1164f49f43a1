"""New files: all of them or none, whatever happens in the middle, and nothing is ever replaced."""

import errno
import os
import stat
from pathlib import Path

import polars as pl
import pytest

from blend.loaders.files.atomic import _fresh_file
from blend.loaders.files.new_files import write_new_files, write_new_sheet
from blend.loaders.files.rows import read_table
from blend.schemas.errors import BlendError
from helpers.messages import wrong

CONTENTS = {"b.toml": "b = 1\n", "below/deep/a.csv": b"\xef\xbb\xbfa\n", "key": "secret\n"}


def found(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_and_folders_are_made(tmp_path: Path):
    folder = tmp_path / "new" / "mine"
    written = write_new_files(folder, CONTENTS, folders=("empty", "below"), private=("key",))
    assert written == ["b.toml", "below/deep/a.csv", "key"]
    assert found(folder) == ["b.toml", "below", "below/deep", "below/deep/a.csv", "empty", "key"]
    assert (folder / "below/deep/a.csv").read_bytes() == CONTENTS["below/deep/a.csv"]
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "b.toml").stat().st_mode) & 0o600 == 0o600


def test_a_secret_that_a_kill_left_half_written_is_not_readable_by_others(tmp_path: Path):
    left = _fresh_file(tmp_path / "key")
    left.write_text("half")
    left.chmod(0o644)
    write_new_files(tmp_path, CONTENTS, private=("key",))
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_nothing_is_replaced_and_everything_present_is_named(tmp_path: Path):
    (tmp_path / "below" / "deep").mkdir(parents=True)
    (tmp_path / "below" / "deep" / "a.csv").symlink_to("nowhere")
    (tmp_path / "b.toml").write_text("mine")
    before = found(tmp_path)
    assert wrong(lambda: write_new_files(tmp_path, CONTENTS)) == (
        f"{tmp_path}: holds 'b.toml', 'below' and is not empty, so nothing is written there; choose another "
        "`folder` or empty it yourself"
    )
    assert found(tmp_path) == before


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()])
def test_whichever_write_fails_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
):
    calls = iter(range(100))
    really = os.fsync

    def fsync(handle: int) -> None:
        if next(calls) == at:
            raise error
        really(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises((BlendError, KeyboardInterrupt)) as caught:
        write_new_files(tmp_path / "new" / "folder", CONTENTS, folders=("empty",))
    if isinstance(error, OSError):
        assert str(caught.value) == (
            f"{tmp_path}/new/folder: no space left on the disk; free some space and run the same again"
        )
    assert found(tmp_path) == ["mine.txt"]


def test_a_sheet_says_its_encoding_to_spreadsheets(tmp_path: Path):
    rows = pl.DataFrame({"a": ["x,y", None, ""], "b": [1, 2, 3]})
    write_new_sheet(tmp_path / "sheet.csv", rows)
    assert (tmp_path / "sheet.csv").read_bytes() == b'\xef\xbb\xbfa,b\n"x,y",1\n,2\n"",3\n'
    texts = ["18:00", "=1", "'tis", "x\x01_x0041_"]
    write_new_sheet(tmp_path / "sheet.xlsx", pl.DataFrame({"a": texts}))
    assert [row.values["a"] for row in read_table(tmp_path / "sheet.xlsx")] == texts
    write_new_files(tmp_path / "new", {"one.csv": "a\n밥\n", "two.csv": "\ufeffa\n밥\n", "x.toml": "a = 1\n"})
    assert (tmp_path / "new" / "one.csv").read_bytes() == "\ufeffa\n밥\n".encode()
    assert (tmp_path / "new" / "two.csv").read_bytes() == "\ufeffa\n밥\n".encode()
    assert (tmp_path / "new" / "x.toml").read_bytes() == b"a = 1\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine.csv", "exists, and may hold somebody's work; choose another `out` or move it away"),
        (
            "mine.csv/sheet.csv",
            "cannot write here (a part of this path is a file); choose another `out` or change the permissions",
        ),
        (
            "nowhere/sheet.csv",
            "cannot write here (No such file or directory); choose another `out` or change the permissions",
        ),
    ],
)
def test_a_sheet_that_cannot_be_written(tmp_path: Path, name: str, told: str):
    (tmp_path / "mine.csv").write_text("mine")
    said = wrong(lambda: write_new_sheet(tmp_path / name, pl.DataFrame({"a": [1]})))
    assert said == f"{tmp_path / name}: {told}"
    assert found(tmp_path) == ["mine.csv"]
