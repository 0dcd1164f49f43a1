"""Hardest questions: what every model gets wrong, with what it answered and what would have been right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from blend.eval.report.scored import ScoredRun
from blend.eval.tasks.items import text_digest

QUESTIONS = 24
"""Questions shown at most."""

PER_REGION = 2
"""Of these, from one region at most."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a model answered."""

    model: str
    """Name of the model."""
    text: str
    """The answer as the model wrote it, or the option that it chose."""
    right: bool
    """Whether it counts as right."""


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
    """What counts as right."""
    given: tuple[Given, ...]
    """One answer per model, in the order of the runs."""


def hardest_questions(
    runs: Sequence[ScoredRun], *, questions: int = QUESTIONS, per_region: int = PER_REGION
) -> tuple[HardQuestion, ...]:
    """Questions that most of the models get wrong.

    Only items that every model answered are looked at, one per template and region. More models wrong come
    first; among equals a digest of the id decides, so that no topic or region is preferred.

    Args:
        runs: Comparable runs.
        questions: How many, at most.
        per_region: How many of one region, at most.
    """
    answered = [_given(run) for run in runs]
    keys = ("item_id", "region", "topic", "template_id")
    joined = answered[0].select(*keys, pl.col("right").alias("right_0"), pl.col("given").alias("given_0"))
    for i, other in enumerate(answered[1:], start=1):
        columns = other.select(
            "item_id", pl.col("right").alias(f"right_{i}"), pl.col("given").alias(f"given_{i}")
        )
        joined = joined.join(columns, on="item_id", how="inner", maintain_order="left")
    n_wrong = pl.sum_horizontal([(~pl.col(f"right_{i}")).cast(pl.Int64) for i in range(len(runs))])
    wrong = joined.with_columns(n_wrong=n_wrong).filter(pl.col("n_wrong") > 0)
    digests = pl.Series([text_digest(item) for item in wrong["item_id"]], dtype=pl.String)
    chosen = (
        wrong.with_columns(digest=digests)
        .sort(["n_wrong", "digest"], descending=[True, False])
        .unique(["template_id", "region"], keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over("region") < per_region)
        .head(questions)
    )
    asked = _asked(runs[0], chosen["item_id"])
    return tuple(
        HardQuestion(
            item_id=row["item_id"],
            region=row["region"],
            topic=row["topic"] or "",
            prompt=asked[row["item_id"]][0],
            accepted=asked[row["item_id"]][1],
            given=tuple(
                Given(run.name, row[f"given_{i}"] or "", row[f"right_{i}"]) for i, run in enumerate(runs)
            ),
        )
        for row in chosen.iter_rows(named=True)
    )


def _given(run: ScoredRun) -> pl.DataFrame:
    """What the model answered, in its own words or as the text of the option chosen."""
    rows = run.decisions().join(
        run.run.answers().select("item_id", "text"), on="item_id", how="left", maintain_order="left"
    )
    if "chosen" not in rows.columns:
        return rows.with_columns(given=pl.col("text"))
    options = run.run.gold("item_id", "option_texts")
    option = pl.col("option_texts").list.get(pl.col("chosen"), null_on_oob=True)
    return rows.join(options, on="item_id", how="left", maintain_order="left").with_columns(
        given=pl.coalesce(option, "text")
    )


def _asked(run: ScoredRun, item_ids: pl.Series) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Prompt and accepted answers of some items."""
    items = pl.DataFrame({"item_id": item_ids}).join(
        run.run.items("item_id", "locale", "template_id", "language", "prompt"),
        on="item_id",
        how="left",
        maintain_order="left",
    )
    gold = run.run.gold()
    if "option_texts" in gold.columns:
        rows = items.join(gold, on="item_id", how="left", maintain_order="left")
        right = rows.select(pl.col("option_texts").list.get(pl.col("answer"))).to_series()
        return {
            item_id: (prompt, (text,))
            for item_id, prompt, text in zip(item_ids, rows["prompt"], right, strict=True)
        }
    rows = items.join(gold, on=["template_id", "locale"], how="left", maintain_order="left")
    return {row["item_id"]: (row["prompt"], _natives(row)) for row in rows.iter_rows(named=True)}


def _natives(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What natives answer in the language asked in, most votes first."""
    answers = "en_answers" if row["language"] == "en" else "answers"
    groups = sorted(row["annotations"], key=lambda group: -group["count"])
    return tuple(dict.fromkeys(text for group in groups for text in group[answers]))
