"""Ranking: the place of every gold label among the candidates, and what follows from the places.

Ranks count from 0, the best. Equal scores: for masked models the candidate of fewer tokens first, then by code
point; for all others by code point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.triples.triple_decisions import SHOWN

RANKED = pl.Schema(
    {
        "ranks": pl.List(pl.Int64()),
        "top": pl.List(pl.String()),
        "n_ranked": pl.Int64(),
    }
)
"""Per item: the rank of every gold label in their order, null for one that is not ranked; the best candidates;
and how many candidates were ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSet:
    """Candidates in code-point order."""

    names: tuple[str, ...]
    """Their texts."""
    indices: Mapping[str, int]
    """Position of each."""


def candidate_sets(candidates: pl.DataFrame) -> dict[str, CandidateSet]:
    """The sets of a run by name; ``candidates`` has ``candidate_set`` and ``candidate``."""
    sets: dict[str, list[str]] = {}
    for name, candidate in candidates.select("candidate_set", "candidate").iter_rows():
        sets.setdefault(name, []).append(candidate)
    return {
        name: CandidateSet(tuple(texts), {text: index for index, text in enumerate(texts)})
        for name, texts in sets.items()
    }


def ranked(
    rows: pl.DataFrame, sets: Mapping[str, CandidateSet], *, per_token: bool, shorter_first: bool
) -> pl.DataFrame:
    """Ranks of all items.

    Args:
        rows: ``gold``, ``candidate_set``, ``logprobs`` and ``option_tokens``, the last two null where there is
            no answer.
        sets: The candidates.
        per_token: Whether the score is the mean of a token's log-probability, or else their sum.
        shorter_first: Whether of equal scores that of fewer tokens comes first.

    Returns:
        `RANKED`, row by row; all null where there is no answer.
    """
    found = [
        _ranked(row, sets[row["candidate_set"]], per_token=per_token, shorter_first=shorter_first)
        if row["logprobs"] is not None
        else (None, None, None)
        for row in rows.select("gold", "candidate_set", "logprobs", "option_tokens").iter_rows(named=True)
    ]
    return pl.DataFrame(found, schema=RANKED, orient="row")


def _ranked(
    row: Mapping[str, Any], candidates: CandidateSet, *, per_token: bool, shorter_first: bool
) -> tuple[list[int | None], list[str], int]:
    tokens = np.array(row["option_tokens"])
    scores = np.array(row["logprobs"], dtype=np.float64)
    if per_token:
        scores = scores / np.maximum(tokens, 1)
    order = best_first(scores, tokens if shorter_first else None)
    # Inverse of the order: by candidate its rank, -1 for one that is not ranked.
    index = np.full(len(scores), -1)
    index[order] = np.arange(len(order))
    ranks = [
        None if (i := candidates.indices.get(label, -1)) < 0 or index[i] < 0 else int(index[i])
        for label in row["gold"]
    ]
    n_shown = max(SHOWN, len(row["gold"]))
    return ranks, [candidates.names[i] for i in order[:n_shown].tolist()], len(order)


def best_first(scores: NDArray[np.float64], tokens: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Positions of the ranked candidates, which stand in code-point order, the best first.

    Args:
        scores: Larger is better; NaN for what is not ranked.
        tokens: By which equal scores are told apart first, if at all.
    """
    order: NDArray[np.int64] = np.lexsort((-scores,) if tokens is None else (tokens, -scores))
    return order[: int((~np.isnan(scores)).sum())]


def average_precision(ranks: Sequence[int | None]) -> float | None:
    """Average precision of the ranked gold labels; null where none is ranked."""
    indices = sorted(rank for rank in ranks if rank is not None)
    if not indices:
        return None
    return sum(k / (rank + 1) for k, rank in enumerate(indices, start=1)) / len(indices)


def hits(ranks: Sequence[int | None], k: int) -> int:
    """Count the gold labels among the best ``k``."""
    return sum(rank is not None and rank < k for rank in ranks)
