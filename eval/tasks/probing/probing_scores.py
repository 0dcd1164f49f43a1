"""Probing: from candidates' log-probabilities to ranks and figures; ``docs/probing.md`` has every formula.

Every interval is over dishes: the prompts about one dish are not independent.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.eval.models.protocols import ModelDescription
from blend.eval.runs.ask_model import TOKENS_NAME
from blend.eval.runs.run_directory import Run, read_frame
from blend.eval.scores_json import ALL, Score, ScoredItems, plain
from blend.eval.tasks.probing.probing_figures import figures
from blend.eval.tasks.probing.word_vectors import WordVectors, read_vectors
from blend.eval.triples.triple_prompts import DISH_DECIDED, SHOWN, asked_parts
from blend.loaders.files.content import file_identity
from blend.schemas.errors import UnknownNameError
from blend.schemas.prompts import MAX_MASKS

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
        "correct": pl.Boolean(),
    }
)
"""One row per item, in the order of the items: dish, language, template and country (``region``); the gold
labels, their ranks from 0 (null: not ranked), the best candidates and how many were ranked; average precision,
hits among the best 1 and 5, similarity by word vectors (null without any), and whether the best candidate is a
gold label."""


def score_probing(
    items: pl.DataFrame,
    gold: pl.DataFrame,
    answers: pl.DataFrame,
    candidates: pl.DataFrame,
    *,
    scorer: str | None,
    causal: str,
    vectors: Mapping[str, WordVectors],
    seed: int,
) -> ScoredItems:
    """Judge what a model gave for every candidate.

    Args:
        items: `items.ITEMS`.
        gold: `tasks.probing.probing_items.GOLD`, row by row the same items.
        answers: `runs.answers.ANSWERS`, in any order; items without one are left out of every figure but
            ``missing``.
        candidates: `tasks.probing.probing_items.CANDIDATES`.
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
    ).with_columns(correct=pl.col("hits_1") > 0)
    labels = _labels(decided)
    return ScoredItems(
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
    # Of the best candidates as many as there are gold labels.
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
    """Count the labels that have a vector, and all labels in languages that have vectors."""
    counts = [
        (known.covered(of_language), len(of_language))
        for language, of_language in labels.items()
        if (known := _of(vectors, language)) is not None
    ]
    return (sum(n for n, _ in counts), sum(n for _, n in counts)) if counts else None


_DIGITS = 8


def score_probing_run(
    run: Run, answers: pl.DataFrame, *, vectors: Mapping[str, Path], seed: int
) -> ScoredItems:
    """Judge the answers of a run.

    Args:
        run: A run of probing.
        answers: What was answered.
        vectors: Files of word vectors by language, the empty language for all.
        seed: Seed of the intervals.

    Raises:
        UnknownNameError: If vectors are given for a language that was not asked in.
        InputError: If a file of vectors cannot be used.
    """
    model = run.description.model
    scorer = model.scorer if isinstance(model, ModelDescription) else None
    candidates = run.candidates()
    items, gold = run.items(), run.gold()
    for language in vectors:
        if language and language not in set(items["language"]):
            raise UnknownNameError("language of `vectors`", language, set(items["language"]))
    known = {
        language: read_vectors(path, _labels_looked_up(language, items, gold, candidates))
        for language, path in vectors.items()
    }
    options = run.description.options
    unknown = _unknown_tokens(run)
    judged = score_probing(
        items, gold, answers, candidates, scorer=scorer, causal=options["causal"], vectors=known, seed=seed
    )
    return judged._replace(
        scores=(*judged.scores, *unknown), signature_parts=_signature_parts(options, scorer, known)
    )


def _unknown_tokens(run: Run) -> list[Score]:
    """The share of candidates with a token that the model does not know, which are ranked all the same."""
    path = run.directory / TOKENS_NAME
    if file_identity(path) is None:
        return []
    tokens = read_frame(path)
    n_unknown = tokens.filter(pl.col("n_unknown") > 0).height
    return [plain("unknown-tokens", "overall", ALL, 100 * n_unknown / tokens.height, n=tokens.height)]


def _labels_looked_up(
    language: str, items: pl.DataFrame, gold: pl.DataFrame, candidates: pl.DataFrame
) -> set[str]:
    """Every label that may be looked up in a language, or in any."""
    rows = pl.concat([items.select("language"), gold.select("gold", "candidate_set")], how="horizontal")
    if language:
        rows = rows.filter(pl.col("language") == language)
    of_sets = candidates.filter(pl.col("candidate_set").is_in(rows["candidate_set"].unique().to_list()))
    return {*of_sets["candidate"], *rows["gold"].explode().drop_nulls()}


def _signature_parts(
    options: Mapping[str, Any], scorer: str | None, vectors: Mapping[str, WordVectors]
) -> dict[str, str]:
    """List what can change a figure, of the options; how a model is asked only where it was asked that way."""
    parts = {"cfg": options["config"], "cand": options["candidates"]}
    parts |= asked_parts(options, ("languages", "names", "countries", "prompts"))
    if scorer == "masked" and options["max_masks"] != MAX_MASKS:
        parts["masks"] = str(options["max_masks"])
    if scorer == "causal" and options["causal"] != "conditional":
        parts["causal"] = options["causal"]
    if vectors:
        parts["vec"] = "+".join(
            f"{language or 'all'}-{known.sha256[:_DIGITS]}" for language, known in sorted(vectors.items())
        )
    return parts
