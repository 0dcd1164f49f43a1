"""Standard streams: a reader that leaves, a full disk and Ctrl-C end a command without a traceback."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blend.cli.streams import retrying_streams

BLEND = (str(Path(sys.executable).with_name("blend")),)


def printing(release: Path) -> dict[str, list[str]]:
    """Commands that print a lot, by name."""
    return {
        "help": ["--help"],
        "help of a command": ["build", "--help"],
        "show": ["show", str(release)],
        "stats": ["stats", str(release), "--all"],
        "stats as JSON": ["stats", str(release), "--json"],
        "status": ["status"],
        "schema": ["schema", "recipe"],
        "locales": ["locales"],
        "diff": ["diff", str(release), str(release)],
        "validate": ["validate", str(release), "--skip", "loading"],
        "validate as JSON": ["validate", str(release), "--skip", "loading", "--json"],
    }


def after_its_reader_left(*arguments: str) -> tuple[int, str]:
    """Exit code and standard error of a command that nobody reads: what ``head`` leaves, without its chance."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*BLEND, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("name", printing(Path()))
def test_a_command_ends_quietly_when_its_reader_has_left(name: str, sample_release: Path):
    code, errors = after_its_reader_left(*printing(sample_release)[name])
    assert code == 0
    assert "Traceback" not in errors
    assert "Broken" not in errors


@pytest.mark.nightly
@pytest.mark.integration
def test_the_exit_code_outlives_the_reader(sample_release: Path, tmp_path: Path):
    damaged = shutil.copytree(sample_release, tmp_path / "damaged")
    (damaged / "README.md").write_text("empty", encoding="utf-8")
    assert after_its_reader_left("validate", str(damaged), "--only", "files")[0] == 1


@pytest.mark.nightly
@pytest.mark.integration
def test_a_full_disk_is_one_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*BLEND, "locales"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "error: standard output: cannot write (No space left on device); make room, or send it elsewhere\n",
    )


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("name", ["stats", "show", "validate as JSON"])
def test_interrupted_while_it_prints_it_ends_with_130(name: str, sample_release: Path):
    # The pipe holds less than one write: after the first byte has come, the command stands in that write.
    fcntl = pytest.importorskip("fcntl")
    reader, writer = os.pipe()
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        pytest.skip("this system has pipes of one size only")
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    command = [*BLEND, *printing(sample_release)[name]]
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as output:
        assert output.read(1)
        process.send_signal(signal.SIGINT)
        while output.read(4096):
            pass
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_streams_without_a_descriptor_stay_as_they_are(capsys: pytest.CaptureFixture[str]):
    before = sys.stdout
    with retrying_streams():
        assert sys.stdout is before


def in_shell(command: str, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and error of a shell's command, with ``"$@"`` for blend and its words."""
    done = subprocess.run(["sh", "-c", command, "sh", *BLEND, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_build_whose_streams_are_closed_is_made(tmp_path: Path, closed: str):
    out = tmp_path / "release"
    code, printed, errors = in_shell(f'"$@" {closed}', "build", "--out", str(out))
    assert (code, "Traceback" in errors) == (0, False), errors
    assert printed == "" or ">&-" not in closed.split()
    assert in_shell('"$@"', "validate", str(out), "--skip", "loading")[0] == 0


@pytest.mark.integration
def test_a_refusal_has_its_code_although_nobody_hears_it(tmp_path: Path):
    assert in_shell('"$@" >&- 2>&-', "show", str(tmp_path / "nothere"))[0] == 1


STOPPED = {signal.SIGINT: 130, signal.SIGTERM: 143}
WHILE_LOADING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Stop(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{number})

sys.meta_path.insert(0, Stop())
from blend.__main__ import main
sys.argv = ["blend", "locales"]
main()
"""


@pytest.mark.parametrize("module", ["blend.cli", "typer", "blend.cli.build", "blend.schemas.errors"])
@pytest.mark.parametrize("number", STOPPED)
def test_stopped_while_it_is_loaded_it_says_so(number: signal.Signals, module: str):
    program = WHILE_LOADING.format(module=module, number=number.name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (
        STOPPED[number],
        "",
        "interrupted; nothing was changed\n",
    )


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("number", STOPPED)
def test_a_build_that_is_stopped_says_so_and_leaves_nothing(number: signal.Signals, tmp_path: Path):
    command = [*BLEND, "build", "--out", str(tmp_path / "release")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / ".release.partial").exists():
        assert process.poll() is None
    process.send_signal(number)
    printed, errors = process.communicate()
    assert (process.returncode, printed) == (STOPPED[number], "")
    assert errors.splitlines()[-1] == "interrupted; nothing was changed"
    assert not [path for path in tmp_path.iterdir() if path.name != ".release.lock"]


@pytest.mark.nightly
@pytest.mark.parametrize("number", STOPPED)
def test_a_command_without_words_of_its_own_says_what_to_do(number: signal.Signals):
    # Sent from the first line of the command, which has no sentence for it.
    program = (
        "import os, signal, sys\nimport blend.cli.look\n"
        f"blend.cli.look.check_known = lambda *_: os.kill(os.getpid(), signal.{number.name})\n"
        "from blend.__main__ import main\nsys.argv = ['blend', 'schema', 'x']\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (STOPPED[number], "interrupted; run the same command again\n")


@pytest.mark.slow
def test_what_is_ignored_stays_ignored():
    program = "import sys\nfrom blend.__main__ import main\nsys.argv = ['blend', '--version']\nmain()\n"
    done = subprocess.run(
        ["sh", "-c", 'trap "" INT TERM; exec "$0" -c "$1"', sys.executable, program],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
