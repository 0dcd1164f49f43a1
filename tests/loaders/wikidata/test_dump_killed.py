"""Snapshots from a dump that are killed go on where they stopped; a larger one equals the endpoint's."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.scripts import script

RUN = """
import os, signal, sys
from pathlib import Path
from blend.loaders.wikidata import dump as dump_module
from blend.loaders.wikidata.dump import take_snapshots_from_dump
from blend.schemas.recipe import domains

left = int(sys.argv[1])

def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def before(call):
    return lambda *given, **named: (count(), call(*given, **named))[1]

dump_module.BLOCK_BYTES, dump_module.PART_BYTES = 1 << 16, 1 << 19
dump, out, moment = sys.argv[2:]
if moment == "sync":
    os.fsync = before(os.fsync)
elif moment == "unlink":
    os.unlink = before(os.unlink)
outs = {Path(out) / name / "s.nt.gz": domain for name, domain in domains().items()}
take_snapshots_from_dump(outs, dump, on_progress=lambda step, *_: count() if step == moment else None)
"""
"""A script that kills itself at the n-th of some moments: the first argument is how many of them pass."""

KILLS = [
    ("sync", 0),  # before there is a plan
    ("read statements", 5),
    ("sync", 0),  # with half a part on the disk
    ("read statements", 40),
    ("sync", 3),
    ("search for members", 2),
    ("search for countries", 1),
    ("read texts", 0),
    ("sync", 2),
    ("read texts", 30),
    ("sync", 6),
    ("write the snapshot", 1),  # one of two written
    ("write the snapshot", 1),  # and the other
    ("unlink", 4),  # before the plan is removed
    ("unlink", 7),  # while the parts are removed
]
"""What is done for the n-th time, from 0, when a run is killed; each run goes on from the one before."""


def run(dump: Path, out: Path, moment: str = "", number: int = 0) -> int:
    command = [sys.executable, "-c", RUN, str(number), str(dump), str(out), moment]
    return subprocess.run(command, check=False, env={**os.environ, "POLARS_MAX_THREADS": "1"}).returncode


def contents(out: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(out.rglob("*.nt.gz"))}


def parts(out: Path) -> dict[str, int]:
    """The parts that are there, with the number that the disk knows each by: another one if written again."""
    return {path.name: path.stat().st_ino for path in out.rglob("*.parquet")}


@pytest.mark.integration
@pytest.mark.parametrize(
    "kills",
    [
        pytest.param([("read statements", 40), ("sync", 3), ("read texts", 30)], id="few"),
        pytest.param(KILLS, id="many", marks=pytest.mark.nightly),
    ],
)
def test_killed_and_resumed(tmp_path: Path, kills: list[tuple[str, int]]):
    dump = tmp_path / "d.nt.gz"
    script("benchmarks/wikidata_dump.py").write_dump(dump, 60_000)
    assert run(dump, tmp_path / "whole") == 0
    out = tmp_path / "killed"
    kept: dict[str, int] = {}
    for moment, number in kills:
        assert run(dump, out, moment, number) == -signal.SIGKILL, (moment, number)
        now = parts(out)
        if moment != "unlink":
            assert kept.items() <= now.items(), "what was found is neither lost nor searched for again"
            kept = now
    assert len(kept) > 10
    # What was killed while the parts were removed had ended: the same again would replace the snapshots.
    has_ended = kills[-1][0] == "unlink"
    assert (run(dump, out) == 0) != has_ended
    assert contents(out) == contents(tmp_path / "whole")
    assert len(contents(out)) == 2
    # What is left has no plan, and is for a person to delete.
    assert has_ended or not [*out.rglob("*.partial")]
    assert not [*out.rglob("plan.json")]
