"""A process of ``blend`` ends with its own code, after its exit functions, and is not taken apart."""

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, os, sys, tempfile
from blend.ending import ending_at_once

class Remains:
    def __del__(self, write=os.write):
        write(1, b"taken apart\\n")

with ending_at_once():
    atexit.register(print, "exit function")
    folder = tempfile.TemporaryDirectory()
    remains = Remains()
    print("working", end=" ")
    {end}
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
