"""Which shard workers are asked when, with workers in place of Ray's."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval import ray_workers
from blend.eval.runs import asked_shards
from blend.eval.runs.asked_shards import Standing, ask_shards
from blend.eval.runs.pending_shards import ShardOutcome
from blend.eval.runs.shards import FolderShards, ItemShard, ShardName
from blend.eval.runs.usage import Price, Spending
from blend.loaders.files.progress import silent


class Workers:
    """Two workers, of which the first to begin ends first."""

    def __init__(self, *_: object) -> None:
        self._under_way: list[ItemShard] = []

    @property
    def n_asked(self) -> int:
        return len(self._under_way)

    @property
    def has_idle(self) -> bool:
        return len(self._under_way) < 2

    @property
    def waited_for(self) -> str:
        return "shards under way: 2"

    def fill(self) -> None:
        pass

    def ask(self, shard: ItemShard) -> None:
        self._under_way.append(shard)

    def finished(self) -> Iterator[tuple[ItemShard, ShardOutcome]]:
        yield self._under_way.pop(0), ShardOutcome(1, 10, 10)


@pytest.mark.parametrize(("budget", "n_asked"), [(1, 2), (21, 3), (1000, 5)])
def test_no_shard_is_begun_when_the_budget_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float, n_asked: int
):
    monkeypatch.setattr(ray_workers, "_Workers", Workers)
    price = Price(1e6, 1e6)
    ask: Callable[[Iterator[ItemShard]], Any] = lambda shards: ray_workers.shards_asked(  # noqa: E731
        None, FolderShards(tmp_path), shards
    )
    standing = Standing(5, 0, price, silent)
    shards = (ItemShard(ShardName(n, n + 1), pl.DataFrame()) for n in range(5))
    ask_shards(ask, shards, standing, Spending(tmp_path, price, budget), None)
    # An answer costs 20, and what is under way is waited for.
    assert standing.n_asked == n_asked


class Idling(Workers):
    """Workers of which nothing comes at first."""

    def __init__(self, *_: object) -> None:
        super().__init__()
        self._glances = iter(range(2))

    def finished(self) -> Iterator[tuple[ItemShard, ShardOutcome]]:
        if next(self._glances, None) is None:
            yield from super().finished()


def test_how_it_stands_is_told_while_nothing_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ray_workers, "_Workers", Idling)
    monkeypatch.setattr(asked_shards, "STATUS_EVERY_S", 0)
    heard: list[str] = []
    shards = (ItemShard(ShardName(n, n + 1), pl.DataFrame()) for n in range(2))
    ask: Callable[[Iterator[ItemShard]], Any] = lambda shards: ray_workers.shards_asked(  # noqa: E731
        None, FolderShards(tmp_path), shards
    )
    ask_shards(ask, shards, Standing(2, 0, None, silent), None, heard.append)
    assert heard[:2] == ["0 of 2 items; shards under way: 2"] * 2
    assert len(heard) == 4
