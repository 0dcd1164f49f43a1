"""The last resort: one sentence, the version, and a file with the details; never a bare traceback."""

import errno
import os
import sys
from pathlib import Path

import pytest

import blend.cli
from blend.cli import crash_report
from blend.schemas.errors import InputError
from blend.version import __version__


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("BLEND_TRACEBACK", raising=False)
    return tmp_path


def ended(monkeypatch: pytest.MonkeyPatch, error: Exception) -> int:
    """The exit code of the command when it meets an error that no code foresaw."""

    def app() -> None:
        raise error

    monkeypatch.setattr(blend.cli, "app", app)
    monkeypatch.setattr(sys, "argv", ["blend", "show", "release"])
    with pytest.raises(SystemExit) as stopped:
        blend.cli.main()
    return int(str(stopped.value.code))


def test_a_fault_of_ours_is_one_line_and_a_file(monkeypatch, capsys, scratch: Path):
    assert ended(monkeypatch, KeyError("surprise")) == 70
    (report,) = scratch.glob("blend-error-*.txt")
    assert capsys.readouterr().err == (
        f"error: this is a fault of blend {__version__}, not of your input (KeyError); "
        f"the details are in {report}; please report them\n"
    )
    details = report.read_text(encoding="utf-8")
    assert "['blend', 'show', 'release']" in details
    assert "KeyError: 'surprise'" in details


def test_a_password_in_an_address_is_never_told(monkeypatch, capsys):
    said = "https://lead:s3cr:t@example.org/v1 of file:///a@b and org/name@v1: no answer"
    assert ended(monkeypatch, InputError(said)) == 1
    told = "error: https://…@example.org/v1 of file:///a@b and org/name@v1: no answer\n"
    assert capsys.readouterr().err == told


def test_a_file_that_the_system_refuses_is_named(monkeypatch, capsys):
    assert ended(monkeypatch, OSError(36, "File name too long", "xxx")) == 1
    expected = "error: xxx: File name too long; correct the path, or make it accessible\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("error", "where"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "plan.json"), "plan.json: "),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), ""),
        (RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"), ""),
    ],
)
def test_a_full_disk_is_never_a_fault_of_ours(error: Exception, where: str):
    assert crash_report(error) == (
        f"{where}no space left on the disk; free some space and run the same again",
        1,
    )


def test_too_little_memory_says_what_helps():
    words = "not enough memory; use a machine with more, or build fewer locales at a time"
    assert crash_report(MemoryError()) == (words, 1)


def test_where_no_file_can_be_written_the_way_to_the_details_is_named(monkeypatch, tmp_path: Path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    words, code = crash_report(ValueError("x"))
    assert code == 70
    assert words == (
        f"this is a fault of blend {__version__}, not of your input (ValueError); "
        "run it again with BLEND_TRACEBACK=1 for the details, and please report them"
    )


def test_whoever_asks_for_the_traceback_gets_it(monkeypatch):
    monkeypatch.setenv("BLEND_TRACEBACK", "1")
    monkeypatch.setattr(blend.cli, "app", lambda: (_ for _ in ()).throw(KeyError("surprise")))
    with pytest.raises(KeyError):
        blend.cli.main()
