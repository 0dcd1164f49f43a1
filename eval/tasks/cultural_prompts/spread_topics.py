"""Spreading: topics analysed one after the other in this process, or side by side on a Dask cluster.

Both run the same function, `topic_analysis.analyse_topic`, and give its figures in the order of the topics. A
worker that dies takes nothing with it: the scheduler holds what its tasks were given, and has others do them
again.

References:
    Dask distributed, https://distributed.dask.org.
"""

import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from blend.eval.tasks.cultural_prompts.topic_analysis import Settings, TopicFigures, TopicTexts, analyse_topic
from blend.schemas.errors import BlendError, InputError, MissingExtraError, ServerError
from blend.version import __version__

if TYPE_CHECKING:
    from distributed import Client

EXTRA = "dask"

AHEAD = 3
"""Topics under way for each thread of the cluster: enough that none waits, few enough to hold in memory."""

CONNECT_S = 30
"""Seconds to wait for the scheduler."""


def analysed(
    topics: Iterable[TopicTexts], settings: Settings, *, dask: str | None = None
) -> Iterator[TopicFigures]:
    """The figures of topics, in their order.

    Args:
        topics: The topics; taken one by one, and on a cluster a few ahead.
        settings: What decides the figures.
        dask: Address of a Dask scheduler, ``tcp://host:8786``; this process alone when absent.

    Raises:
        MissingExtraError: If Dask is not installed.
        ServerError: If the scheduler cannot be reached, has no workers, or workers die over one topic again and
            again.
        InputError: If the workers run another version of this package.
    """
    if dask is None:
        for topic in topics:
            yield analyse_topic(topic, settings)
        return
    client = _connected(dask)
    try:
        yield from _on_cluster(client, topics, settings, dask)
    finally:
        client.close()


def _connected(address: str) -> "Client":
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise MissingExtraError("analysing on a cluster", extra=EXTRA) from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ServerError(
            f"`dask={address}`: no scheduler can be reached there ({type(error).__name__}); start one with "
            "`dask scheduler` and workers with `dask worker ADDRESS`, or leave `dask` out"
        ) from error
    threads = sum(client.nthreads().values())
    if not threads:
        client.close()
        raise ServerError(
            f"`dask={address}`: the scheduler has no workers; start some with `dask worker {address}`"
        )
    return client


def _on_cluster(
    client: "Client", topics: Iterable[TopicTexts], settings: Settings, address: str
) -> Iterator[TopicFigures]:
    from distributed import KilledWorker

    under_way: deque[Any] = deque()
    ahead = AHEAD * sum(client.nthreads().values())
    try:
        _check_version(client, address)
        # A task and not scattered data, which would be lost with the worker that holds it.
        shared = client.submit(_same, settings, pure=False)
        for topic in topics:
            with warnings.catch_warnings():
                # The texts of a topic are a few megabytes, and each is sent once.
                warnings.filterwarnings("ignore", message="Sending large graph")
                under_way.append(client.submit(analyse_topic, topic, shared, pure=False))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except KilledWorker as error:
        raise ServerError(
            f"`dask={address}`: workers died over one topic again and again, probably for want of memory; "
            "start workers with more of it"
        ) from error
    finally:
        client.cancel(list(under_way))


def _check_version(client: "Client", address: str) -> None:
    try:
        versions = set(client.run(_version).values())
    except BlendError:
        raise
    except Exception as error:
        # Whatever keeps a worker from importing this package comes back as the error that it was there.
        raise InputError(
            f"`dask={address}`: a worker cannot run this package ({type(error).__name__}: {error}); "
            f"install version {__version__} of it where the workers run"
        ) from error
    if versions - {__version__}:
        other = ", ".join(sorted(versions - {__version__}))
        raise InputError(
            f"`dask={address}`: workers run version {other} of this package and this process {__version__}; "
            "install one version everywhere"
        )


def _same(settings: Settings) -> Settings:
    return settings


def _version() -> str:
    return __version__
