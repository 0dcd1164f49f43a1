"""Ranking: candidates by how likely a model finds them, and where the gold labels stand among them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.triples.triple_prompts import SHOWN

RANKED = pl.Schema(
    {
        "ranks": pl.List(pl.Int64()),
        "top": pl.List(pl.String()),
        "n_ranked": pl.Int64(),
        "precision": pl.Float64(),
        "hits_1": pl.Int64(),
        "hits_5": pl.Int64(),
    }
)
"""Per item: the rank of every gold label in their order, from 0, null for one that is not ranked; the best
candidates; how many candidates were ranked; average precision, null where no gold label is ranked; and gold
labels among the best 1 and 5."""


def candidate_sets(candidates: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Candidates by the name of their set, in code-point order, each with its place.

    Args:
        candidates: ``candidate_set`` and ``candidate``.
    """
    sets: dict[str, dict[str, int]] = {}
    for name, candidate in candidates.select("candidate_set", "candidate").iter_rows():
        of_name = sets.setdefault(name, {})
        of_name[candidate] = len(of_name)
    return sets


def ranked(
    rows: pl.DataFrame, sets: Mapping[str, Mapping[str, int]], *, per_token: bool, shorter_first: bool
) -> pl.DataFrame:
    """Ranks of all items.

    Args:
        rows: ``gold``, ``candidate_set``, ``logprobs`` and ``option_tokens``, the last two null where there is
            no answer.
        sets: The candidates, as of `candidate_sets`.
        per_token: Whether the score is the mean of a token's log-probability, or else their sum.
        shorter_first: Whether of equal scores that of fewer tokens comes first.

    Returns:
        `RANKED`, row by row; all null where there is no answer.
    """
    names = {name: list(of_name) for name, of_name in sets.items()}
    found: list[tuple[Any, ...]] = []
    for gold, which, logprobs, option_tokens in rows.select(
        "gold", "candidate_set", "logprobs", "option_tokens"
    ).iter_rows():
        if logprobs is None:
            found.append((None,) * len(RANKED))
            continue
        tokens = np.array(option_tokens)
        scores = np.array(logprobs, dtype=np.float64)
        if per_token:
            scores = scores / np.maximum(tokens, 1)
        order = _best_first(scores, tokens if shorter_first else None)
        # Inverse of the order: by candidate its rank, -1 for one that is not ranked.
        rank_of = np.full(len(scores), -1)
        rank_of[order] = np.arange(len(order))
        places = (sets[which].get(label) for label in gold)
        ranks = [None if i is None or rank_of[i] < 0 else int(rank_of[i]) for i in places]
        top = [names[which][i] for i in order[: max(SHOWN, len(gold))].tolist()]
        known = sorted(rank for rank in ranks if rank is not None)
        hits = (sum(rank < k for rank in known) for k in (1, 5))
        found.append((ranks, top, len(order), _average_precision(known), *hits))
    return pl.DataFrame(found, schema=RANKED, orient="row")


def _best_first(scores: NDArray[np.float64], tokens: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Positions of the ranked candidates, which stand in code-point order, the best first.

    Args:
        scores: Larger is better; NaN for what is not ranked.
        tokens: By which equal scores are told apart first, if at all.
    """
    order: NDArray[np.int64] = np.lexsort((-scores,) if tokens is None else (tokens, -scores))
    return order[: int((~np.isnan(scores)).sum())]


def _average_precision(ranks: Sequence[int]) -> float | None:
    """Average precision of the gold labels that are ranked, from their ranks in order; null where none is."""
    if not ranks:
        return None
    return sum(k / (rank + 1) for k, rank in enumerate(ranks, start=1)) / len(ranks)
