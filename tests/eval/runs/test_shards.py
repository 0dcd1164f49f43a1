"""Runs that several machines share: side by side, and one after the other."""

from pathlib import Path

import pytest

from blend.eval.models.chosen import Shard
from blend.eval.release_items import read_run
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import opened
from helpers.kill_points import N_ITEMS, Echo, asked

SAMPLES = 3


def ran(folder: Path, shard: Shard | None = None) -> list[tuple[str, int]]:
    """What is asked of the run, as prompts and draws."""
    model = Echo()
    with opened(folder, asked(samples=SAMPLES), model.describe(), None, shard=shard) as run:
        ask_model(run, model)
    return model.asked


def texts(folder: Path) -> dict[str, str]:
    return dict(read_run(folder).answers("item_id", "text").sort("item_id").iter_rows())


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_together_are_one_run(tmp_path: Path, order: tuple[int, ...]):
    # Every sample is a draw of its own.
    assert [draw for _, draw in ran(tmp_path / "one")] == [0, 1, 2] * N_ITEMS
    of_shards = [ran(tmp_path / "shards", Shard(number, 3)) for number in order]
    assert [len(one) for one in of_shards] == [N_ITEMS] * 3
    assert texts(tmp_path / "shards") == texts(tmp_path / "one")
    files = sorted(path.name for path in (tmp_path / "shards" / "answers").glob("*.jsonl"))
    assert files == [f"{number}of3.jsonl" for number in (1, 2, 3)]


def test_a_shard_asks_nothing_that_another_division_has_answered(tmp_path: Path):
    first, second = ran(tmp_path / "run", Shard(1, 2)), ran(tmp_path / "run")
    assert len(first) == len(second) == N_ITEMS * SAMPLES // 2
    assert not {*first} & {*second}
