"""Content: one sentence for whatever stands where a file was expected, and nothing is waited for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from blend.loaders.files.content import open_content, read_content
from blend.schemas.errors import RowError


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.toml")


STRANGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (lambda path: None, "no such recipe; correct the path"),
    "directory": (Path.mkdir, "a directory; give the recipe in it"),
    "pipe": (pipe, "a named pipe, not a file; give a recipe that is a regular file"),
    "loop": (loop, "a link that leads back to itself; mend the link"),
    "dangling": (dangling, "a link to nowhere.toml, which is not there; mend the link"),
}


@pytest.mark.parametrize("strange", STRANGE)
def test_message_for_what_is_not_a_file(tmp_path: Path, strange: str):
    make, expected = STRANGE[strange]
    path = tmp_path / "recipe.toml"
    make(path)
    with pytest.raises(RowError) as caught:
        read_content(path, what="recipe")
    assert str(caught.value) == f"{path}: {expected}"


def test_messages_for_paths_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("text")
    wrong = {
        tmp_path / "file" / "below": "a part of this path is a file; correct the path",
        tmp_path / ("x" * 300): "the name is longer than the system allows; correct the path",
    }
    for path, expected in wrong.items():
        with pytest.raises(RowError) as caught:
            read_content(path)
        assert str(caught.value) == f"{path}: {expected}"
    with pytest.raises(RowError) as caught:
        read_content(Path("a\0b"))
    assert str(caught.value) == "'a\\x00b': the path holds a null character; correct the path"


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
    assert str(caught.value) == "responses/answers.csv: you may not read this file; change its permissions"


def test_a_file_is_read_whole_and_a_link_is_followed(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"a\r\nb\0")
    (tmp_path / "link").symlink_to("file")
    assert read_content(tmp_path / "link") == b"a\r\nb\0"
    with open_content(tmp_path / "file") as file:
        assert file.read(1) == b"a"
