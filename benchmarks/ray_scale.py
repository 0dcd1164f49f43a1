"""Runs on a Ray cluster of this machine: what kills cost, what nodes bring, what memory the driver takes.

The nodes are processes of this machine (`ray.cluster_utils.Cluster`), and the engine is a stand-in with the
interface of a caller's model. For kills it sends prompts to a server, a process of its own, which answers after
a drawn delay and counts what it was asked; for efficiency its time is sleep, so that two cores stand for many
nodes.

    python benchmarks/ray_scale.py kills --items 1000000 --moments 20
    python benchmarks/ray_scale.py efficiency --nodes 1 2 4 8
    python benchmarks/ray_scale.py memory --items 10000 100000 1000000
    python benchmarks/ray_scale.py all --small

What a shard takes and how much memory scoring needs, without a cluster, is in `shard_scale.py`.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import polars as pl

import blend
from blend.eval.models.protocols import Generation, ModelDescription
from blend.eval.runs.answer_files import answer_tables
from helpers.models.counting_server import Served, counting
from helpers.ray_cluster import LocalCluster, ray_cluster, worker_pids

SAMPLES = 5
NATIONALITIES = 193
TASK = "cultural-prompts"


@dataclass
class StandIn:
    """An engine with the interface of a model of ours, whose texts come from a server or out of sleep."""

    root: str | None
    """Address of the server; none where its time is sleep."""
    delay_s: float
    """Seconds of a request, on average."""
    at_a_time: int
    """Prompts of a request."""

    def describe(self) -> ModelDescription:
        """See `protocols.Described.describe`."""
        return ModelDescription(backend="python", id="stand-in", chat=False, delimiter="")

    def generate(self, prompts: Sequence[str], *, samples: Sequence[int], keep: Any) -> list[Generation]:
        """See `protocols.Generator.generate`."""
        draw = random.Random(prompts[0])
        for start in range(0, len(prompts), self.at_a_time):
            rows = range(start, min(start + self.at_a_time, len(prompts)))
            asked = [f"{prompts[row]} #{samples[row]}" for row in rows]
            if self.root is None:
                time.sleep(draw.uniform(0.5, 1.5) * self.delay_s)
                texts = [f"It is {len(prompt)} characters." for prompt in asked]
            else:
                body = json.dumps({"model": "stand-in", "prompt": asked}).encode()
                with urllib.request.urlopen(f"{self.root}/v1/completions", data=body) as reply:
                    texts = [choice["text"] for choice in json.load(reply)["choices"]]
            keep(list(rows), [Generation(text, 10, 5, "stop") for text in texts])
        return []


def release_of(n_items: int, folder: Path) -> Path:
    """A release of cultural prompts with so many items, or a few more."""
    n_topics = -(-n_items // (SAMPLES * NATIONALITIES))
    kind = folder / "topics" / "qa"
    kind.mkdir(parents=True)
    (kind / "topics.tsv").write_text("".join(f"topics\ttopic {n}\n" for n in range(n_topics)))
    (kind / "templates.tsv").write_text("_\t_\tExplain {topic} to {article} {nationality} person.\n")
    recipe = blend.Recipe(
        name="scale",
        version="1.0.0",
        license="mit",
        sources=({"kind": "topics", "location": str(folder / "topics")},),
        cultural={},
    )
    blend.build_release(recipe, folder / "release")
    return folder / "release"


def drive(release: str, out: str, address: str, model: StandIn, size: int) -> None:
    """Run, as the driver."""
    blend.run_task(
        release, TASK, model=model, out=out, samples=SAMPLES, temperature=0.7, ray=address, ray_items=size
    )


class Watched:
    """A process of its own, and the memory that it takes."""

    def __init__(self, *command: object) -> None:
        self.process = subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.DEVNULL)
        self.rss: list[tuple[float, float]] = []

    def watch(self) -> bool:
        """Note the memory; returns whether it still runs."""
        if self.process.poll() is not None:
            return False
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
        if found:
            self.rss.append((time.monotonic(), int(found[0]) / 1024))
        return True


def started(release: Path, out: Path, address: str, model: StandIn, size: int) -> Watched:
    """A driver."""
    arguments = (release, out, address, model.root or "", model.delay_s, model.at_a_time, size)
    return Watched(__file__, "drive", *arguments)


def n_shards(out: Path) -> int:
    """Shards that are kept."""
    return sum(1 for _ in (out / "answers").glob("part-items*.parquet")) if out.exists() else 0


def of_nodes(cluster: LocalCluster, n: int) -> LocalCluster:
    """The cluster with so many nodes: further ones are started, or the last ones killed."""
    while len(cluster.nodes) > n:
        cluster.remove(-1)
        cluster.nodes.pop()
    while len(cluster.nodes) < n:
        cluster.nodes.append(cluster.add())
    return cluster


def kills(
    cluster: LocalCluster, n_items: int, moments: int, delay_s: float, *, size: int = 1000, n_nodes: int = 4
) -> None:
    """Kill workers, nodes and the driver at moments of a run, and count what was asked and kept."""
    kinds = [("worker", "worker", "node", "worker", "driver")[n % 5] for n in range(moments)]
    of_nodes(cluster, n_nodes)
    with workplace() as folder, counting(delay_s) as server:
        release, out = release_of(n_items, folder), folder / "run"
        model = StandIn(server.root, delay_s, at_a_time=max(1, size // 4))
        n_shards_all = -(-pl.read_parquet(release / "data" / TASK / "*.parquet").height * SAMPLES // size)
        in_flight = 0
        began = time.monotonic()
        driver = started(release, out, cluster.address, model, size)
        for moment, kind in enumerate(kinds):
            wait_for(driver, out, round(n_shards_all * (moment + 0.5) / moments))
            in_flight += killed(kind, cluster, driver, moment)
            if kind == "driver":
                driver = started(release, out, cluster.address, model, size)
        while driver.watch():
            time.sleep(0.1)
        assert driver.process.returncode == 0
        seconds = time.monotonic() - began
        report_kills(out, server, Counter(kinds), in_flight * size, seconds)


def wait_for(driver: Watched, out: Path, n: int) -> None:
    """Wait until so many shards are kept."""
    while n_shards(out) < n:
        assert driver.watch(), "the driver has ended"
        time.sleep(0.05)


def killed(kind: str, cluster: LocalCluster, driver: Watched, moment: int) -> int:
    """Kill one; returns how many shards may have been under way there."""
    if kind == "worker":
        os.kill(random.Random(moment).choice(worker_pids()), signal.SIGKILL)
        return 1
    if kind == "node":
        cluster.kill(moment % len(cluster.nodes))
        return 2
    n_under_way = 2 * len(cluster.nodes)
    driver.process.kill()
    driver.process.wait()
    return n_under_way


def report_kills(out: Path, server: Served, kinds: Counter[str], most_again: int, seconds: float) -> None:
    """Print what was asked and kept."""
    ids: Counter[int] = Counter()
    n_rows = n_failed = 0
    for table in answer_tables(out / "answers"):
        rows = table.read(["item_id", "error"])
        n_rows += rows.height
        n_failed += rows["error"].drop_nulls().len()
        ids.update(rows["item_id"].hash().to_list())
    counts = server.counts()
    n_again = counts.n_asked - counts.n_prompts
    items = json.loads((out / "run.json").read_text())["n_items"]
    print(
        "| items | killed | seconds | lost | failed | stored twice | asked again | may be asked again |\n"
        "|--:|---|--:|--:|--:|--:|--:|--:|\n"
        f"| {items:,} | {', '.join(f'{n} {kind}' for kind, n in kinds.items())} | {seconds:.0f} "
        f"| {items - len(ids):,} | {n_failed:,} | {n_rows - len(ids):,} | {n_again:,} | {most_again:,} |",
        flush=True,
    )
    assert len(ids) == n_rows == items == counts.n_prompts
    assert n_failed == 0
    assert n_again <= most_again


def efficiency(cluster: LocalCluster, nodes: Sequence[int], rounds: int, delay_s: float) -> None:
    """Print shards a second with so many nodes, each with as much to do, beside those of the first number."""
    print("| nodes | workers | shards | seconds, with the start | shards/s | efficiency |")
    print("|--:|--:|--:|--:|--:|--:|")
    first = 0.0
    for n in nodes:
        of_nodes(cluster, n)
        with workplace() as folder:
            size, n_workers = 50, 2 * n
            release = release_of(size * n_workers * rounds, folder)
            model = StandIn(None, delay_s, at_a_time=size)
            began = time.monotonic()
            driver = started(release, folder / "run", cluster.address, model, size)
            while driver.watch():
                time.sleep(0.1)
            assert driver.process.returncode == 0
            seconds = time.monotonic() - began
            rate = steady_rate(folder / "run", n_workers)
            first = first or rate / n
            print(
                f"| {n} | {n_workers} | {n_shards(folder / 'run')} | {seconds:.0f} | {rate:.2f} "
                f"| {rate / n / first:.2f} |",
                flush=True,
            )


def steady_rate(out: Path, n_workers: int) -> float:
    """Shards a second while all workers were asked: after the last one began, until the first found no more."""
    kept = sorted(path.stat().st_mtime for path in (out / "answers").glob("part-items*.parquet"))
    first, last = 3 * n_workers, len(kept) - n_workers
    if last <= first:
        first, last = 0, len(kept) - 1
    return (last - first) / (kept[last] - kept[first])


def memory(cluster: LocalCluster, sizes: Sequence[int], n_nodes: int = 2) -> None:
    """Print the memory of the driver by the number of items: when it begins, and while it asks."""
    print("| items | largest until it asks, MB | while it asks, MB | growth |\n|--:|--:|--:|--:|")
    first = 0.0
    of_nodes(cluster, n_nodes)
    for n_items in sizes:
        with workplace() as folder:
            release, out = release_of(n_items, folder), folder / "run"
            driver = started(release, out, cluster.address, StandIn(None, 0.0, 1000), 1000)
            asks_from = None
            while driver.watch():
                if asks_from is None and n_shards(out):
                    asks_from = time.monotonic()
                time.sleep(0.02)
            assert driver.process.returncode == 0
            assert asks_from is not None
            before = [rss for when, rss in driver.rss if when < asks_from]
            asking = [rss for when, rss in driver.rss if when >= asks_from] or before
            first = first or max(asking)
            shown = f"{max(before):.0f} | {max(asking):.0f} | {max(asking) / first:.2f}"
            print(f"| {n_items:,} | {shown} |", flush=True)


def on_cluster(cluster: LocalCluster, options: argparse.Namespace) -> None:
    """Measure what needs a cluster."""
    small, part = options.small, options.part
    if part in ("efficiency", "all"):
        rounds, delay_s = (3, 0.2) if small else (24, 2.0)
        efficiency(cluster, [1, 2] if small else options.nodes, rounds, delay_s)
    if part in ("memory", "all"):
        memory(cluster, [2000] if small else options.items or [10_000, 100_000, 1_000_000])
    if part not in ("kills", "all"):
        return
    if small:
        kills(cluster, 2000, 3, 0.2, size=100, n_nodes=2)
    else:
        kills(cluster, (options.items or [1_000_000])[0], options.moments, options.delay)


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="ray-scale-") as folder:
        yield Path(folder)


def main() -> None:
    """Measure, and print Markdown."""
    if sys.argv[1:2] == ["drive"]:
        release, out, address, root, delay_s, at_a_time, size = sys.argv[2:]
        drive(release, out, address, StandIn(root or None, float(delay_s), int(at_a_time)), int(size))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("kills", "efficiency", "memory", "all"))
    parser.add_argument("--items", type=int, nargs="+")
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--delay", type=float, default=0.4)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--small", action="store_true", help="of everything a little")
    options = parser.parse_args()
    with ray_cluster(1) as cluster:  # one for all: its start takes longer than little work
        on_cluster(cluster, options)


if __name__ == "__main__":
    main()
