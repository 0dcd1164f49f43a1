"""Written answers as they are scored: what was said apart from what was thought, and whether anything was.

Runs of earlier versions and answers of other tools hold thoughts in their texts; they are told apart here, by
the same rule by which a new run keeps them apart.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from blend.eval.models.thoughts import Marks, any_mark, split_thought
from blend.eval.runs.run_description import RecordedAnswers, RunDescription

WRITTEN = ("text", "thought", "finish_reason")
"""Columns of `answer_files.ANSWERS` by which an answer is told from a thought."""

_CUTS = ("content_filter", "length")

OPENED_SHARE = 0.1
"""Share of texts that end a thought without beginning it, from which on the chat template is taken to begin one
in every prompt of the run."""


# A thought is prose: none that was cut is a whole object of JSON, and one that ended is more than a letter.
_ONE_OBJECT = r'^\s*(?:```(?:json)?\s*)?\{\s*"[^{}]*\}\s*(?:```\s*)?$'
_ONE_LETTER = r"^\s*[A-D]\s*$"


def as_scored(answers: pl.DataFrame, run: RunDescription, *, begun: bool | None = None) -> pl.DataFrame:
    """Answers with what was said alone, and whether they were answered at all.

    Unanswered is a text whose thought does not end, one that says nothing, one that a content filter stopped,
    and one that was cut at the length allowed, of a model that ends by itself: one that writes after a chat
    template, and a caller's object or recorded answers that say so. A base model goes on for as long as it may,
    so what it wrote by then is its answer.

    Args:
        answers: `answer_files.ANSWERS`, or some of its columns, `WRITTEN` among them.
        run: The run that they are of.
        begun: Whether prompts begin thoughts (`prompts_begin_thoughts`), of some of the answers of a run; as
            these answers tell when absent.

    Returns:
        The rows, with ``text`` as it was said and empty where unanswered, so that `says_nothing` finds all of
        these, and ``thought``.
    """
    answered = split_answers(answers, run, begun=begun)
    cuts = _CUTS if ends_by_itself(run) else ("content_filter",)
    is_cut = pl.col("finish_reason").is_in(cuts) & pl.col("text").is_not_null()
    return answered.with_columns(text=pl.when(is_cut).then(pl.lit("")).otherwise("text"))


def says_nothing(column: str) -> pl.Expr:
    """Whether the texts in a column are unanswered; null without a text, as of errors and of scored options."""
    return pl.col(column).str.strip_chars() == ""


def split_answers(answers: pl.DataFrame, run: RunDescription, *, begun: bool | None = None) -> pl.DataFrame:
    """Answers with what was said apart from what was thought; see `as_scored` for the arguments.

    Returns:
        The rows, with ``text`` as it was said, empty where a thought does not end, and ``thought``.
    """
    found = _split_texts(answers, run.thought_marks or ())
    if found.is_empty() and not begun:
        return answers
    rows = answers.join(found, on="text", how="left", maintain_order="left")
    if begun is None:
        begun = prompts_begin_thoughts([answers], run)
    # Where the template begins every thought, a text without any mark is all thought, and it does not end.
    is_cut = _is_unmarked() if begun else pl.lit(value=False)
    both = pl.concat_str("thought", "_thought", separator="\n", ignore_nulls=True)
    return rows.with_columns(
        text=pl.when(is_cut).then(pl.lit("")).otherwise(pl.coalesce("_said", "text")),
        thought=pl.when(is_cut)
        .then("text")
        .when(pl.any_horizontal(pl.col("thought", "_thought").is_not_null()))
        .then(both),
    ).select(answers.columns)


def prompts_begin_thoughts(parts: Iterable[pl.DataFrame], run: RunDescription) -> bool:
    """Whether the chat template begins a thought in every prompt of a run, by `OPENED_SHARE` of its texts.

    Args:
        parts: All answers, `answer_files.ANSWERS` or ``text`` of it, some at a time.
        run: The run that they are of.
    """
    n_texts = n_opened = 0
    for answers in parts:
        ends = _split_texts(answers, run.thought_marks or ()).filter("_opened_before")
        n_opened += answers.join(ends, on="text", how="semi").height
        n_texts += answers.height - answers["text"].null_count()
    return _are_begun(n_opened, n_texts)


class TextCounts(NamedTuple):
    """Numbers of a run's written answers, by which its unanswered ones are explained."""

    n_texts: int
    """Texts."""
    n_filtered: int
    """Texts that a content filter stopped, those that say nothing alone where the others are read."""
    n_opened: int
    """Texts that end a thought without beginning it."""
    n_unmarked: int
    """Texts that say something and have no mark of a thought and no thought beside them, without those that
    were cut, unless these are read, and those that are complete answers by their form."""

    @property
    def begun(self) -> bool:
        """Whether prompts begin thoughts, so that those without a mark are unfinished ones."""
        return _are_begun(self.n_opened, self.n_texts)


def count_texts(parts: Iterable[pl.DataFrame], run: RunDescription, *, cut_is_read: bool = False) -> TextCounts:
    """Count the texts of a run.

    Args:
        parts: All answers, `WRITTEN` of `answer_files.ANSWERS`, some at a time.
        run: The run that they are of.
        cut_is_read: Whether a text that was cut or filtered is read as far as it goes.
    """
    total = TextCounts(0, 0, 0, 0)
    for answers in parts:
        found = _split_texts(answers, run.thought_marks or ())
        texts = answers.filter(pl.col("text").is_not_null()).join(found, on="text", how="left")
        is_filtered = pl.col("finish_reason") == "content_filter"
        is_cut = pl.col("finish_reason").is_in(_CUTS).fill_null(False) & (not cut_is_read)
        counts = texts.select(
            pl.len(),
            (is_filtered & (says_nothing("text") if cut_is_read else pl.lit(True))).sum().alias("filtered"),
            pl.col("_opened_before").sum(),
            (_is_unmarked() & ~says_nothing("text") & ~is_cut).sum().alias("unmarked"),
        )
        total = TextCounts(*(before + more for before, more in zip(total, counts.row(0), strict=True)))
    return total


def _are_begun(n_opened: int, n_texts: int) -> bool:
    return n_opened > 0 and n_opened >= OPENED_SHARE * n_texts


def _is_unmarked() -> pl.Expr:
    """Whether texts, joined with `_split_texts`, may be thoughts whose marks the chat template has begun."""
    # A server's word that nobody knows is taken for an end.
    ended = (~pl.col("finish_reason").is_in(_CUTS)).fill_null(False)
    is_complete = pl.col("text").str.contains(_ONE_OBJECT) | (pl.col("text").str.contains(_ONE_LETTER) & ended)
    without = pl.all_horizontal(pl.col("thought", "_said").is_null())
    return pl.col("text").is_not_null() & without & ~is_complete


def ends_by_itself(run: RunDescription) -> bool:
    """Whether an answer that was cut at its length is none: the model would have ended it."""
    return isinstance(run.model, RecordedAnswers) or run.model.backend == "python" or run.model.chat


def _split_texts(answers: pl.DataFrame, further: Sequence[Marks]) -> pl.DataFrame:
    """Every distinct text with a mark, told apart once."""
    texts = answers["text"].unique().drop_nulls()
    marked = texts.filter(texts.str.contains(any_mark(further)))
    found = [split_thought(text, further) for text in marked]
    return pl.DataFrame(
        {
            "text": marked,
            "_said": [one.text for one in found],
            "_thought": [one.thought for one in found],
            "_opened_before": [one.is_opened_before for one in found],
        },
        schema={
            **dict.fromkeys(("text", "_said", "_thought"), pl.String()),
            "_opened_before": pl.Boolean(),
        },
    )
