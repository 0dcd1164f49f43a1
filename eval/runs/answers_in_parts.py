"""Answers in parts: items of a run with their answers as they are scored, so that few texts are in memory."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from blend.eval.runs.run_directory import Run
from blend.eval.runs.written_answers import WRITTEN, as_scored, says_nothing


@dataclass(frozen=True)
class AnsweredParts:
    """Items of a run, some at a time and in order, each part with its answers; can be gone through again."""

    run: Run
    """The run."""
    columns: tuple[str, ...] = ("asked",)
    """Columns of `answers.ANSWERS` besides ``item_id``, ``text``, ``thought``, ``finish_reason`` and
    ``error``."""
    item_columns: tuple[str, ...] = ()
    """Columns of the items, ``item_id`` among them; all when empty."""

    def __iter__(self) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield items, and answers as of `written_answers.as_scored`, an empty text in place of each thought.

        Raises:
            RowError: If a file of the run cannot be read.
        """
        kept = self.run.kept()
        for items in self.run.items_in_parts(*self.item_columns):
            answers = kept.of(items, "item_id", "error", *WRITTEN, *self.columns, thoughts=False)
            yield items, as_scored(answers, self.run.description)

    def gold(self) -> Iterator[pl.DataFrame]:
        """Yield the gold of each part, of a task that has a row for each item."""
        return self.run.gold_in_parts()


def filtered_texts(run: Run, *, cut_is_read: bool = False) -> int:
    """Count the texts of a run that a content filter stopped.

    Args:
        run: The run.
        cut_is_read: Whether a text that was cut or filtered is read as far as it goes, so that only those count
            that say nothing.
    """
    kept = run.kept()
    is_filtered = (pl.col("finish_reason") == "content_filter") & pl.col("text").is_not_null()
    counts = is_filtered & says_nothing("text") if cut_is_read else is_filtered
    return sum(rows.filter(counts).height for rows in kept.parts("text", "finish_reason"))


def packed(rows: pl.DataFrame) -> bytes:
    """Rows as few bytes; as a frame they would hold on to the memory of what they were joined with."""
    content = io.BytesIO()
    rows.write_ipc(content, compression="zstd")
    return content.getvalue()


def unpacked(parts: Sequence[bytes]) -> pl.DataFrame:
    """All rows of `packed` parts, in order and in one piece: sums of fractions do not depend on the parts."""
    # Column by column, so that no more than one of them is in memory twice.
    return pl.DataFrame(
        pl.concat([pl.read_ipc(io.BytesIO(part), columns=[name])[name] for part in parts], rechunk=True)
        for name in pl.read_ipc_schema(io.BytesIO(parts[0]))
    )
