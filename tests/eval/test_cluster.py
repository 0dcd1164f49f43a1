"""Requests answered by datatrove, and killed: here, on a real Ray cluster of two nodes; Slurm's script."""

import importlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.release_items import read_run
from blend.schemas.errors import MissingExtraError
from helpers.messages import wrong
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer, prompt_of, saying

pytestmark = pytest.mark.integration

POISON = "holiday"
"""Word in prompts that the server refuses."""
CANNOT = "this cannot be answered"


def answer(prompt: str) -> str:
    return f"It is {len(prompt)} characters, and ends in {prompt[-12:]}."


class PoisonedServer(ModelServer):
    """Answers after a drawn while, and refuses some prompts."""

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        prompt = prompt_of(body)
        time.sleep(random.expovariate(10))
        if POISON in prompt:
            return Reply({"error": {"message": CANNOT, "type": "invalid_request_error"}}, 400)
        return saying(answer(prompt))

    def n_again(self) -> int:
        """How often a prompt was asked that had been before."""
        return len(self.asked) - len({*self.asked})


@pytest.fixture(scope="module", autouse=True)
def installed(missing: Callable[[str], None]) -> None:
    if find_spec("datatrove") is None or find_spec("aiofiles") is None:
        missing("datatrove")


@pytest.fixture
def server() -> Iterator[PoisonedServer]:
    with PoisonedServer().serving() as server:
        yield server


@pytest.fixture
def begun(sample_release: Path, tmp_path: Path) -> blend.Run:
    """A run of which nothing was asked."""
    how = {
        "decoding": blend.Decoding(max_tokens=16),
        "asking": blend.Asking(batch_out=tmp_path / "requests.jsonl"),
    }
    return blend.run_task(sample_release, "short-answer", blend.Server(name="m"), tmp_path / "run", **how)


def command(run: blend.Run, server: PoisonedServer, *options: str) -> list[str]:
    start = [sys.executable, "-m", "blend", "eval", "cluster", str(run.directory), "--server", server.url]
    return [*start, "--task-requests", "60", "--set", "max_concurrent_generations=8", *options]


@contextmanager
def under_way(asked: Sequence[str], server: PoisonedServer) -> Iterator[subprocess.Popen[str]]:
    """A process that has had many requests answered, or has ended; killed when the block ends."""
    driver = subprocess.Popen(
        asked, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    with driver:
        try:
            wait_for_requests(driver, server)
            yield driver
        finally:
            if driver.poll() is None:
                os.killpg(driver.pid, signal.SIGKILL)


def wait_for_requests(driver: subprocess.Popen[str], server: PoisonedServer) -> None:
    n_before = len(server.requests)
    while driver.poll() is None and len(server.requests) < n_before + 60:
        time.sleep(0.1)


def check_answered(directory: Path) -> int:
    """Check that every item has the answer to its own prompt, once; returns how many there are."""
    run = read_run(directory)
    rows = run.answers("item_id", "text", "error").join(run.items("item_id", "prompt"), on="item_id")
    assert sorted(rows["item_id"]) == sorted(run.items("item_id")["item_id"])
    assert rows["item_id"].is_unique().all()
    for _, text, error, prompt in rows.rows():
        assert error == CANNOT if POISON in prompt else text == answer(prompt)
    assert not (directory / "cluster").exists()
    return rows.height


@pytest.mark.parametrize(
    "kills", [pytest.param(1, marks=pytest.mark.landing), pytest.param(5, marks=pytest.mark.nightly)]
)
def test_killed_here_nothing_is_lost_or_stored_twice(begun: blend.Run, server: PoisonedServer, kills: int):
    asked = command(begun, server)
    for _ in range(kills):
        with under_way(asked, server):
            pass
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    n_items = check_answered(begun.directory)
    assert f"{n_items:,} items are answered" in done.stdout or "failed" in done.stderr
    # Only what was under way at a kill.
    assert server.n_again() <= 16 * kills
    assert read_run(begun.directory).description.model.served_as == "m"  # type: ignore[union-attr]


SCRIPT = """#!/bin/bash
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --nodes=1
#SBATCH --partition=gpu
#SBATCH --job-name=blend
#SBATCH --time=04:00:00
#SBATCH --output={out}/logs/slurm_logs/%A_%a.out
#SBATCH --error={out}/logs/slurm_logs/%A_%a.out
#SBATCH --array=0-2%2
#SBATCH --requeue
#SBATCH --qos=normal
#SBATCH --gpus=1
echo "Starting data processing job blend"
export PATH="{bin}:$PATH"
set -xe
export PYTHONUNBUFFERED=TRUE
srun  -l -n 1 launch_pickled_pipeline {out}/logs/executor.pik
"""


@pytest.mark.landing
def test_slurm_gets_a_script_and_is_waited_for(
    begun: blend.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from blend.eval.cluster import run_on_cluster

    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text('#!/bin/bash\necho "$@" >> "$0.calls"\necho Submitted batch job 7\n')
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", str(sbatch.parent), prepend=os.pathsep)
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret-key")
    settings = {"partition": "gpu", "time": "04:00:00", "gpus_per_task": 1, "workers": 2}
    n_items = begun.description.n_items
    ask = lambda: run_on_cluster(  # noqa: E731
        begun.directory,
        server="http://localhost:1/v1",
        executor="slurm",
        task_requests=-(-n_items // 3),
        settings=settings,
    )
    assert ask() is None
    folder = begun.directory / "cluster"
    script = (folder / "logs" / "launch_script.slurm").read_text()
    assert re.sub(r" +$", "", script, flags=re.MULTILINE) == SCRIPT.format(
        out=folder, bin=Path(sys.executable).parent
    )
    assert not any(b"a-secret-key" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    # Nothing is submitted twice.
    calls = sbatch.with_name("sbatch.calls").read_text()
    assert ask() is None
    assert sbatch.with_name("sbatch.calls").read_text() == calls


@pytest.mark.landing
def test_nothing_begins_without_what_saves_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "blend.eval.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "aiofiles", None)
    with pytest.raises(MissingExtraError):
        importlib.import_module("blend.eval.cluster")


@pytest.mark.landing
def test_what_cannot_be_is_refused(begun: blend.Run):
    from blend.eval.cluster import run_on_cluster

    how = {"server": "http://localhost:1/v1", "settings": {}, "executor": "slurm"}
    message = wrong(lambda: run_on_cluster(begun.directory, **how))
    assert message.startswith("`settings`: datatrove says SlurmPipelineExecutor.__init__() missing")


SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "40",
    # As on systems on which Ray does without other machines, all of its processes listen on 127.0.0.1 alone.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}

TRIES = 5
"""How often a node is started: Ray gives its agents 15 seconds, which a busy machine does not have for each."""


class LocalCluster:
    """A Ray cluster on this machine: a head without processors, and nodes that can be killed and replaced."""

    def __init__(self, n_nodes: int) -> None:
        os.environ.update(SETTINGS)
        # Without bytecode the agents of every node compile Ray anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster()
        self._started(num_cpus=0, include_dashboard=False)
        self.address: str = self._cluster.address
        self._nodes = [self._started(num_cpus=2) for _ in range(n_nodes)]

    def _started(self, **options: Any) -> Any:
        for _ in range(TRIES - 1):
            with suppress(Exception):
                return self._cluster.add_node(object_store_memory=80 * 2**20, **options)
        return self._cluster.add_node(object_store_memory=80 * 2**20, **options)

    def kill(self, number: int) -> None:
        """Kill a node with all of its workers, and start another one in its place."""
        self._cluster.remove_node(self._nodes[number], allow_graceful=False)
        self._nodes[number] = self._started(num_cpus=2)

    def stop(self) -> None:
        self._cluster.shutdown()


@pytest.fixture
def cluster(missing: Callable[[str], None]) -> Iterator[LocalCluster]:
    if find_spec("ray") is None:
        missing("Ray")
    cluster = LocalCluster(2)
    try:
        yield cluster
    finally:
        cluster.stop()


def worker_pids() -> list[int]:
    """Workers of datatrove's tasks on this machine, without the processes that these have begun.

    datatrove waits forever for such a process, should it alone be killed.
    """
    parents = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            if path.read_bytes().startswith(b"ray::RankWorker"):
                fields = (path.parent / "stat").read_text().rpartition(")")[2].split()
                parents[int(path.parent.name)] = int(fields[1])
    return [pid for pid, parent in parents.items() if parent not in parents]


@pytest.mark.nightly
def test_kills_of_workers_a_node_and_the_driver_lose_nothing_and_store_nothing_twice(
    begun: blend.Run, server: PoisonedServer, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    asked = command(begun, server, "--executor", "ray", "--set", "workers=4")
    with under_way(asked, server) as driver:
        os.kill(random.choice(worker_pids()), signal.SIGKILL)
        cluster.kill(0)
        wait_for_requests(driver, server)
    with under_way(asked, server) as driver:
        _, said = driver.communicate()
        assert driver.returncode == 0, said
    check_answered(begun.directory)
    # Four tasks of eight requests were under way at each kill at most.
    assert server.n_again() <= 3 * 4 * 8
