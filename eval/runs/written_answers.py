"""Written answers as they are scored: what was said apart from what was thought, and whether anything was.

Runs of earlier versions and answers of other tools hold thoughts in their texts; they are told apart here, by
the same rule by which a new run keeps them apart.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from blend.eval.models.thoughts import Marks, any_mark, split_thought
from blend.eval.runs.run_description import RecordedAnswers, RunDescription

WRITTEN = ("text", "thought", "finish_reason")
"""Columns of `answer_files.ANSWERS` by which an answer is told from a thought."""

OPENED_SHARE = 0.1
"""Share of texts that end a thought without beginning it, from which on the chat template is taken to begin one
in every prompt of the run."""


def as_scored(answers: pl.DataFrame, run: RunDescription, *, begun: bool | None = None) -> pl.DataFrame:
    """Answers with what was said alone, and whether they were answered at all.

    Unanswered is a text whose thought does not end, one that says nothing, and one that was cut at the length
    allowed, of a model that ends by itself: one that writes after a chat template, and a caller's object or
    recorded answers that say so. A base model goes on for as long as it may, so what it wrote by then is its
    answer.

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
    if not ends_by_itself(run):
        return answered
    is_cut = (pl.col("finish_reason") == "length") & pl.col("text").is_not_null()
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
    is_cut = (
        pl.lit(begun) & pl.col("text").is_not_null() & pl.col("thought").is_null() & pl.col("_said").is_null()
    )
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
    return n_opened > 0 and n_opened >= OPENED_SHARE * n_texts


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
