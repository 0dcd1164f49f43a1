"""Snapshots that are killed or interrupted go on where they stopped, and end as the others do."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = """
import sys
from pathlib import Path
from blend.loaders.wikidata.sparql import RequestPolicy
from blend.loaders.wikidata.snapshot import take_snapshot
from blend.schemas.recipe import domains
take_snapshot(
    Path(sys.argv[2]), domains()["dish"], endpoint=sys.argv[1], batch_size=250,
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
def test_interrupted_and_resumed(endpoints: Any, food_triples: bytes, tmp_path: Path):
    out = tmp_path / "food.nt.gz"
    with endpoints.serve(food_triples) as endpoint:
        waiting: list[subprocess.Popen[bytes]] = []

        def interrupt(handler: Any, body: bytes) -> None:
            # There is no answer while the client lives: after one it could ask again before it is interrupted.
            waiting[0].send_signal(signal.SIGINT)
            waiting[0].wait()
            handler.close_connection = True

        endpoint.faults[10] = interrupt
        waiting.append(start(endpoint, out, 1))
        assert waiting[0].wait() != 0
        n_asked = len(endpoint.log)
        assert start(endpoint, out, 2).wait() == 0
        assert len(endpoint.answered()) == len(set(endpoint.answered()))
        assert n_asked == 11
