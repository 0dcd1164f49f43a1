"""Written answers as they are scored: what was said apart from what was thought, and whether anything was.

Answers of other tools hold thoughts in their texts; they are told apart here, by the same rule by which a run
keeps them apart. They can be gone through in parts, so that few texts are in memory.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from blend.eval.models.thoughts import ANY_MARK, split_thought
from blend.eval.runs.run_description import RecordedAnswers, RunDescription
from blend.eval.runs.run_directory import Run

WRITTEN = ("text", "thought", "finish_reason")
"""Columns of `answers.ANSWERS` by which an answer is told from a thought."""

_CUTS = ("content_filter", "length")


def as_scored(answers: pl.DataFrame, run: RunDescription) -> pl.DataFrame:
    """Answers with what was said alone, and whether they were answered at all.

    Unanswered is a text whose thought does not end, one that says nothing, one that a content filter stopped,
    and one that was cut at the length allowed, of a model that ends by itself: one that writes after a chat
    template, and a caller's object or recorded answers that say so. A base model goes on for as long as it may,
    so what it wrote by then is its answer.

    Args:
        answers: `answers.ANSWERS`, or some of its columns, `WRITTEN` among them.
        run: The run that they are of.

    Returns:
        The rows, with ``text`` as it was said and empty where unanswered, so that `says_nothing` finds all of
        these, and ``thought``.
    """
    answered = split_answers(answers)
    cuts = _CUTS if _ends_by_itself(run) else ("content_filter",)
    is_cut = pl.col("finish_reason").is_in(cuts) & pl.col("text").is_not_null()
    return answered.with_columns(text=pl.when(is_cut).then(pl.lit("")).otherwise("text"))


def spoken_text(text: str, finish_reason: str | None) -> str:
    """One answer of a model that ends by itself as `as_scored` has many: what it says, empty if unanswered."""
    return "" if finish_reason in _CUTS else split_thought(text).text


def says_nothing(column: str) -> pl.Expr:
    """Whether the texts in a column are unanswered; null without a text, as of errors and of scored options."""
    return pl.col(column).str.strip_chars() == ""


def split_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """Answers, as of `as_scored`, with what was said apart from what was thought.

    Returns:
        The rows, with ``text`` as it was said, empty where a thought does not end, and ``thought``.
    """
    found = _split_texts(answers)
    if found.is_empty():
        return answers
    rows = answers.join(found, on="text", how="left", maintain_order="left")
    both = pl.concat_str("thought", "_thought", separator="\n", ignore_nulls=True)
    return rows.with_columns(
        text=pl.coalesce("_said", "text"),
        thought=pl.when(pl.any_horizontal(pl.col("thought", "_thought").is_not_null())).then(both),
    ).select(answers.columns)


def _ends_by_itself(run: RunDescription) -> bool:
    """Whether an answer that was cut at its length is none: the model would have ended it."""
    return isinstance(run.model, RecordedAnswers) or run.model.backend == "python" or run.model.chat


def _split_texts(answers: pl.DataFrame) -> pl.DataFrame:
    """Every distinct text with a mark, told apart once."""
    texts = answers["text"].unique().drop_nulls()
    marked = texts.filter(texts.str.contains(ANY_MARK))
    found = [split_thought(text) for text in marked]
    return pl.DataFrame(
        {"text": marked, "_said": [one.text for one in found], "_thought": [one.thought for one in found]},
        schema=dict.fromkeys(("text", "_said", "_thought"), pl.String()),
    )


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
        """Yield items, and answers as of `as_scored`, an empty text in place of each thought.

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
