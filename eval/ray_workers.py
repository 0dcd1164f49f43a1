"""Workers of a Ray cluster that are asked for shards; of our modules, this one alone imports Ray.

A worker is an actor that gets the model once and is asked one shard after the other, of which it keeps the
answers itself: texts never come to whoever drives the run. Ray repeats nothing. A worker that dies is replaced,
and its shard asked again by another one; a shard that workers die of again and again is halved until the item
is found that they die of.

References:
    Moritz et al. (2018), Ray: a distributed framework for emerging AI applications, OSDI;
    https://docs.ray.io.
"""

import logging
import platform
import socket
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain
from time import monotonic, sleep
from typing import Any, NamedTuple

from blend.eval.models.protocols import Generator
from blend.eval.runs.pending_shards import ShardOutcome, ask_shard, keep_shard
from blend.eval.runs.shards import ItemShard, ShardName, ShardStore
from blend.schemas.errors import BlendError, MissingExtraError, ServerError

EXTRA = "ray"

PER_NODE = 2
"""Workers of a node: while one waits for the last answers of a shard, the other one has just begun."""

DEATHS = 3
"""How often workers may die of a shard until it is halved, or of an item until that is kept as an error; halves
are halved at once."""

_MAX_STARTS = 10
"""Workers in a row that do not start, after which no further one is tried."""

_LONG_S = 30.0
"""Seconds after which it is said what is waited for."""

_NAMED = 3
"""Nodes without a worker named at most."""

_CONNECT_S = 10.0
_GLANCE_S = 1.0
_COUNT_EVERY_S = 5.0


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Be a driver of a Ray cluster while the block runs, or go on being one.

    Args:
        address: ``auto`` for the cluster of this machine, or ``host:port`` of its head.

    Raises:
        MissingExtraError: If Ray is not installed.
        ServerError: If there is no cluster.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("a run on Ray", extra=EXTRA) from error
    if ray.is_initialized():
        yield
        return
    try:
        if address.count(":") == 1:  # Ray itself waits for minutes
            host, _, port = address.partition(":")
            socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ServerError(
            f"`ray={address}`: no cluster can be reached there ({reason}); start one with `ray "
            "start`, and join it from further machines, or leave `ray` out"
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def n_workers() -> int:
    """How many workers the nodes of the cluster have room for."""
    return PER_NODE * len(_nodes())


def _nodes() -> dict[str, str]:
    """Names of the machines of nodes that have room for workers, by the number of the node."""
    import ray

    nodes = (node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) > 0)
    return {node["NodeID"]: node["NodeManagerHostname"] for node in nodes}


class _Worker:
    """Asks a model for one shard after the other, in a process of its own."""

    def __init__(self, model: Generator, store: ShardStore) -> None:
        self._model = model
        self._store = store

    def ready(self) -> str:
        """The number of its node when it has started, before anybody is asked for what could not be kept."""
        import ray

        self._store.check_seen()
        node: str = ray.get_runtime_context().get_node_id()
        return node

    def ask(self, shard: ItemShard) -> ShardOutcome:
        """See `pending_shards.ask_shard`; a problem names the machine, since others may have none."""
        outcome = ask_shard(self._model, self._store, shard)
        if outcome.problem is None:
            return outcome
        return outcome._replace(problem=f"node {platform.node()}: {outcome.problem}")


class _Started(NamedTuple):
    """A worker that can be asked."""

    actor: Any
    node: str


class _Workers:
    """The workers of a run: those that start, those that wait, and those that are asked."""

    def __init__(self, model: Generator, store: ShardStore, wanted: Callable[[], int]) -> None:
        import ray

        remote: Any = ray.remote  # its types know no options
        actor = remote(num_cpus=1 / PER_NODE, max_restarts=0, scheduling_strategy="SPREAD")(_Worker)
        held = ray.put(model)
        self._start: Callable[[], Any] = lambda: actor.remote(held, store)
        self._wanted = wanted
        self._recounted_s = float("-inf")
        self._n_wanted = 0
        self._nodes: dict[str, str] = {}
        self._starting: dict[Any, tuple[Any, float]] = {}
        self._idle: list[_Started] = []
        self._asked: dict[Any, tuple[_Started, ItemShard, float]] = {}
        self._failed_starts = 0

    @property
    def n_asked(self) -> int:
        """Shards under way."""
        return len(self._asked)

    @property
    def has_idle(self) -> bool:
        """Whether a worker waits for a shard."""
        return bool(self._idle)

    @property
    def waited_for(self) -> str:
        """What has been waited for long, and where, in words for a user; empty where nothing has."""
        now, parts = monotonic(), []
        began, node = min(((began, node) for (_, node), _, began in self._asked.values()), default=(now, ""))
        if now - began > _LONG_S:
            where = self._nodes.get(node, "a node that is gone")
            parts.append(f"shards under way: {self.n_asked}, the longest for {_span(now - began)} on {where}")
        began = min((began for _, began in self._starting.values()), default=now)
        if now - began > _LONG_S:
            workers = [*self._idle, *(worker for worker, _, _ in self._asked.values())]
            without = sorted(self._nodes[node] for node in self._nodes.keys() - {node for _, node in workers})
            more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
            where = f", none on {', '.join(without[:_NAMED])}{more}" if without else ""
            parts.append(
                f"workers that have not started for {_span(now - began)}: {len(self._starting)}{where}; "
                "is there room for them, and are Ray's ports open (docs/scale.md)?"
            )
        return "; ".join(parts)

    def ask(self, shard: ItemShard) -> None:
        """Ask a worker that waits."""
        worker = self._idle.pop()
        self._asked[worker.actor.ask.remote(shard)] = (worker, shard, monotonic())

    def fill(self) -> None:
        """Start as many workers as there is room for: nodes come and go."""
        if monotonic() - self._recounted_s > _COUNT_EVERY_S:
            self._n_wanted, self._nodes, self._recounted_s = self._wanted(), _nodes(), monotonic()
        while len(self._starting) + len(self._idle) + len(self._asked) < self._n_wanted:
            actor = self._start()
            self._starting[actor.ready.remote()] = (actor, monotonic())

    def finished(self) -> Iterator[tuple[ItemShard, ShardOutcome | None]]:
        """Wait for something to happen; shards that were asked, without an outcome where the worker died.

        Raises:
            ServerError: If no worker starts.
        """
        import ray

        pending = [*self._asked, *self._starting]
        if not pending:
            sleep(_GLANCE_S)  # no node is left; others may join
            return
        done, _ = ray.wait(pending, num_returns=len(pending), timeout=0)
        done = done or ray.wait(pending, num_returns=1, timeout=_GLANCE_S)[0]
        for ref in done:
            if ref in self._starting:
                self._started(ref)
                continue
            worker, shard, _ = self._asked.pop(ref)
            try:
                outcome = ray.get(ref)
            except ray.exceptions.RayTaskError as error:  # of ours: another worker would have it too
                raise _cause(error) from error
            except ray.exceptions.RayError:
                yield shard, None
            else:
                self._idle.append(worker)
                yield shard, outcome

    def _started(self, ref: Any) -> None:
        import ray

        actor, _ = self._starting.pop(ref)
        try:
            node = ray.get(ref)
        except ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except ray.exceptions.RayError as error:
            self._failed_starts += 1
            if self._failed_starts >= _MAX_STARTS:
                reason = str(error).strip().splitlines()[-1]
                raise ServerError(
                    f"no worker of Ray starts ({reason}); install the same version of this package with its "
                    "extras on every node"
                ) from error
        else:
            self._failed_starts = 0
            self._idle.append(_Started(actor, node))


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _cause(error: Any) -> Exception:
    """What a worker raised, in its own words where they are for users."""
    found: Exception = error.cause if isinstance(error.cause, BlendError) else error
    return found


def shards_asked(
    model: Generator, store: ShardStore, shards: Iterator[ItemShard], wanted: Callable[[], int] = n_workers
) -> Iterator[ShardOutcome]:
    """Ask a model for shards on the cluster that this process is connected to.

    Args:
        model: The model; every worker gets a copy.
        store: Where the answers are kept.
        shards: What to ask; the next one is taken when a worker waits for it.
        wanted: How many workers there are to be; asked again and again.

    Yields:
        What came of each shard, when it is kept; and every second in which none is, that nothing was.

    Raises:
        ServerError: If no worker starts.
    """
    first = next(shards, None)
    if first is None:
        return
    upcoming, is_more = chain([first], shards), True
    workers = _Workers(model, store, wanted)
    again: deque[ItemShard] = deque()
    deaths: Counter[ShardName] = Counter()
    halves: set[ShardName] = set()
    while is_more or again or workers.n_asked:
        workers.fill()
        while workers.has_idle and (again or is_more):
            # None is taken ahead: what comes of those under way can be why no further one is wanted.
            shard = again.popleft() if again else next(upcoming, None)
            if shard is None:
                is_more = False
            else:
                workers.ask(shard)
        finished = list(workers.finished())
        if not finished:
            yield ShardOutcome(0, 0, 0, waited_for=workers.waited_for)
        for shard, outcome in finished:
            if outcome is not None:
                yield outcome._replace(waited_for=workers.waited_for)
                continue
            deaths[shard.name] += 1
            is_half = shard.name in halves and shard.items.height > 1
            if deaths[shard.name] < (1 if is_half else DEATHS):
                again.append(shard)
            elif shard.items.height > 1:
                again.extend(shard.halves())
                halves.update(half.name for half in shard.halves())
            else:
                yield keep_shard(store, shard, {}, error=f"{DEATHS} workers in turn died of it")
