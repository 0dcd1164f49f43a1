"""Hardest questions: what every model gets wrong, with what it answered and what would have been correct."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from blend.eval.items import text_digest
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import NOT_KNOWN, KnownQuestions

QUESTIONS = 24
"""Questions shown at most."""

PER_REGION = 2
"""Of these, from one region at most."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Answer of a model."""

    model: str
    """Name of the model."""
    text: str
    """The answer as the model wrote it, or the option that it chose."""
    correct: bool
    """Whether it counts as correct."""


@dataclass(frozen=True, slots=True)
class HardQuestion:
    """A question that at least one model gets wrong."""

    item_id: str
    """Id of the item."""
    region: str
    """Code of the region that is asked about."""
    topic: str
    """Topic of the question; empty where there is none."""
    prompt: str
    """What was asked, in full."""
    accepted: tuple[str, ...]
    """What counts as correct."""
    answers: tuple[ModelAnswer, ...]
    """One answer per model, in the order of the runs."""


def hardest_questions(
    runs: Sequence[ScoredRun],
    answers: Sequence[pl.DataFrame],
    known: KnownQuestions,
    *,
    questions: int = QUESTIONS,
    per_region: int = PER_REGION,
) -> tuple[HardQuestion, ...]:
    """Questions that most of the models get wrong.

    Only items that every model answered are looked at, one per template and region. More models wrong come
    first; among equals a digest of the id decides, so that no topic or region is preferred.

    Args:
        runs: Comparable runs.
        answers: `SINGLE_ANSWERS` of each.
        known: Their gold answers.
        questions: How many, at most.
        per_region: How many of one region, at most.
    """
    joined = runs[0].run.items("item_id", "region", "topic", "template_id", "prompt")
    for i, of_run in enumerate(answers):
        columns = of_run.select("item_id", **{f"correct_{i}": "correct", f"answer_{i}": "answer"})
        joined = joined.join(columns, on="item_id", how="inner", maintain_order="left")
    n_wrong = pl.sum_horizontal([(~pl.col(f"correct_{i}")).cast(pl.Int64) for i in range(len(runs))])
    answered = pl.all_horizontal(pl.col(f"correct_{i}").is_not_null() for i in range(len(runs)))
    wrong = joined.filter(answered).with_columns(n_wrong=n_wrong).filter(pl.col("n_wrong") > 0)
    digests = pl.Series([text_digest(item) for item in wrong["item_id"]], dtype=pl.String)
    chosen = (
        wrong.with_columns(digest=digests)
        .sort(["n_wrong", "digest"], descending=[True, False])
        .unique(["template_id", "region"], keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over("region") < per_region)
        .head(questions)
    )
    return tuple(
        HardQuestion(
            item_id=row["item_id"],
            region=row["region"],
            topic=row["topic"] or "",
            prompt=row["prompt"],
            accepted=tuple(one.text for one in known.get(row["item_id"], NOT_KNOWN).candidates if one.is_gold),
            answers=tuple(
                ModelAnswer(run.name, row[f"answer_{i}"] or "", row[f"correct_{i}"])
                for i, run in enumerate(runs)
            ),
        )
        for row in chosen.iter_rows(named=True)
    )
