"""Adding decisions: a verdict once written is never lost, whatever stops or crowds the writing."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.responses.decisions import Decision, append_decisions, pair_key, read_decisions
from blend.schemas.errors import BlendError, RowError
from helpers.examples import examples
from helpers.questions.decision_files import HEADER, PEAR, SOCCER, decision, file_of


def test_a_line_cut_off_while_written_is_left_out_and_noted(tmp_path: Path):
    diagnostics = Diagnostics()
    content = HEADER + SOCCER + "apple\tpear\tdiff"
    assert len(read_decisions(file_of(tmp_path, content), diagnostics)) == 1
    assert diagnostics.findings == [
        (
            "cut-off-line",
            "decisions.tsv:3",
            None,
            None,
            (
                "the last line, 'apple\\tpear\\tdiff', was cut off while it was written; left out, "
                "and replaced when verdicts are added"
            ),
        )
    ]


def test_a_header_that_is_another_is_no_line_that_was_cut_off(tmp_path: Path):
    with pytest.raises(RowError, match="column 'answer_a' is missing"):
        read_decisions(file_of(tmp_path, "food\tdrink"), Diagnostics())


@pytest.mark.nightly
@pytest.mark.slow
def test_wherever_a_line_is_cut_off_the_others_stay_and_the_next_verdict_fits(tmp_path: Path):
    row = 'naïve "Ñandú"\tኢትዮጵያ ቡና\tsame\tchat:m1\t2026-11-30\tthey say, "the same"\n'
    path = file_of(tmp_path, HEADER)
    append_decisions(path, [decision('naïve "Ñandú"', "ኢትዮጵያ ቡና", why='they say, "the same"')])
    written = path.read_bytes()
    assert written.count(b"\n") == row.count("\n") + 1
    for end in range(len(HEADER) + 1, len(written)):
        path.write_bytes(written[:end])
        whole = len(read_decisions(path))
        assert whole in (0, 1)
        append_decisions(path, [decision("apple", "pear", "different")])
        assert [row.answer_b for row in read_decisions(path)] == ["ኢትዮጵያ ቡና"] * whole + ["pear"]


def test_a_file_is_made_with_its_first_decisions(tmp_path: Path):
    path = tmp_path / "new" / "decisions.tsv"
    append_decisions(path, [])
    assert not path.parent.exists()
    append_decisions(path, [decision("soccer", "football", why="one sport")])
    assert path.read_text() == HEADER + SOCCER
    assert [entry.name for entry in path.parent.iterdir()] == ["decisions.tsv"]


@pytest.mark.parametrize("before", ["", HEADER, HEADER.rstrip("\n"), HEADER + PEAR, HEADER + PEAR.rstrip("\n")])
def test_rows_are_added_at_the_end(tmp_path: Path, before: str):
    path = file_of(tmp_path, before)
    append_decisions(path, [decision("soccer", "football", why="one sport")])
    expected = before or HEADER
    assert path.read_text() == expected + ("" if expected.endswith("\n") else "\n") + SOCCER


def test_rows_follow_the_columns_of_the_file(tmp_path: Path):
    path = file_of(tmp_path, "\ufeffwhy\twhen\twho\tverdict\tanswer_b\tanswer_a\n")
    append_decisions(path, [decision("soccer", "football", why="one sport")])
    assert path.read_text().splitlines()[1] == "one sport\t2026-11-30\tmina\tsame\tfootball\tsoccer"


def test_nothing_is_added_to_another_kind_of_file(tmp_path: Path):
    path = file_of(tmp_path, "name\tage\nmina\t30")
    with pytest.raises(RowError) as caught:
        append_decisions(path, [decision("soccer", "football")])
    assert str(caught.value) == (
        "decisions.tsv:1: column 'answer_a' is missing; "
        "the columns are answer_a, answer_b, verdict, who, when, why"
    )
    assert path.read_text() == "name\tage\nmina\t30"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            errno.ENOSPC,
            "no space left on the disk; the file is as before; free some space and run the same again",
        ),
        (
            errno.EROFS,
            (
                "cannot write here (Read-only file system); "
                "change the permissions, or name another file of decisions"
            ),
        ),
    ],
)
def test_what_the_disk_says_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, message: str
):
    path = file_of(tmp_path, HEADER + PEAR)

    def fails(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(BlendError) as caught:
        append_decisions(path, [decision("soccer", "football")])
    assert str(caught.value) == f"{path}: {message}"
    assert path.read_text() == HEADER + PEAR
    assert [entry.name for entry in tmp_path.iterdir()] == ["decisions.tsv"]


ANSWERS = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: text.strip() != "")
ROWS = st.builds(
    decision, ANSWERS, ANSWERS, st.sampled_from(["same", "different"]), st.text(st.characters(codec="utf-8"))
).filter(lambda row: len(set(pair_key(row.answer_a, row.answer_b))) == 2)


@pytest.mark.slow
@given(rows=st.lists(ROWS, unique_by=lambda row: pair_key(row.answer_a, row.answer_b)), n=st.integers(1, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50), deadline=None)
def test_what_is_written_is_read_again(tmp_path: Path, rows: list[Decision], n: int):
    path = tmp_path / "decisions.tsv"
    path.unlink(missing_ok=True)
    for start in range(0, len(rows), n):
        append_decisions(path, rows[start : start + n])
    again = read_decisions(path, missing_ok=True)
    assert [row.verdict for row in again] == [row.verdict for row in rows]
    assert [pair_key(row.answer_a, row.answer_b) for row in again] == [
        pair_key(row.answer_a, row.answer_b) for row in rows
    ]


@given(a=ANSWERS, b=ANSWERS)
def test_a_pair_has_no_order_and_no_case(a: str, b: str):
    assert pair_key(a, b) == pair_key(b, a)
    assert pair_key(*pair_key(a, b)) == pair_key(a, b)


def test_what_a_pair_is_compared_by():
    assert pair_key("New  Year ", "tết") == pair_key("TẾT", "new year")
    assert pair_key("cafe\u0301", "tea") == pair_key("café", "tea")
    assert pair_key("café", "tea") != pair_key("cafe", "tea")
    assert pair_key("ice-cream", "tea") != pair_key("ice cream", "tea")


ADDING = """
import sys
from datetime import date
from pathlib import Path
from blend.loaders.responses.decisions import Decision, append_decisions
name, path = sys.argv[1], Path(sys.argv[2])
for i in range(int(sys.argv[3])):
    rows = [
        Decision(answer_a=f"{name}{i}{c}", answer_b="x" * 3000, verdict="same", who=name, when=date(2026, 1, 1))
        for c in "abcd"
    ]
    append_decisions(path, rows)
    print(i, flush=True)
"""


@pytest.mark.integration
def test_kill_9_in_the_middle_of_writing_loses_no_written_verdict(tmp_path: Path):
    path = tmp_path / "decisions.tsv"
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
        rows = [row.answer_a for row in read_decisions(path) if row.who == f"run{turn}-"]
        assert rows == [f"run{turn}-{i}{c}" for i in range(len(rows)) for c in "abcd"][: len(rows)]
        assert len(rows) >= 4 * reported


@pytest.mark.nightly
@pytest.mark.integration
def test_processes_that_add_at_the_same_time_do_not_mix(tmp_path: Path):
    path = tmp_path / "decisions.tsv"
    run = partial(subprocess.Popen, stdout=subprocess.DEVNULL)
    processes = [run([sys.executable, "-c", ADDING, name, str(path), "25"]) for name in ("p", "q", "r")]
    assert [process.wait() for process in processes] == [0, 0, 0]
    rows = read_decisions(path)
    assert len(rows) == 3 * 25 * 4
    assert path.read_text().count(HEADER) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["decisions.tsv"]


FULL = """
import sys
from datetime import date
from pathlib import Path
from blend.loaders.responses.decisions import Decision, append_decisions, read_decisions
from blend.schemas.errors import StorageError
path, kept = Path(sys.argv[1]), 0
try:
    for i in range(1000):
        row = Decision(answer_a=f"a{i}", answer_b="x" * 3000, verdict="same", who="p", when=date(2026, 1, 1))
        append_decisions(path, [row])
        kept += 1
except StorageError as error:
    print(error)
print(kept > 10 and len(read_decisions(path)) == kept and path.read_bytes().endswith(b"\\n"))
"""


@pytest.mark.nightly
@pytest.mark.integration
def test_a_full_disk_of_its_own(tmp_path: Path):
    if shutil.which("unshare") is None:
        pytest.fail("needs unshare (Debian package util-linux) to mount a small disk")
    script = 'mount -t tmpfs -o size=200k tmpfs "$1" && "$2" -c "$3" "$1/decisions.tsv"'
    run = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", str(tmp_path), sys.executable, FULL],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == (
        f"{tmp_path}/decisions.tsv: no space left on the disk; the file is as before; "
        "free some space and run the same again\nTrue\n"
    )
