"""Single answers: what a model answered to each item, whether it counts, and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.written_answers import WRITTEN, split_answers

SINGLE_ANSWERS = pl.Schema(
    {
        "item_id": pl.String(),
        "correct": pl.Boolean(),
        "why": pl.String(),
        "answer": pl.String(),
        "reply": pl.String(),
        "thought": pl.String(),
        "matched": pl.String(),
    }
)
"""One row per item of a run, in the order of the items.

``correct`` is null without an answer; ``why`` is a word of `REASONS`, or an error as it was told; ``answer`` is
what the model answered, ``reply`` what it wrote where the answer was read from that, ``thought`` what it
thought before, ``matched`` the gold answer that it matched. What there is not is null.
"""

REASONS: Mapping[str, str] = {
    "likeliest": "the likeliest option",
    "strict": "read from the JSON that was asked for",
    "lenient": "read from the reply",
    "unparsable": "the reply names no option",
    "unanswered": "unanswered: nothing was said, a thought did not end, or the text was cut or filtered",
    "value": "the same number, time or date as a gold answer",
    "words": "the same words as a gold answer",
    "containment": "holds a gold answer",
    "lemmas": "the same base forms as a gold answer",
    "no match": "matches no gold answer",
    "hedged": "hedged: lists more answers than count",
    "refused": "refused: says that it does not answer",
    "not scored": "the question is not scored",
    "missing": "no answer was kept",
}
"""Why an answer is correct or not, by the word that decisions have for it."""


class Candidate(NamedTuple):
    """An answer that a question knows: gold, or a distractor."""

    text: str
    """The answer; variants of one are joined by `VARIANTS`."""
    is_gold: bool = True
    """Whether it counts as correct."""
    votes: int | None = None
    """Annotators behind it; null where they are not counted."""
    note: str = ""
    """Where it stands, or whose answer it is."""


VARIANTS = " / "
"""What stands between variants of one answer."""


class KnownQuestion(NamedTuple):
    """What is known of a question besides the prompt."""

    candidates: tuple[Candidate, ...]
    """Gold answers, most votes first, or options in their order."""
    title: str = ""
    """The question alone; empty where it is the first line of the prompt."""


NOT_KNOWN = KnownQuestion(())

KnownQuestions = Mapping[str, KnownQuestion]
"""What is known of questions, by ``item_id``."""


def single_answers(run: ScoredRun) -> pl.DataFrame:
    """Read the answers of a run with their decisions.

    Returns:
        `SINGLE_ANSWERS`, and the other columns of the decisions. ``answer`` is what the model said.
    """
    written = split_answers(run.run.answers("item_id", *WRITTEN, "error"))
    decided = run.decisions().drop(set(SINGLE_ANSWERS) - {"item_id", "correct", "why", "matched"}, strict=False)
    absent = [name for name in ("why", "matched") if name not in decided.columns]
    reason = pl.col("error") if "why" in absent else pl.coalesce("error", "why")
    return (
        run.run.items("item_id")
        .join(decided, on="item_id", how="left", maintain_order="left")
        .with_columns(pl.lit(None, pl.String).alias(name) for name in absent)
        .join(written, on="item_id", how="left", maintain_order="left")
        .with_columns(
            why=pl.when(pl.col("correct").is_null())
            .then(pl.coalesce(reason, pl.lit("missing")))
            .otherwise("why"),
            answer="text",
            reply=pl.lit(None, pl.String),
        )
        .drop("text", "error", "finish_reason")
    )


def answer_groups(groups: Iterable[Mapping[str, Any]], column: str = "answers") -> tuple[Candidate, ...]:
    """Gold answers, most votes first, of groups of annotators' answers; in their order where votes are unknown.

    Args:
        groups: `published_rows.AnswerGroup`.
        column: ``answers`` or ``en_answers``; groups that have none are left out.
    """
    voted = sorted(groups, key=lambda group: -(group["count"] or 0))
    return tuple(
        Candidate(VARIANTS.join(dict.fromkeys(group[column])), votes=group["count"])
        for group in voted
        if group[column]
    )


def gold_of_labels(labels: Iterable[tuple[str, Sequence[str]]]) -> KnownQuestions:
    """Gold answers without votes, of pairs of ``item_id`` and texts."""
    return {item_id: KnownQuestion(tuple(map(Candidate, texts))) for item_id, texts in labels}
