"""Reading: the texts of a run as topics, some of them at a time."""

from collections.abc import Iterator

import polars as pl

from blend.eval.extrinsic.analysis import TopicKey, TopicTexts
from blend.eval.runs.answers import AnswerReader
from blend.eval.runs.directory import Run

TEXTS_AT_A_TIME = 60_000
"""Texts that are read at a time, in whole topics: some hundred megabytes of stories."""

TOPIC = ("split", "category", "topic")


def groups_of(gold: pl.DataFrame) -> tuple[str, ...]:
    """The groups of a run, in order of first occurrence."""
    return tuple(gold["group"].unique(maintain_order=True))


def topics_of(
    run: Run, gold: pl.DataFrame, groups: tuple[str, ...]
) -> Iterator[tuple[TopicTexts, pl.DataFrame]]:
    """The topics of a run in the order of its items, with what was answered.

    Args:
        run: The run.
        gold: `tasks.cultural_prompts.GOLD`.
        groups: Its groups.

    Yields:
        A topic, and ``item_id``, ``split``, ``category``, ``topic``, ``group`` and ``sample`` of its texts in
        the same order: by group, then sample. Items without an answer, or with an error, have no text; an empty
        answer is one.
    """
    number = {group: place for place, group in enumerate(groups)}
    reader = AnswerReader(run.answers_folder)
    keys = gold.select(TOPIC).unique(maintain_order=True).with_row_index("_number")
    numbers = gold.select(TOPIC).join(keys, on=list(TOPIC), nulls_equal=True, maintain_order="left")["_number"]
    for chunk in _chunks(gold, numbers):
        chunk = chunk.with_columns(_group=pl.col("group").replace_strict(number, return_dtype=pl.Int64))
        answers = reader.of(chunk, "item_id", "text", "error").filter(pl.col("error").is_null())
        texts = chunk.join(answers.drop("error"), on="item_id", how="inner").sort("_number", "_group", "sample")
        for rows in texts.partition_by("_number", maintain_order=True):
            first = rows.row(0, named=True)
            yield (
                TopicTexts(
                    TopicKey(*(first[name] or "" for name in TOPIC)),
                    first["_number"],
                    rows["_group"].to_list(),
                    rows["text"].fill_null("").to_list(),
                    is_english=(first["language"] or "en").split("-")[0] == "en",
                ),
                rows.select("item_id", *TOPIC, "group", "sample"),
            )


def _chunks(gold: pl.DataFrame, numbers: pl.Series) -> Iterator[pl.DataFrame]:
    """The items of some topics at a time, with the number of their topic."""
    sizes = numbers.value_counts(name="len").sort("_number")
    before = (sizes["len"].cum_sum() - sizes["len"]) // TEXTS_AT_A_TIME
    for _, some in sizes.group_by(before.alias("_chunk"), maintain_order=True):
        here = numbers.is_between(int(some["_number"][0]), int(some["_number"][-1]))
        yield gold.filter(here).with_columns(numbers.filter(here))
