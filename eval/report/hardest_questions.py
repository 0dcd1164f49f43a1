"""Hardest questions: what every model gets wrong, with what it answered and what would have been correct."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from blend.eval.items import text_digest
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.written_answers import WRITTEN, split_answers

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


Accepted = Callable[[ScoredRun, pl.DataFrame], Mapping[str, tuple[str, ...]]]
"""What counts as correct, by ``item_id``, of items of a run: ``item_id``, ``locale``, ``template_id``,
``language``."""


def written_texts(run: ScoredRun) -> pl.DataFrame:
    """The decisions with ``text``, what the model said."""
    kept = run.run.answers("item_id", *WRITTEN, "error")
    answers = split_answers(kept, run.run.description).select("item_id", "text")
    return run.decisions().join(answers, on="item_id", how="left", maintain_order="left")


def hardest_questions(
    runs: Sequence[ScoredRun],
    *,
    accepted: Accepted,
    answered: Callable[[ScoredRun], pl.DataFrame] = written_texts,
    questions: int = QUESTIONS,
    per_region: int = PER_REGION,
) -> tuple[HardQuestion, ...]:
    """Questions that most of the models get wrong.

    Only items that every model answered are looked at, one per template and region. More models wrong come
    first; among equals a digest of the id decides, so that no topic or region is preferred.

    Args:
        runs: Comparable runs.
        accepted: What counts as correct.
        answered: The decisions of a run with ``text``, what the model answered.
        questions: How many, at most.
        per_region: How many of one region, at most.
    """
    keys = ("item_id", "region", "topic", "template_id")
    first, *others = (answered(run) for run in runs)
    joined = first.select(*keys, pl.col("correct").alias("correct_0"), pl.col("text").alias("text_0"))
    for i, other in enumerate(others, start=1):
        columns = other.select("item_id", *(pl.col(name).alias(f"{name}_{i}") for name in ("correct", "text")))
        joined = joined.join(columns, on="item_id", how="inner", maintain_order="left")
    n_wrong = pl.sum_horizontal([(~pl.col(f"correct_{i}")).cast(pl.Int64) for i in range(len(runs))])
    wrong = joined.with_columns(n_wrong=n_wrong).filter(pl.col("n_wrong") > 0)
    digests = pl.Series([text_digest(item) for item in wrong["item_id"]], dtype=pl.String)
    chosen = (
        wrong.with_columns(digest=digests)
        .sort(["n_wrong", "digest"], descending=[True, False])
        .unique(["template_id", "region"], keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over("region") < per_region)
        .head(questions)
    )
    items = chosen.select("item_id").join(
        runs[0].run.items("item_id", "locale", "template_id", "language", "prompt"),
        on="item_id",
        how="left",
        maintain_order="left",
    )
    prompts = dict(items.select("item_id", "prompt").iter_rows())
    correct = accepted(runs[0], items.drop("prompt"))
    return tuple(
        HardQuestion(
            item_id=row["item_id"],
            region=row["region"],
            topic=row["topic"] or "",
            prompt=prompts[row["item_id"]],
            accepted=correct[row["item_id"]],
            answers=tuple(
                ModelAnswer(run.name, row[f"text_{i}"] or "", row[f"correct_{i}"]) for i, run in enumerate(runs)
            ),
        )
        for row in chosen.iter_rows(named=True)
    )
