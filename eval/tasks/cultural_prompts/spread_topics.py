"""Spreading: topics analysed one after the other in this process, or side by side on a Dask cluster.

Both run the same function, `topic_analysis.analyse_topic`, and give its figures in the order of the topics.
"""

from collections.abc import Iterable, Iterator

from blend.eval.tasks.cultural_prompts.topic_analysis import Settings, TopicFigures, TopicTexts, analyse_topic
from blend.loaders.servers.cluster import on_cluster


def analysed(
    topics: Iterable[TopicTexts], settings: Settings, *, dask: str | None = None
) -> Iterator[TopicFigures]:
    """The figures of topics, in their order.

    Args:
        topics: The topics; taken one by one, and on a cluster a few ahead.
        settings: What decides the figures.
        dask: Address of a Dask scheduler, ``tcp://host:8786``, or ``local``; this process alone when absent.

    Raises:
        MissingExtraError, ServerError, InputError: As from `on_cluster`.
    """
    if dask is None:
        return (analyse_topic(topic, settings) for topic in topics)
    return on_cluster(analyse_topic, topics, settings, dask=dask, about="topic")
