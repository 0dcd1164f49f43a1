"""Staging: whatever happens, a release directory is as it was or complete."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from blend.loaders.files.atomic import atomic_directory
from blend.schemas.errors import BlendError


def release_at(path: Path, text: str = "old") -> Path:
    path.mkdir(parents=True)
    (path / "release.json").write_text(text)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_directory_appears_when_the_block_ends(tmp_path: Path):
    out = tmp_path / "new" / "release"
    with atomic_directory(out) as directory:
        (directory / "a.txt").write_text("a")
        assert not out.exists()
    assert (out / "a.txt").read_text() == "a"
    assert names(out.parent) == ["release"]


def test_an_older_release_is_replaced_as_a_whole(tmp_path: Path):
    out = release_at(tmp_path / "release")
    (out / "gone.txt").write_text("x")
    with atomic_directory(out) as directory:
        (directory / "release.json").write_text("new")
        assert (out / "release.json").read_text() == "old"
    assert names(out) == ["release.json"]
    assert (out / "release.json").read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
def test_an_error_inside_changes_nothing(tmp_path: Path, error: BaseException):
    out = release_at(tmp_path / "release")
    with pytest.raises(type(error)), atomic_directory(out) as directory:
        (directory / "half.txt").write_text("x")
        raise error
    assert names(tmp_path) == ["release"]
    assert names(out) == ["release.json"]


def test_a_directory_that_is_no_release_is_refused(tmp_path: Path):
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(BlendError) as caught, atomic_directory(out):
        pass
    assert str(caught.value) == (
        f"{out}: holds 'thesis.txt' and is not a release, so nothing is written there; "
        "choose another `out` or empty it yourself"
    )
    assert names(out) == ["thesis.txt"]


def test_two_builds_of_one_release_do_not_mix(tmp_path: Path):
    out = tmp_path / "release"
    with FileLock(tmp_path / ".release.lock"), pytest.raises(BlendError) as caught, atomic_directory(out):
        pass
    assert str(caught.value) == (
        f"{out}: another process is writing this release; wait for it or choose another `out`"
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            errno.ENOSPC,
            "no space left on the disk; nothing was changed; free some space and run the same again",
        ),
        (
            errno.EROFS,
            "cannot write here (Read-only file system); choose another `out` or change the permissions",
        ),
    ],
)
def test_what_the_disk_says_is_explained(tmp_path: Path, code: int, message: str):
    out = release_at(tmp_path / "release")
    with pytest.raises(BlendError) as caught, atomic_directory(out):
        raise OSError(code, os.strerror(code))
    assert str(caught.value) == f"{out}: {message}"
    assert names(tmp_path) == ["release"]


KILLED = """
import os, signal, sys
from pathlib import Path
from blend.loaders.files import atomic
point, out = sys.argv[1], Path(sys.argv[2])
if point == "between the renames":
    rename = Path.rename
    def renamed(self, target):
        rename(self, target)
        if self == out:
            os.kill(os.getpid(), signal.SIGKILL)
    Path.rename = renamed
with atomic.atomic_directory(out) as directory:
    (directory / "release.json").write_text("new")
    if point == "inside":
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.integration
@pytest.mark.parametrize("point", ["inside", "between the renames"])
def test_kill_9_leaves_the_old_release_to_the_next_run(tmp_path: Path, point: str):
    out = release_at(tmp_path / "release")
    killed = subprocess.run([sys.executable, "-c", KILLED, point, str(out)])
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(RuntimeError), atomic_directory(out):
        # The next run sees the old release, whatever the killed one had begun.
        assert (out / "release.json").read_text() == "old"
        raise RuntimeError
    assert names(tmp_path) == ["release"]
    with atomic_directory(out) as directory:
        (directory / "release.json").write_text("newer")
    assert (out / "release.json").read_text() == "newer"
