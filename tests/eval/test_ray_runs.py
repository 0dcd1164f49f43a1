"""Runs on a real Ray cluster of two nodes on this machine: asked once, killed, poisoned, by vLLM's stand-in."""

import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.runs.answer_files import read_answers
from helpers import ray_driver
from helpers.models.counting_server import Served, answer, counting
from helpers.ray_cluster import LocalCluster, ray_cluster, worker_pids

pytestmark = [pytest.mark.integration, pytest.mark.nightly]  # clusters start for half a minute

STAND_IN = Path(__file__).resolve().parents[1] / "helpers" / "models" / "vllm_stand_in"
ANSWER = ("item_id", "text", "thought", "tokens_in", "tokens_out", "finish_reason", "error")


@pytest.fixture(scope="module")
def cluster(missing: Callable[[str], None]) -> Iterator[LocalCluster]:
    if find_spec("ray") is None:
        missing("Ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(STAND_IN))  # for the workers
        with ray_cluster(2, num_gpus=1) as cluster:
            yield cluster


@pytest.fixture
def server() -> Iterator[Served]:
    with counting(0.02) as server:
        yield server


def command(release: Path, out: Path, *options: str) -> list[str]:
    start = [sys.executable, "-m", "blend", "eval", "run", str(release), "--task", "short-answer"]
    return [*start, "--max-tokens", "16", "--out", str(out), *options]


def run(*arguments: str | list[str], status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(*arguments, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


def n_shards(out: Path) -> int:
    return len(list((out / "answers").glob("part-items*.parquet")))


def started(command: list[str], out: Path, *, until: int) -> subprocess.Popen[str]:
    """A driver that has kept so many shards."""
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while n_shards(out) < until:
        assert driver.poll() is None, driver.stderr and driver.stderr.read()
        time.sleep(0.02)
    return driver


def test_killed_workers_node_and_driver_lose_nothing_and_store_nothing_twice(
    cluster: LocalCluster, server: Served, sample_release: Path, tmp_path: Path
):
    out, size = tmp_path / "run", 10
    asked = command(sample_release, out, "--model", "m", "--server", server.url)
    there = [*asked, "--ray", cluster.address, "--ray-items", str(size)]
    driver = started(there, out, until=3)
    driver.kill()
    driver.communicate()
    driver = started(there, out, until=n_shards(out) + 5)
    os.kill(random.choice(worker_pids()), signal.SIGKILL)
    cluster.kill(0)
    _, said = driver.communicate()
    assert driver.returncode == 0, said
    rows = pl.concat(pl.read_parquet(path) for path in (out / "answers").glob("part-*.parquet"))
    items = pl.read_parquet(out / "items.parquet")
    assert sorted(rows["item_id"]) == sorted(items["item_id"])
    texts = rows.join(items, on="item_id").select("text", "prompt").rows()
    assert all(text == answer(prompt) for text, prompt in texts)
    counts = server.counts()
    assert counts.n_prompts == items["prompt"].n_unique()
    # Four shards were under way when the driver died, one of a worker's, two of a node's.
    assert counts.n_asked - items.height <= 7 * size
    # Without a cluster it is the same run.
    assert "are answered" in run(asked).stdout
    assert server.counts().n_asked == counts.n_asked
    run([sys.executable, "-m", "blend", "eval", "score", str(out)])


def test_a_cluster_without_nodes_is_waited_for_and_no_core_is_kept_busy(
    server: Served, sample_release: Path, tmp_path: Path, missing: Callable[[str], None]
):
    if find_spec("ray") is None:
        missing("Ray")
    out = tmp_path / "run"
    asked = command(sample_release, out, "--model", "m", "--server", server.url)
    with ray_cluster(1) as cluster:
        driver = started([*asked, "--ray", cluster.address, "--ray-items", "10"], out, until=3)
        cluster.remove(0)
        # Once Ray has taken notice of what has died.
        assert any(share_of_a_core(driver.pid) < 0.1 for _ in range(12))
        assert driver.poll() is None
        n_kept = n_shards(out)
        cluster.add()
        _, said = driver.communicate()
    assert driver.returncode == 0, said
    assert n_shards(out) > n_kept
    assert server.counts().n_prompts == pl.read_parquet(out / "items.parquet")["prompt"].n_unique()


def share_of_a_core(pid: int) -> float:
    """Processor time of a process by the time in which it takes it, of some seconds."""

    def taken_s() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    before, began = taken_s(), time.monotonic()
    time.sleep(5)
    return (taken_s() - before) / (time.monotonic() - began)


def test_an_item_that_workers_die_of_is_an_error_and_all_others_are_answered(
    cluster: LocalCluster, sample_release: Path, tmp_path: Path
):
    items = tmp_path / "run" / "items.parquet"
    script = [sys.executable, ray_driver.__file__, str(sample_release), str(tmp_path / "run"), cluster.address]
    run([*script, "no such word"])
    prompts = pl.read_parquet(items)["prompt"]
    poison = next(prompt for prompt in prompts if prompts.str.contains(prompt, literal=True).sum() == 1)
    script[3] = str(tmp_path / "poisoned")
    n_items = len(prompts)
    # Before it Ray tells of workers that died.
    assert run([*script, poison]).stdout.splitlines()[-1] == f"{n_items} 1 3 workers in turn died of it"


def test_vllm_answers_as_it_does_without_a_cluster(
    cluster: LocalCluster, mini_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PYTHONPATH", str(STAND_IN))
    model = tmp_path / "tiny"
    make_tiny_model(model)
    asked = {
        name: command(mini_release, tmp_path / name, "--model", str(model), "--backend", "vllm", "--limit", "1")
        for name in ("here", "there")
    }
    run(asked["here"])
    run([*asked["there"], "--ray", cluster.address, "--ray-items", "7"])
    answers = [read_answers(tmp_path / name / "answers").select(ANSWER).sort("item_id") for name in asked]
    assert_frame_equal(*answers)
    assert (tmp_path / "here" / "run.json").read_text() == (tmp_path / "there" / "run.json").read_text()
    assert n_shards(tmp_path / "there") > 1
    # What one way has begun the other goes on with.
    assert "are answered" in run(asked["there"]).stdout


# Without what keeps a shard in this process; workers have a module of their own.
DRIVER_OF_VLLM = """
import sys
import blend
from blend.eval import ray_vllm

ray_vllm._kept = None
release, model, out, address = sys.argv[1:]
how = {"backend": "vllm", "max_tokens": 16, "limit": 2, "ray": address, "ray_items": 7}
run = blend.run_task(release, "short-answer", model=model, out=out, **how)
print(run.outcome.n_missing)
"""


def test_workers_keep_the_shards_of_vllm_and_no_text_comes_to_the_driver(
    cluster: LocalCluster, mini_release: Path, tmp_path: Path
):
    make_tiny_model(tmp_path / "tiny")
    places = [str(mini_release), str(tmp_path / "tiny"), str(tmp_path / "run"), cluster.address]
    done = run([sys.executable, "-c", DRIVER_OF_VLLM, *places])
    assert done.stdout.splitlines()[-1] == "0"
    assert n_shards(tmp_path / "run") > 1


# A worker that sees another folder has no sign of the driver's there; this one removes it when it starts.
DRIVER_OF_ANOTHER_FOLDER = """
import sys
from pathlib import Path
import blend

class Elsewhere:
    def __init__(self, folder):
        self.folder = folder

    def __setstate__(self, state):
        self.__dict__.update(state)
        for sign in Path(self.folder).glob("answers/.part-items*.tmp"):
            sign.unlink(missing_ok=True)

    def generate(self, prompts):
        return ["yes" for _ in prompts]

release, out, address = sys.argv[1:]
try:
    blend.run_task(release, "short-answer", model=Elsewhere(out), out=out, limit=2, ray=address)
except blend.BlendError as error:
    print(error)
"""


def test_a_worker_that_sees_another_folder_ends_the_run_before_it_is_asked(
    cluster: LocalCluster, mini_release: Path, tmp_path: Path
):
    out = tmp_path / "run"
    done = run([sys.executable, "-c", DRIVER_OF_ANOTHER_FOLDER, str(mini_release), str(out), cluster.address])
    assert done.stdout.splitlines()[-1] == (
        f"{out / 'answers'}: {platform.node()} has another folder there than the driver; give one that every "
        "node sees under the same path"
    )
    assert n_shards(out) == 0


# A worker takes a second to start and to answer, and from the second shard on nobody answers.
DRIVER_THAT_WAITS = """
import sys, time
import blend
from blend.eval import ray_workers
from blend.eval.runs import asked_shards

ray_workers._LONG_S = asked_shards.STATUS_EVERY_S = 0

class Failing:
    def __init__(self):
        self.n = 0

    def __setstate__(self, state):
        self.__dict__.update(state)
        time.sleep(3)

    def generate(self, prompts):
        time.sleep(3)
        self.n += 1
        if self.n > 1:
            raise blend.BlendError("no server is to be seen from here")
        return ["yes" for _ in prompts]

release, out, address = sys.argv[1:]
how = {"model": Failing(), "ray": address, "ray_items": 5, "on_status": print}
try:
    blend.run_task(release, "short-answer", out=out, limit=10, **how)
except blend.BlendError as error:
    print(error)
"""


def test_who_is_waited_for_is_told_while_nothing_comes_and_a_problem_names_its_node(
    cluster: LocalCluster, mini_release: Path, tmp_path: Path
):
    out = tmp_path / "run"
    done = run([sys.executable, "-c", DRIVER_THAT_WAITS, str(mini_release), str(out), cluster.address])
    *heard, problem = done.stdout.splitlines()
    here = platform.node()
    assert problem == f"node {here}: no server is to be seen from here"
    said, span = "\n".join(heard), r"\d:\d\d:\d\d"
    assert re.search(rf"0 of .*; workers that have not started for {span}: 4, none on {here}, {here};", said)
    assert re.search(rf"; shards under way: \d, the longest for {span} on {here}(;|$)", said, re.MULTILINE)


def test_there_is_no_cluster(mini_release: Path, tmp_path: Path, missing: Callable[[str], None]):
    if find_spec("ray") is None:
        missing("Ray")
    asked = command(mini_release, tmp_path / "run", "--model", "m", "--server", "http://127.0.0.1:1/v1")
    said = " ".join(run([*asked, "--ray", "127.0.0.1:1"], status=1).stderr.split())
    assert said == (
        "error: --ray 127.0.0.1:1: no cluster can be reached there ([Errno 111] Connection refused); start one "
        "with `ray start`, and join it from further machines, or leave --ray out"
    )
    assert not (tmp_path / "run").exists()
