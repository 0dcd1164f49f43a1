"""Commands that are killed, however they ask: of 32 kills none loses, doubles or spoils an answer.

``tests/eval/test_cluster.py`` kills those that ask on a cluster eight times more.
"""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.release_items import read_run
from helpers import killed_command
from helpers.models.batch_server import BatchServer

pytestmark = [pytest.mark.nightly, pytest.mark.integration]

TESTS = Path(__file__).parents[2]

KILLS: dict[str, tuple[int, ...]] = {
    "local": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    "server": (0, 1, 2, 3, 8, 9, 14, 15, 20, 21, 30, 31),
    "batch-out": (0, 1, 0, 1),
    "batch-in": (0, 1, 2, 5, 10, 17),
}
"""Moments at which a command is killed, one after the other: before, within or after what it writes."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with BatchServer().serving() as server:
        yield server


def test_there_are_as_many_kills_as_are_promised():
    assert sum(map(len, KILLS.values())) == 32


def ended(moments: Sequence[int], command: Sequence[object]) -> list[int]:
    """Exit codes of a command that is killed at some moments and then goes on."""
    done = subprocess.run(
        [sys.executable, killed_command.__file__, ",".join(map(str, moments)), *map(str, command)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    codes = done.stdout.rpartition("ended ")[2].split()
    assert codes[-1] == "0", done.stderr
    return [int(code) for code in codes]


@pytest.mark.parametrize("way", KILLS)
def test_killed_and_gone_on_with_is_the_run_that_was_not(
    way: str, sample_release: Path, server: BatchServer, tmp_path: Path
):
    made = {name: command(way, sample_release, server, tmp_path, name) for name in ("whole", "killed")}
    ended((), made["whole"])
    asked_before = server.live.total()
    assert ended(KILLS[way], made["killed"]) == [*[-signal.SIGKILL] * len(KILLS[way]), 0]
    whole, killed = (read_run(tmp_path / name).answers().sort("item_id") for name in made)
    # Numbers are those of other batches, which are equal but for the noise of their type.
    assert_frame_equal(killed, whole, check_exact=False, abs_tol=2e-4, rel_tol=0)
    if way == "batch-out":
        assert (tmp_path / "killed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
        return
    lines = [
        json.loads(line)
        for path in (tmp_path / "killed" / "answers").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert max(Counter(line["item_id"] for line in lines).values()) == 1
    # What was under way at a kill, two at a time, is asked again, and nothing else.
    assert server.live.total() - 2 * asked_before <= 2 * len(KILLS[way])


def command(way: str, release: Path, server: BatchServer, folder: Path, name: str) -> list[object]:
    run = ["eval", "run", release, "--out", folder / name]
    if way == "local":
        make_tiny_model(folder / "tiny") if not (folder / "tiny").exists() else None
        return [*run, "--model", folder / "tiny", "-M", "batch_size=4"]
    asked = [*run, "-T", "style=json", "--model", "tiny", "--max-tokens", "64"]
    if way == "server":
        return [*asked, "--server", server.url, "-M", "concurrency=2"]
    requests = folder / f"{name}.jsonl"
    if way == "batch-out":
        return [*asked, "--batch-out", requests]
    ended((), [*asked, "--batch-out", requests])
    requests.write_text("".join(server.results(requests.read_bytes())[0]), encoding="utf-8")
    server.live.clear()
    return [*asked, "--batch-in", requests]
