"""Content: one sentence for whatever stands where a file was expected, or takes too much memory."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files.content import check_tables, check_unpacked_size, open_content, read_content
from blend.schemas.errors import RowError
from helpers.messages import message_of


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.toml")


STRANGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (lambda path: None, "no such recipe; correct the path"),
    "directory": (Path.mkdir, "a directory; give the recipe in it"),
    "pipe": (pipe, "not a regular file; give a recipe that is one"),
    "loop": (loop, "cannot be read (Too many levels of symbolic links); correct the path or its permissions"),
    "dangling": (dangling, "no such recipe; correct the path"),
}


@pytest.mark.parametrize("strange", STRANGE)
def test_message_for_what_is_not_a_file(tmp_path: Path, strange: str):
    make, expected = STRANGE[strange]
    path = tmp_path / "recipe.toml"
    make(path)
    assert message_of(RowError, lambda: read_content(path, what="recipe")) == f"{path}: {expected}"


def test_messages_for_paths_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("text")
    below, long = tmp_path / "file" / "below", tmp_path / ("x" * 300)
    told = message_of(RowError, lambda: read_content(below))
    assert told == f"{below}: cannot be read (Not a directory); correct the path or its permissions"
    told = message_of(RowError, lambda: read_content(long))
    assert told == f"{long}: cannot be read (File name too long); correct the path or its permissions"
    told = message_of(RowError, lambda: read_content(Path("a\0b")))
    assert told == "a\0b: cannot be read (embedded null byte); correct the path or its permissions"


def test_message_for_a_file_that_may_not_be_read(tmp_path: Path):
    path = tmp_path / "answers.csv"
    path.write_text("text")
    path.chmod(0)
    # The superuser may read everything, so nobody reads here.
    nobody = 65534
    tmp_path.chmod(0o755)
    was = os.geteuid()
    if was == 0:
        for parent in [tmp_path, *tmp_path.parents][:3]:
            parent.chmod(0o755)
        os.seteuid(nobody)
    try:
        with pytest.raises(RowError) as caught:
            read_content(path, where="responses/answers.csv")
    finally:
        os.seteuid(was)
    assert str(caught.value) == (
        "responses/answers.csv: cannot be read (Permission denied); correct the path or its permissions"
    )


def test_a_file_is_read_whole_and_a_link_is_followed(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"a\r\nb\0")
    (tmp_path / "link").symlink_to("file")
    assert read_content(tmp_path / "link") == b"a\r\nb\0"
    with open_content(tmp_path / "file") as file:
        assert file.read(1) == b"a"


# Unpacked sizes of Parquet files, which can be thousands of times the files' own.

FIX = "do not use it, and tell who made it"


@pytest.mark.nightly
def test_what_small_files_unpack_to_is_found_in_lists_and_in_many_groups():
    listed = pa.ListArray.from_arrays([0, 100_000_000], pa.nulls(100_000_000, pa.int64()))
    for values, size in ((listed, 1 << 20), (pa.nulls(20_000_000, pa.string()), 1 << 16)):
        file = io.BytesIO()
        pq.write_table(pa.table({"a": values}), file, row_group_size=size, compression="zstd")
        n_bytes = len(file.getvalue())
        with pytest.raises(RowError) as caught:
            check_unpacked_size(file, where="bomb.parquet")
        assert str(caught.value).startswith(f"bomb.parquet: {n_bytes:,} bytes that unpack to ")
        assert str(caught.value).endswith(
            f", and more than 268,435,456 is not read of a file of this size; {FIX}"
        )


def test_bytes_that_are_no_parquet_are_damage(tmp_path: Path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    told = message_of(RowError, lambda: check_tables([path]))
    assert told == f"{path}: not a Parquet file, or damaged; {FIX}"
