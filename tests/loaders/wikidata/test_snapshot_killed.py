"""Snapshots that are killed or interrupted go on where they stopped, and end as the others do."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.triples import build_triples
from blend.loaders.wikidata.facts import read_facts
from blend.schemas.recipe import domains
from helpers.models.http_server import DROP
from helpers.wikidata.wikidata_endpoint import Fault, serve

DISH = domains()["dish"]


def killing(pid: Callable[[], int]) -> Fault:
    """Kill the process that asked, before it gets its answer."""

    def kill(_: bytes) -> str:
        os.kill(pid(), signal.SIGKILL)
        return DROP

    return kill


RUN = """
import sys
from pathlib import Path
from blend.loaders.wikidata.sparql import RequestPolicy
from blend.loaders.wikidata.snapshot import take_snapshots
from blend.schemas.recipe import domains
take_snapshots(
    {Path(sys.argv[2]): domains()["dish"]}, endpoint=sys.argv[1], batch_size=250,
    policy=RequestPolicy("tests", pause_s=0, first_wait_s=0.01),
)
"""


def start(endpoint: Any, out: Path, seed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, endpoint.url, str(out)],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.integration
@pytest.mark.nightly  # eleven processes
def test_killed_ten_times_and_resumed(food_triples: bytes, food_snapshot: Path, tmp_path: Path):
    with serve(food_triples) as endpoint:
        whole = tmp_path / "whole" / "food.nt.gz"
        assert start(endpoint, whole, 0).wait() == 0
        questions = endpoint.answered()
        endpoint.renew()
        out = tmp_path / "killed" / "food.nt.gz"
        kills = [0, 1, 3, 4, 9, 12, 18, 21, 25, 30]
        for run, number in enumerate(kills):
            # Each run is killed one request after another number of further answers.
            killed: list[subprocess.Popen[bytes]] = []
            endpoint.faults[number + run] = killing(lambda waiting=killed: waiting[0].pid)
            killed.append(start(endpoint, out, run))
            assert killed[0].wait() == -signal.SIGKILL
            assert not out.exists()
        assert start(endpoint, out, 99).wait() == 0
        assert out.read_bytes() == whole.read_bytes()
        assert endpoint.answered() == questions, "every question answered once, in the same order"
        assert len(endpoint.log) == len(questions) + len(kills), "and only the killed ones asked twice"
        assert endpoint.most_active == 1
    accounts = [json.loads(path.with_name("snapshot.json").read_text()) for path in (whole, out)]
    for account in accounts:
        del account["started"], account["finished"]
    assert accounts[0] == accounts[1]
    # A snapshot of the reference's facts gives the rows that the reference gives.
    builds = [build_triples(read_facts(path, DISH), DISH) for path in (out, food_snapshot)]
    rows = [pl.concat(build.batches()) for build in builds]
    assert len(rows[0]) == len(rows[1]) > 2000
    assert_frame_equal(*rows)
    assert_frame_equal(builds[0].dropped, builds[1].dropped)


@pytest.mark.integration
def test_interrupted_and_resumed(food_triples: bytes, tmp_path: Path):
    out = tmp_path / "food.nt.gz"
    with serve(food_triples) as endpoint:
        waiting: list[subprocess.Popen[bytes]] = []

        def interrupt(_: bytes) -> str:
            # There is no answer while the client lives: after one it could ask again before it is interrupted.
            waiting[0].send_signal(signal.SIGINT)
            waiting[0].wait()
            return DROP

        endpoint.faults[10] = interrupt
        waiting.append(start(endpoint, out, 1))
        assert waiting[0].wait() != 0
        n_asked = len(endpoint.log)
        assert start(endpoint, out, 2).wait() == 0
        assert len(endpoint.answered()) == len(set(endpoint.answered()))
        assert n_asked == 11
