"""A Dask cluster gives what one process gives, whatever happens to its workers."""

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from blend.eval.tasks.cultural_prompts.group_statistics import distances
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    Settings,
    TopicFigures,
    TopicKey,
    TopicTexts,
    analyse_topics,
)
from blend.loaders.surveys import read_survey
from helpers.messages import wrong

GROUPS = ("American", "Brazilian", "Chinese", "French", "German", "Japanese", "Nigerian", "Thai")
WORDS = [f"word{number}" for number in range(300)]


def topics(n: int = 10) -> list[TopicTexts]:
    draw = random.Random(7)
    groups = [group for group in range(len(GROUPS)) for _ in range(5)]

    def drawn() -> pl.DataFrame:
        texts = [" ".join(draw.choices(WORDS, k=60)) for _ in groups]
        return pl.DataFrame({"group_number": groups, "text": texts})

    return [TopicTexts(TopicKey("qa", "c", f"topic{number}"), number, drawn()) for number in range(n)]


@pytest.fixture(scope="module")
def settings(surveys: dict[str, Path]) -> Settings:
    cultures = tuple(distances(read_survey(path, name), GROUPS) for name, path in surveys.items())
    return Settings(GROUPS, cultures)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


def assert_same(found: list[TopicFigures], expected: list[TopicFigures]) -> None:
    assert [one.key for one in found] == [one.key for one in expected]
    for one, other in zip(found, expected, strict=True):
        assert [of[:2] for of in one.variances.values()] == [of[:2] for of in other.variances.values()]
        assert one.similarity.equals(other.similarity)
        assert one.agreements.equals(other.agreements)
        assert one.words.equals(other.words)
        assert one.texts.equals(other.texts)


@pytest.mark.nightly
@pytest.mark.integration
def test_a_cluster_that_loses_workers_gives_what_one_process_gives(cluster, settings):
    expected = list(analyse_topics(topics(), settings))
    found = []
    for figures in analyse_topics(topics(), settings, dask=cluster.scheduler_address):
        # Both workers are killed, one after the other, while topics are under way.
        if len(found) < 2:
            worker = cluster.workers[len(found)]
            os.kill(worker.process.pid, signal.SIGKILL)
        found.append(figures)
    assert_same(found, expected)


@pytest.mark.integration
def test_nobody_at_the_address_is_told(settings, monkeypatch):
    monkeypatch.setattr("blend.loaders.servers.cluster.CONNECT_S", 1)
    assert wrong(lambda: next(analyse_topics(topics(1), settings, dask="tcp://127.0.0.1:9"))) == (
        "`dask=tcp://127.0.0.1:9`: no scheduler can be reached there (OSError); start one with "
        "`dask scheduler` and workers with `dask worker ADDRESS`, or leave `dask` out"
    )
