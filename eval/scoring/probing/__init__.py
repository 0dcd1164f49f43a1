"""Probing: from candidates' log-probabilities to ranks and figures; ``docs/probing.md`` has every formula.

Every interval is over dishes: the prompts about one dish are not independent.
"""

from collections.abc import Collection, Mapping
from typing import Any

import polars as pl

from blend.eval.scoring.judged import DISH_DECIDED, Judged
from blend.eval.scoring.probing.figures import figures
from blend.eval.scoring.probing.ranking import average_precision, candidate_sets, hits, ranked
from blend.eval.scoring.probing.vectors import WordVectors

CUTS = (1, 5)
"""The ``k`` of P@k."""

DECISIONS = pl.Schema(
    {
        **DISH_DECIDED,
        "relation": pl.String(),
        "with_country": pl.Boolean(),
        "gold": pl.List(pl.String()),
        "ranks": pl.List(pl.Int64()),
        "top": pl.List(pl.String()),
        "n_ranked": pl.Int64(),
        "precision": pl.Float64(),
        "hits_1": pl.Int64(),
        "hits_5": pl.Int64(),
        "similarity": pl.Float64(),
        "right": pl.Boolean(),
    }
)
"""One row per item, in the order of the items: dish, language, template and country (``region``); the gold
labels, their ranks from 0 (null: not ranked), the best candidates and how many were ranked; average precision,
hits among the best 1 and 5, similarity by word vectors (null without any), and whether the best candidate is a
gold label."""


def judge_probing(
    items: pl.DataFrame,
    gold: pl.DataFrame,
    answers: pl.DataFrame,
    candidates: pl.DataFrame,
    *,
    scorer: str | None,
    causal: str,
    vectors: Mapping[str, WordVectors],
    seed: int,
) -> Judged:
    """Judge what a model gave for every candidate.

    Args:
        items: `tasks.items.ITEMS`.
        gold: `tasks.probe.GOLD`, row by row the same items.
        answers: `runs.answers.ANSWERS`, in any order; items without one are left out of every figure but
            ``missing``.
        candidates: `tasks.probe.CANDIDATES`.
        scorer: Kind of the model.
        causal: How a causal model was asked.
        vectors: Word vectors by language; those of the empty language are for all others.
        seed: Seed of the intervals.

    Returns:
        `DECISIONS`, and the scores: those of all items first, then by country, language and template.
    """
    rows = pl.concat([items, gold.drop("item_id")], how="horizontal").join(
        answers.filter(pl.col("error").is_null()).select("item_id", "logprobs", "option_tokens"),
        on="item_id",
        how="left",
        maintain_order="left",
    )
    of_statement = scorer == "causal" and causal == "statement"
    places = ranked(
        rows, candidate_sets(candidates), per_token=not of_statement, shorter_first=scorer == "masked"
    )
    measured = pl.concat([rows, places], how="horizontal")
    decided = measured.with_columns(
        pl.Series("precision", [_precision(ranks) for ranks in places["ranks"]], pl.Float64),
        *(pl.Series(f"hits_{k}", [_hits(ranks, k) for ranks in places["ranks"]], pl.Int64) for k in CUTS),
        pl.Series("similarity", [_similarity(row, vectors) for row in _words(measured)], pl.Float64),
    ).with_columns(right=pl.col("hits_1") > 0)
    labels = _labels(decided)
    return Judged(
        decided.select(list(DECISIONS)).cast(DECISIONS),
        figures(decided, scorer=scorer, causal=causal, covered=_covered(labels, vectors), seed=seed),
    )


def _precision(ranks: Any) -> float | None:
    return None if ranks is None else average_precision(ranks.to_list())


def _hits(ranks: Any, k: int) -> int | None:
    return None if ranks is None else hits(ranks.to_list(), k)


def _words(rows: pl.DataFrame) -> Any:
    return rows.select("language", "gold", "top").iter_rows(named=True)


def _similarity(row: Mapping[str, Any], vectors: Mapping[str, WordVectors]) -> float | None:
    known = _of(vectors, row["language"])
    if known is None or row["top"] is None:
        return None
    return known.similarity(row["gold"], row["top"][: len(row["gold"])])


def _of(vectors: Mapping[str, WordVectors], language: str) -> WordVectors | None:
    return vectors.get(language) or vectors.get("")


def _labels(rows: pl.DataFrame) -> dict[str, set[str]]:
    """Every label that a similarity was computed of, by language."""
    found: dict[str, set[str]] = {}
    for row in _words(rows.filter(pl.col("top").is_not_null())):
        found.setdefault(row["language"], set()).update(row["gold"], row["top"][: len(row["gold"])])
    return found


def _covered(
    labels: Mapping[str, Collection[str]], vectors: Mapping[str, WordVectors]
) -> tuple[int, int] | None:
    """How many labels have a vector, of how many in languages that have vectors."""
    counts = [
        (known.covered(of_language), len(of_language))
        for language, of_language in labels.items()
        if (known := _of(vectors, language)) is not None
    ]
    return (sum(n for n, _ in counts), sum(n for _, n in counts)) if counts else None
