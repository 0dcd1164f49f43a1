"""Files that are replaced: atomically, and only where nothing of somebody else's is lost."""

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from blend.loaders.files.atomic import atomic_write, replace_own_file
from blend.schemas.errors import InputError
from helpers.messages import message_of, wrong


def test_a_file_of_another_name_is_left_alone(tmp_path: Path):
    (tmp_path / "notes.tmp").write_text("mine")
    (tmp_path / "table.tmp").symlink_to("notes.tmp")
    atomic_write(tmp_path / "notes", "ours")
    atomic_write(tmp_path / "table", "ours")
    assert (tmp_path / "notes.tmp").read_text() == "mine"
    assert (tmp_path / "table.tmp").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "notes.tmp", "table", "table.tmp"]


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path):
    (tmp_path / "target").write_text("mine")
    link = tmp_path / "link"
    link.symlink_to("target")
    told = message_of(InputError, lambda: atomic_write(link, "ours"))
    assert told == f"{link}: is a link to target; name that file itself, or remove the link"
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_file_is_not_replaced(tmp_path: Path, kind: str):
    path = tmp_path / kind
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "pipe":
            os.mkfifo(path)
        else:
            bound.bind(str(path))
        for write in (
            lambda: atomic_write(path, "ours"),
            lambda: replace_own_file(path, "ours", mark=b"ours", what="a page"),
        ):
            assert message_of(InputError, write) == (
                f"{path}: is not a regular file; move it away, or name a file"
            )
    assert not stat.S_ISREG(path.lstat().st_mode)
    assert [one.name for one in tmp_path.iterdir()] == [kind]


@pytest.mark.slow
def test_readers_never_see_half_a_file_of_two_writers(tmp_path: Path):
    path = tmp_path / "state"
    contents = [letter * 1_000_000 for letter in "ab"]
    atomic_write(path, contents[0])
    done = threading.Event()

    def write(content: str) -> None:
        for _ in range(20):
            atomic_write(path, content)

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_text())

    seen = set[str]()
    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert seen <= set(contents)
    assert [one.name for one in tmp_path.iterdir()] == ["state"]


def test_a_file_of_our_own_is_replaced_and_no_other(tmp_path: Path):
    path = tmp_path / "new" / "page.html"
    for content in ("<ours>1", "<ours>2"):
        replace_own_file(path, content, mark=b"<ours>", what="a page", parameter="html")
        assert path.read_text() == content
    path.write_text("")  # as mktemp makes one
    replace_own_file(path, "<ours>3", mark=b"<ours>", what="a page")
    path.write_text("mine")
    told = wrong(lambda: replace_own_file(path, "<ours>4", mark=b"<ours>", what="a page", parameter="html"))
    assert told == (
        f"{path}: is not a page that blend wrote, so it is not replaced; choose another `html` or move it away"
    )
    assert path.read_text() == "mine"


WRITER = """
import sys
from pathlib import Path
from blend.loaders.files.atomic import atomic_file
with atomic_file(Path("answers.jsonl")) as beside:
    beside.write_text("half")
    print(beside.name, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_what_a_killed_writer_left_goes_with_the_next_write_and_a_living_one_keeps_its_own(tmp_path: Path):
    # It may hold answers of somebody who asks to be forgotten.
    command = [sys.executable, "-c", WRITER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    killed, living = (subprocess.Popen(command, cwd=tmp_path, **pipes) for _ in range(2))
    left, own = (writer.stdout.readline().strip() for writer in (killed, living))
    killed.kill()
    killed.communicate()
    atomic_write(tmp_path / "answers.jsonl", "whole")
    names = {path.name for path in tmp_path.iterdir()}
    assert left not in names
    assert own in names
    living.communicate()
    assert [path.name for path in tmp_path.iterdir()] == ["answers.jsonl"]
    assert (tmp_path / "answers.jsonl").read_text() == "half"
