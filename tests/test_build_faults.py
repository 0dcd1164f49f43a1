"""A build that is stopped: no half release is ever visible, and the next build is none the worse."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.builders.validate import CHECKS, validate_release
from blend.loaders.recipes import sample_recipe
from blend.stopping import ALL_OR_NOTHING
from helpers.hub.hub_releases import digests
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration

KILLED_AT_WRITE = """
import os, signal, sys
from pathlib import Path
from blend.builders import release
n, writes = int(sys.argv[1]), 0
def counted(function):
    def call(*arguments, **options):
        global writes
        writes += 1
        if writes == n:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call
release.write_table = counted(release.write_table)
Path.write_text = counted(Path.write_text)
sys.argv = ["blend", "build", "--out", sys.argv[2]]
from blend.cli import main
from blend.stopping import ALL_OR_NOTHING
main()
"""


@pytest.mark.parametrize("n", rest_nightly([1, 5, 12, 20, 24], 12))
def test_kill_9_between_any_two_files(n: int, sample_release: Path, tmp_path: Path):
    out = tmp_path / "release"
    killed = subprocess.run([sys.executable, "-c", KILLED_AT_WRITE, str(n), str(out)], capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    build_release(sample_recipe(), out)
    assert digests(out) == digests(sample_release)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.nightly
def test_kill_9_leaves_the_older_release_in_place(sample_release: Path, tmp_path: Path):
    out = tmp_path / "release"
    build_release(sample_recipe().model_copy(update={"seed": 7}), out)
    older = digests(out)
    assert older != digests(sample_release)
    subprocess.run([sys.executable, "-c", KILLED_AT_WRITE, "9", str(out)], capture_output=True)
    assert digests(out) == older


SWALLOWED = """
import os, signal, sys
from pathlib import Path
from blend.__main__ import main
from blend.builders import release
build = release.build_tables
def interrupted(*arguments, **options):
    try:
        os.kill(os.getpid(), signal.{name})
        return build(*arguments, **options)
    except KeyboardInterrupt:
        {instead}
release.build_tables = interrupted
sys.argv = ["blend", "build", "--out", sys.argv[1]]
main()
"""


@pytest.mark.nightly
@pytest.mark.parametrize("instead", ["return build(*arguments, **options)", "raise ValueError"])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_a_library_swallows_still_stops_the_build(
    tmp_path: Path, name: str, code: int, instead: str
):
    # About one Ctrl-C in two hundred met native code that drops, or renames, what is raised in it.
    script = SWALLOWED.format(name=name, instead=instead)
    command = [sys.executable, "-c", script, str(tmp_path / "release")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.splitlines()[-1] == ALL_OR_NOTHING.format(out=tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


INTERRUPTED_AT = """
import os, shutil, signal, sys
from pathlib import Path
point, out = sys.argv[1:]
def ctrl_c(function, when):
    def call(*arguments, **options):
        result = function(*arguments, **options)
        if when(*arguments):
            os.kill(os.getpid(), signal.SIGINT)
        return result
    return call
ends = lambda *names: lambda *paths: tuple(Path(path).name for path in paths[:len(names)]) == names
name = Path(out).name
if point == "between the renames":
    Path.rename = ctrl_c(Path.rename, ends(name, f".{name}.previous"))
elif point == "after the renames":
    Path.rename = ctrl_c(Path.rename, ends(f".{name}.partial", name))
else:
    shutil.rmtree = ctrl_c(shutil.rmtree, ends(f".{name}.previous"))
recipe = Path(out + ".toml")
text = "name = 'blend-sample'\\nversion = '0.1.1'\\n"
recipe.write_text(text + "[[sources]]\\nkind = 'sample'\\n")
sys.argv = ["blend", "build", str(recipe), "--out", out]
from blend.cli import main
main()
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("point", "is_made"),
    rest_nightly(
        [
            ("between the renames", False),
            ("after the renames", True),
            ("when the older one is removed", True),
        ],
        ("between the renames", False),
    ),
)
def test_ctrl_c_around_the_swap_says_what_is_there(
    sample_release: Path, tmp_path: Path, point: str, is_made: bool
):
    out = tmp_path / "release"
    shutil.copytree(sample_release, out)
    older = digests(out)
    command = [sys.executable, "-c", INTERRUPTED_AT, point, str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == ALL_OR_NOTHING.format(out=out)
    assert "Traceback" not in done.stderr
    assert (digests(out) != older) == is_made
    assert validate_release(out, checks={"files": CHECKS["files"]}).passes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "release.toml"]


@pytest.mark.nightly
def test_a_full_disk(tmp_path: Path):
    script = (
        'mount -t tmpfs -o size=64k tmpfs "$1" && "$2" -m blend build --out "$1/release"\n'
        'code=$?; ls -A "$1"; exit $code'
    )
    run = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", str(tmp_path), sys.executable],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        f"error: {tmp_path}/release: no space left on the disk; nothing was changed; "
        "free some space and run the same again"
    )
    assert run.stdout == ""
