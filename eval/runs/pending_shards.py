"""Pending shards: what of a run no shard holds yet, a few items at a time, and how one is asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.eval.models.protocols import Generator
from blend.eval.runs.answer_files import ANSWERS, answer_tables
from blend.eval.runs.ask_model import AnswerWriter, asked_again
from blend.eval.runs.run_directory import GOLD_NAME, ITEMS_NAME, Run
from blend.eval.runs.run_tables import rows_in_parts
from blend.eval.runs.shards import ItemShard, ShardName, ShardStore, free_ranges
from blend.schemas.errors import BlendError

TRIES = 3
"""How often an item is asked before its answer is kept as an error, each time with the repeats of a server."""

_ASKED = ("item_id", "locale", "prompt_id", "prompt")


class ShardOutcome(NamedTuple):
    """What came of a shard that was asked."""

    n_items: int
    """Items asked whose answers or errors were kept."""
    tokens_in: int
    """Tokens of their prompts, as far as they are known."""
    tokens_out: int | None
    """Tokens written; null where nobody tells how many an answer took."""
    problem: str | None = None
    """Why nobody can be asked any more, in words for a user."""
    waited_for: str = ""
    """What else has been waited for long, likewise; empty where nothing has, or nobody knows."""


class _Kept(NamedTuple):
    """What a run has answers to already."""

    done: pl.DataFrame
    """``item_id`` of answers and errors outside of whole shards."""
    failed: pl.DataFrame
    """``item_id`` of errors without an answer."""
    ranges: list[tuple[int, int]]
    """Positions that whole shards hold, in order."""
    files: frozenset[str]
    """Names of all shards."""
    round: int
    """Number of a round that has not begun."""


def pending_shards(run: Run, size: int) -> Iterator[ItemShard]:
    """Cut what a run has no answer to into shards.

    Memory does not grow with the items, but with those whose answers are errors or outside of shards.

    Args:
        run: A run of written answers.
        size: Items of a shard at most.

    Yields:
        Shards in the order of the items, first of those that were never asked. What holds no answers yet is
        cut at multiples of the size, whoever cuts it; items that failed stand in shards of a further round.
    """
    return shards_without_answers(run.answers_folder, partial(_slices, run, size))


def shards_without_answers(answers: Path, slices: Callable[[], Iterable[pl.DataFrame]]) -> Iterator[ItemShard]:
    """Leave out of items what a folder holds answers to; see `pending_shards`.

    Args:
        answers: Folder of answers.
        slices: Gives all items, those of a shard at a time: `ItemShard.items` without a gap.
    """
    kept = _kept(answers)
    for items in slices():
        yield from _never_asked(items, kept)
    # Read anew, so that not all that failed has to wait in memory.
    for items in slices() if kept.failed.height else ():
        rows = items.join(kept.failed, on="item_id", how="semi", maintain_order="left")
        if rows.height:
            start, stop = _range_of(items)
            yield ItemShard(ShardName(start, stop, kept.round), rows, failed_before=True)


def _never_asked(items: pl.DataFrame, kept: _Kept) -> Iterator[ItemShard]:
    start, stop = _range_of(items)
    rest = []
    for begins, ends in free_ranges(start, stop, kept.ranges):
        rows = items[begins - start : ends - start]
        rows = rows.join(kept.done, on="item_id", how="anti", maintain_order="left")
        name = ShardName(begins, ends)
        if name.file in kept.files:  # with a part of it
            rest.append(rows)
        elif rows.height:
            yield ItemShard(name, rows)
    if any(rows.height for rows in rest):
        # Not the round of those that failed, which can have the same range.
        yield ItemShard(ShardName(start, stop, kept.round + 1), pl.concat(rest))


def _range_of(items: pl.DataFrame) -> tuple[int, int]:
    return int(items["position"][0]), int(items["position"][-1]) + 1


def _kept(folder: Path) -> _Kept:
    nothing = pl.DataFrame(schema={"item_id": pl.String})
    answered, failed, answered_later = [nothing], [nothing], [nothing]
    ranges, files, rounds = [], set(), [0]
    for table in answer_tables(folder):
        rows = table.read(["item_id", "error"])
        ids = rows.filter(pl.col("error").is_null()).select("item_id")
        failed.append(rows.filter(pl.col("error").is_not_null()).select("item_id"))
        name = ShardName.of(table.name)
        if name is None:
            answered.append(ids)
            continue
        files.add(table.name)
        rounds.append(name.round)
        if name.round:
            answered_later.append(ids)
        elif rows.height == name.stop - name.start:
            ranges.append((name.start, name.stop))
        else:  # of what was answered before in part
            answered.append(ids)
    elsewhere = pl.concat([*answered, *answered_later]).unique()
    errors = pl.concat(failed).unique().join(elsewhere, on="item_id", how="anti")
    done = pl.concat([elsewhere, errors])
    return _Kept(done, errors, sorted(ranges), frozenset(files), max(rounds) + 1)


def _slices(run: Run, size: int) -> Iterator[pl.DataFrame]:
    """The items of a run with position and number of the draw, so many at a time, read as they are wanted."""
    path = run.directory / ITEMS_NAME
    drawn = "sample" in pl.read_parquet_schema(path)
    columns = [*_ASKED, *(["sample"] if drawn else [])]
    # Texts for many readers: the number stands in their gold, in the order of the items.
    is_in_gold = not drawn and run.description.options.get("samples", 1) > 1
    gold = rows_in_parts(run.directory / GOLD_NAME, ["item_id", "sample"], size) if is_in_gold else None
    start = 0
    for rows in rows_in_parts(path, columns, size):
        if gold is not None:
            numbers = next(gold)
            assert numbers["item_id"].equals(rows["item_id"])
            rows = rows.with_columns(numbers["sample"])
        elif not drawn:
            rows = rows.with_columns(sample=pl.lit(0, pl.Int64))
        yield rows.with_row_index("position", offset=start)
        start += rows.height


class _Rows:
    """Rows of answers in memory; see `ask_model.AnswerSink`."""

    def __init__(self) -> None:
        self.by_item: dict[str, dict[str, Any]] = {}

    def append(self, answers: Iterable[Mapping[str, Any]], /) -> None:
        self.by_item.update((answer["item_id"], dict(answer)) for answer in answers)


def ask_shard(model: Generator, store: ShardStore, shard: ItemShard) -> ShardOutcome:
    """Ask a model a shard, and keep its answers unless somebody has kept them.

    An item that fails is asked again, `TRIES` times in all. Where the model cannot be asked any more, the shard
    is kept without the items that it was not asked, which a further run asks, and not at all where it was asked
    none.
    """
    rows = _Rows()
    if shard.failed_before:
        model = asked_again(model)
    pending, problem = shard.items, None
    for _ in range(TRIES):
        writer = AnswerWriter(pending, rows, lambda _: None)
        try:
            model.generate(
                pending["prompt"].to_list(), samples=pending["sample"].to_list(), keep=writer.generations
            )
        except BlendError as error:
            problem = str(error)
            break
        pending = _failed(pending, rows)
        if pending.is_empty():
            break
        model = asked_again(model)
    if not rows.by_item:
        return ShardOutcome(0, 0, 0, problem)
    tried = shard.items.filter(pl.col("item_id").is_in(list(rows.by_item)))
    return keep_shard(store, replace(shard, items=tried), rows.by_item, problem=problem)


def keep_shard(
    store: ShardStore,
    shard: ItemShard,
    answers: Mapping[str, Mapping[str, Any]],
    *,
    error: str | None = None,
    problem: str | None = None,
) -> ShardOutcome:
    """Keep the answers of a shard.

    Args:
        store: Where shards lie.
        shard: Its items.
        answers: Rows of `answer_files.ANSWERS` by item.
        error: Why the items without an answer have none.
        problem: See `ShardOutcome`.
    """
    keys = shard.items.select("item_id", "locale", "prompt_id").rows(named=True)
    failed = {"finish_reason": "error", "error": error}
    kept = pl.DataFrame([answers.get(key["item_id"], {**key, **failed}) for key in keys], schema=ANSWERS)
    store.commit(shard.name.file, kept)
    is_filtered = (pl.col("finish_reason") == "content_filter").fill_null(False)
    untold = kept.filter(pl.col("error").is_null() & pl.col("tokens_out").is_null() & ~is_filtered)
    tokens_out = None if untold.height else int(kept["tokens_out"].sum())
    return ShardOutcome(kept.height, int(kept["tokens_in"].sum()), tokens_out, problem)


def _failed(pending: pl.DataFrame, rows: _Rows) -> pl.DataFrame:
    return pending.filter(
        pl.Series([rows.by_item[item]["error"] is not None for item in pending["item_id"]], dtype=pl.Boolean)
    )
