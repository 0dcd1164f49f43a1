"""Adding verdicts: one that is written is never lost, whatever stops or crowds the writing."""

import errno
import os
import signal
import subprocess
import sys
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from blend.loaders.responses.verdicts import GivenVerdict, add_verdicts, append_verdicts, read_verdicts
from blend.schemas.texts import clean
from helpers.messages import wrong

append = partial(append_verdicts, reader="chat:m1", when=date(2026, 1, 2))
add = partial(add_verdicts, native=False, when=date(2026, 1, 2))


def on_pair(a: str, b: str, verdict: str = "same_as", why: str = "") -> GivenVerdict:
    return GivenVerdict(clean(a), verdict, clean(why), "pairs.csv:2", other=clean(b))


def test_nobody_says_the_opposite_of_another_on_a_pair(tmp_path: Path):
    path = tmp_path / "verdicts.tsv"
    assert add(path, [on_pair("soccer", "football")], reader="r1").by_verdict == {"same_as": 1}
    assert add(path, [on_pair("Football", "soccer")], reader="r2").known == 1
    assert wrong(lambda: add(path, [on_pair("Football", "soccer", "differs_from")], reader="r2")) == (
        "pairs.csv:2, column verdict: 'Football' beside 'soccer' is 'differs_from' here, but 'same_as' in "
        "verdicts.tsv:2; correct one of the two"
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            errno.ENOSPC,
            "no space left on the disk; the file is as before; free some space and run the same again",
        ),
        (errno.EROFS, "cannot write here (Read-only file system); choose another `out`"),
    ],
)
def test_what_the_disk_says_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, message: str
):
    path = tmp_path / "verdicts.tsv"
    append(path, [on_pair("apple", "pear")])
    before = path.read_bytes()

    def fails(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails)
    assert wrong(lambda: append(path, [on_pair("soccer", "football")])) == f"{path}: {message}"
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["verdicts.tsv"]


ADDING = """
import sys
from datetime import date
from pathlib import Path
from blend.loaders.responses.verdicts import GivenVerdict, append_verdicts
name, path = sys.argv[1], Path(sys.argv[2])
for i in range(int(sys.argv[3])):
    rows = [GivenVerdict(f"{name}{i}{c}", "same_as", "", "", other="x" * 3000) for c in "abcd"]
    append_verdicts(path, rows, reader="chat:" + name, when=date(2026, 1, 1))
    print(i, flush=True)
"""


@pytest.mark.integration
def test_kill_9_in_the_middle_of_writing_loses_no_written_verdict(tmp_path: Path):
    path = tmp_path / "verdicts.tsv"
    for turn, wait_for in enumerate([1, 7, 20]):
        process = subprocess.Popen(
            [sys.executable, "-c", ADDING, f"run{turn}-", str(path), "100000"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for _ in range(wait_for):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        reported = wait_for + len(process.stdout.read().splitlines())
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
        append(path, [])
        rows = read_verdicts(path).filter(reader=f"chat:run{turn}-")["option"].to_list()
        assert rows == [f"run{turn}-{i}{c}" for i in range(len(rows)) for c in "abcd"][: len(rows)]
        assert len(rows) >= 4 * reported


@pytest.mark.nightly
@pytest.mark.integration
def test_processes_that_add_at_the_same_time_do_not_mix(tmp_path: Path):
    path = tmp_path / "verdicts.tsv"
    run = partial(subprocess.Popen, stdout=subprocess.DEVNULL)
    processes = [run([sys.executable, "-c", ADDING, name, str(path), "25"]) for name in ("p", "q", "r")]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert read_verdicts(path).height == 3 * 25 * 4
    assert path.read_text().count("template_id") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["verdicts.tsv"]
