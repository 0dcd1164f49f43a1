"""Clusters: one function over many tasks, side by side on the workers of a Dask cluster.

A worker that dies takes nothing with it: the scheduler holds what its tasks were given, and has others do them
again.

References:
    Dask distributed, https://distributed.dask.org.
"""

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from blend import __version__
from blend.schemas.errors import InputError, MissingExtraError, ServerError

if TYPE_CHECKING:
    from distributed import Client

EXTRA = "dask"

LOCAL = "local"
"""In place of an address: a cluster on this machine, a worker per processor, as long as it is needed."""

_AHEAD = 3
"""Tasks under way for each thread of the cluster: enough that none waits, few enough to hold in memory."""

CONNECT_S = 30
"""Seconds to wait for the scheduler."""

Task = TypeVar("Task")
Shared = TypeVar("Shared")
Result = TypeVar("Result")


def on_cluster(
    function: Callable[[Task, Shared], Result], tasks: Iterable[Task], shared: Shared, *, dask: str, about: str
) -> Iterator[Result]:
    """The results of tasks, in their order.

    Args:
        function: Of a module, so that workers can import it; it may run twice for a task.
        tasks: Taken one by one, a few ahead of the results.
        shared: Second argument of every call, sent once.
        dask: Address of a Dask scheduler, ``tcp://host:8786``, or ``local`` for a cluster on this machine.
        about: What a task is about, for messages: ``topic``.

    Raises:
        MissingExtraError: If Dask is not installed.
        ServerError: If the scheduler cannot be reached, has no workers, or workers die over one task again and
            again.
        InputError: If the workers run another version of this package.
    """
    where = f"`dask={dask}`"
    with _connected(dask, where) as client:
        from distributed import KilledWorker

        _check_version(client, where)
        try:
            yield from _results(client, function, tasks, shared)
        except KilledWorker as error:
            raise ServerError(
                f"{where}: workers died over one {about} again and again, probably for want of memory; "
                "start workers with more of it"
            ) from error


def _connected(address: str, where: str) -> "Client":
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise MissingExtraError("computing on a cluster", extra=EXTRA) from None
    if address == LOCAL:
        return Client(threads_per_worker=1, dashboard_address=None, set_as_default=False)
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ServerError(
            f"{where}: no scheduler can be reached there ({type(error).__name__}); start one with "
            "`dask scheduler` and workers with `dask worker ADDRESS`, or leave `dask` out"
        ) from error
    if not client.nthreads():
        client.close()
        raise ServerError(f"{where}: the scheduler has no workers; start some with `dask worker {address}`")
    return client


def _check_version(client: "Client", where: str) -> None:
    try:
        found = {*client.run(_version).values()}
    except Exception as error:
        # Whatever keeps a worker from importing this package comes back as the error that it was there.
        found = {f"none ({type(error).__name__}: {error})"}
    if found != {__version__}:
        raise InputError(
            f"{where}: workers run version {', '.join(sorted(found))} of this package and this process "
            f"{__version__}; install one version everywhere"
        )


def _results(
    client: "Client", function: Callable[[Task, Shared], Result], tasks: Iterable[Task], shared: Shared
) -> Iterator[Result]:
    under_way: deque[Any] = deque()
    ahead = _AHEAD * sum(client.nthreads().values())
    # A task and not scattered data, which would be lost with the worker that holds it.
    common = client.submit(_same, shared, pure=False)
    for task in tasks:
        with warnings.catch_warnings():
            # What a task is given is a few megabytes at most, and is sent once.
            warnings.filterwarnings("ignore", message="Sending large graph")
            under_way.append(client.submit(function, task, common, pure=False))
        if len(under_way) >= ahead:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _same(shared: Shared) -> Shared:
    return shared


def _version() -> str:
    return __version__
