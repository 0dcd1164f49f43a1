"""A process of ``blend`` ends with its own code, after its exit functions, and is not taken apart."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, os, sys, tempfile
from blend.stopping import exit_immediately

class Remains:
    def __del__(self, write=os.write):
        write(1, b"taken apart\\n")

with exit_immediately():
    atexit.register(print, "exit function")
    folder = tempfile.TemporaryDirectory()
    remains = Remains()
    print("working", end=" ")
    {end}
"""


COMMAND = """
import os, sys
from blend.__main__ import main

class Remains:
    def __del__(self, write=os.write):
        write(1, b"taken apart\\n")

remains = Remains()
sys.argv = ["blend", *{words!r}]
main()
"""


def ended(end: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(end=end)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("end", "code"), [("pass", 0), ("sys.exit()", 0), ("sys.exit(3)", 3)])
def test_at_once(end: str, code: int):
    assert ended(end) == (code, "working exit function\n", "")


def test_a_text_is_printed_by_python():
    assert ended("sys.exit('no')") == (1, "working exit function\ntaken apart\n", "no\n")


def test_an_error_keeps_its_traceback():
    code, out, err = ended("1 / 0")
    assert (code, out) == (1, "working exit function\ntaken apart\n")
    assert err.endswith("ZeroDivisionError: division by zero\n")


def test_temporary_folders_are_removed():
    code, out, _err = ended("print(folder.name)")
    assert code == 0
    gone = out.split()[1]
    assert subprocess.run(["test", "-e", gone]).returncode == 1


def test_closed_streams_are_left_alone():
    program = PROGRAM.format(end="sys.exit(3)")
    done = subprocess.run(["sh", "-c", 'exec "$0" -c "$1" >&- 2>&-', sys.executable, program])
    assert done.returncode == 3


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["locales", "Atlantis"], 1), (["lcales"], 2)])
def test_every_command_ends_so(words: list[str], code: int):
    program = COMMAND.format(words=words)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, "taken apart" in done.stdout) == (code, False), done.stderr


def test_the_docs_leave_no_stream_half_read(root: Path):
    # A user's own process is taken apart, and may be aborted.
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        for block in page.read_text(encoding="utf-8").split("```")[1::2]:
            assert "next(iter(" not in block, page
            assert "next(stream" not in block, page
