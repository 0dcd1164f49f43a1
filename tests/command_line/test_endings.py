"""How a process ends: with one sentence and its own code, whatever happens to it, its reader or its machine."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import blend.cli
from blend import __version__
from blend.cli import crash_report
from blend.schemas.errors import InputError
from helpers.tiers import rest_nightly

BLEND = str(Path(sys.executable).with_name("blend"))
STOPPED = {signal.SIGINT: 130, signal.SIGTERM: 143}


def meets(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(blend.cli, "_application", lambda _: (_ for _ in ()).throw(error).__next__())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            InputError("https://lead:s3cr:t@example.org/v1 of file:///a@b and org/name@v1: no answer"),
            "https://…@example.org/v1 of file:///a@b and org/name@v1: no answer",  # no password is ever told
        ),
        (
            OSError(36, "File name too long", "xxx"),
            "xxx: File name too long; correct the path, or make it accessible",
        ),
        (MemoryError(), "not enough memory; use a machine with more, or build fewer locales at a time"),
        *(
            (error, f"{where}no space left on the disk; free some space and run the same again")
            for error, where in (
                (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "plan.json"), "plan.json: "),
                (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), ""),
                (RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"), ""),
            )
        ),
    ],
)
def test_what_the_user_can_mend_is_told_in_a_sentence(
    ended: Callable, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
):
    meets(monkeypatch, error)
    assert ended("show") == (1, f"error: {sentence}\n")


def test_a_fault_of_ours_is_one_line_and_a_file(ended: Callable, monkeypatch, tmp_path: Path):
    meets(monkeypatch, KeyError("surprise"))
    code, told = ended("show", "release")
    (report,) = tmp_path.glob("blend-error-*.txt")
    fault = f"this is a fault of blend {__version__}, not of your input (KeyError); "
    assert (code, told) == (70, f"error: {fault}the details are in {report}; please report them\n")
    details = report.read_text(encoding="utf-8")
    assert "['blend', 'show', 'release']" in details
    assert "KeyError: 'surprise'" in details
    # Where no file can be written, and for whoever asks for the traceback.
    again = "run it again with BLEND_TRACEBACK=1 for the details, and please report them"
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
        assert crash_report(KeyError()) == (f"{fault}{again}", 70)
    monkeypatch.setenv("BLEND_TRACEBACK", "1")
    with pytest.raises(KeyError):
        blend.cli.main()


PROGRAM = """
import atexit, os, sys, tempfile
from blend.stopping import exit_immediately

class Remains:
    def __del__(self, write=os.write):
        write(1, b"taken apart\\n")

with exit_immediately():
    atexit.register(print, "exit function")
    folder = tempfile.TemporaryDirectory()
    atexit.register(lambda: print(os.path.exists(folder.name), end=" "))
    remains = Remains()
    print("working", end=" ")
    {end}
"""


@pytest.mark.parametrize(
    ("end", "code", "printed", "told"),
    [
        ("pass", 0, "", ""),
        ("sys.exit(3)", 3, "", ""),
        ("sys.exit('no')", 1, "taken apart\n", "no\n"),  # a text is printed by Python
        ("1 / 0", 1, "taken apart\n", "ZeroDivisionError: division by zero\n"),
    ],
)
def test_a_process_ends_at_once_after_its_exit_functions(end: str, code: int, printed: str, told: str):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(end=end)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, f"working True exit function\n{printed}")
    assert done.stderr.endswith(told)
    assert bool(done.stderr) == bool(told)


def shell(command: str, *words: object) -> tuple[int, str, str]:
    """Exit code, standard output and error of a shell's command, with ``"$@"`` for blend and its words."""
    done = subprocess.run(["sh", "-c", command, "sh", BLEND, *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("words", ["build --help", "show {}", "stats {} --json", "validate {} --skip loading"])
def test_a_command_ends_quietly_when_its_reader_has_left(sample_release: Path, tmp_path: Path, words: str):
    damaged = shutil.copytree(sample_release, tmp_path / "damaged")
    (damaged / "README.md").write_text("empty", encoding="utf-8")
    for release in (sample_release, damaged):
        reader, writer = os.pipe()
        os.close(reader)  # what ``head`` leaves, without its chance
        command = [BLEND, *words.format(release).split()]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "Broken" not in done.stderr


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_the_output_is_one_sentence():
    said = "no space left on the disk; free some space and run the same again"
    assert shell('"$@" > /dev/full', "locales") == (1, "", f"error: {said}\n")


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_build_whose_streams_are_closed_is_made(tmp_path: Path, closed: str):
    code, printed, errors = shell(f'"$@" {closed}', "build", "--out", tmp_path / "release")
    assert (code, "Traceback" in errors) == (0, False), errors
    assert printed == "" or ">&-" not in closed.split()
    assert shell('"$@"', "validate", tmp_path / "release", "--skip", "loading")[0] == 0
    # A refusal has its code although nobody hears it.
    assert shell(f'"$@" {closed}', "show", tmp_path / "nothere")[0] == 1


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


@pytest.mark.parametrize(
    ("number", "module"),
    rest_nightly(
        [(number, module) for number in STOPPED for module in ("blend.cli", "typer", "blend.schemas.errors")],
        *((number, "blend.cli") for number in STOPPED),
    ),
)
def test_stopped_while_it_is_loaded_it_says_so(number: signal.Signals, module: str):
    program = WHILE_LOADING.format(module=module, number=number.name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    told = "interrupted; nothing was changed\n"
    assert (done.returncode, done.stdout, done.stderr) == (STOPPED[number], "", told)


@pytest.mark.parametrize("number", rest_nightly(STOPPED, signal.SIGINT))
def test_a_command_without_words_of_its_own_says_what_to_do(number: signal.Signals):
    # Sent from the first line of the command, which has no sentence for it.
    program = (
        "import os, signal, sys\nimport blend.cli.registry\n"
        f"blend.cli.registry.check_known = lambda *_: os.kill(os.getpid(), signal.{number.name})\n"
        "from blend.__main__ import main\nsys.argv = ['blend', 'schema', 'x']\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (STOPPED[number], "interrupted; run the same command again\n")


@pytest.mark.slow
def test_what_is_ignored_stays_ignored():
    assert shell('trap "" INT TERM; exec "$@"', "--version")[::2] == (0, "")
