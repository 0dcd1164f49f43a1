"""A Ray cluster on this machine: a head without processors, and nodes that can be killed and replaced."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "40",
    # As on systems on which Ray does without other machines, all of its processes listen on 127.0.0.1 alone.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}

TRIES = 5
"""How often a node is started: Ray gives its agents 15 seconds, which a busy machine does not have for each."""


class LocalCluster:
    """The nodes of a cluster, processes of this machine."""

    def __init__(self, n_nodes: int) -> None:
        os.environ.update(SETTINGS)
        # Without bytecode the agents of every node compile Ray anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster()
        self._started(num_cpus=0, include_dashboard=False)
        self.address: str = self._cluster.address
        self.nodes = [self.add() for _ in range(n_nodes)]

    def add(self) -> Any:
        """Start a node."""
        return self._started(num_cpus=2)

    def _started(self, **options: Any) -> Any:
        for _ in range(TRIES - 1):
            with suppress(Exception):
                return self._cluster.add_node(object_store_memory=80 * 2**20, **options)
        return self._cluster.add_node(object_store_memory=80 * 2**20, **options)

    def kill(self, number: int) -> None:
        """Kill a node with all of its workers, and start another one in its place."""
        self.remove(number)
        self.nodes[number] = self.add()

    def remove(self, number: int) -> None:
        """Kill a node with all of its workers."""
        self._cluster.remove_node(self.nodes[number], allow_graceful=False)

    def stop(self) -> None:
        """End all processes."""
        self._cluster.shutdown()


@contextmanager
def ray_cluster(n_nodes: int = 2) -> Iterator[LocalCluster]:
    """A cluster while the block runs."""
    cluster = LocalCluster(n_nodes)
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
