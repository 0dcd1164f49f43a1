"""Probing: from candidates' log-probabilities to ranks and figures; ``docs/probing.md`` has every formula.

Every interval is over dishes: the prompts about one dish are not independent.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from blend.eval.models import ModelDescription
from blend.eval.runs.answers import as_scored
from blend.eval.runs.run_directory import TOKENS, TOKENS_NAME, Run, read_frame
from blend.eval.scores_json import (
    Score,
    ScoredItems,
    counted_share,
    gap_scores,
    macro_score,
    missing_share,
    share_scores,
)
from blend.eval.task import Progress
from blend.eval.tasks.probing import ProbingScoring
from blend.eval.tasks.probing.ranking import RANKED, WordVectors, candidate_sets, ranked, read_vectors
from blend.eval.triples.triple_prompts import DISH_DECIDED, MIN_DISHES, asked_parts
from blend.schemas.errors import check_names
from blend.schemas.prompts import MAX_MASKS

DECISIONS = pl.Schema(
    {
        **DISH_DECIDED,
        "relation": pl.String(),
        "with_country": pl.Boolean(),
        "gold": pl.List(pl.String()),
        **RANKED,
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
        vectors: Word vectors by language; a language without any has no similarity.
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
    similarities, covered = _similarities(measured, vectors)
    decided = measured.with_columns(
        pl.Series("similarity", similarities, pl.Float64), correct=pl.col("hits_1") > 0
    )
    return ScoredItems(
        decided.select(list(DECISIONS)).cast(DECISIONS),
        _figures(decided, covered=covered, seed=seed),
    )


def _similarities(
    rows: pl.DataFrame, vectors: Mapping[str, WordVectors]
) -> tuple[list[float | None], tuple[int, int] | None]:
    """The similarity of each item; and of the labels compared, how many have a vector, of how many."""
    compared: dict[str, set[str]] = {}
    found: list[float | None] = []
    for language, gold, top in rows.select("language", "gold", "top").iter_rows():
        known = vectors.get(language)
        if known is None or top is None:
            found.append(None)
            continue
        # Of the best candidates as many as there are gold labels.
        best = top[: len(gold)]
        found.append(known.similarity(gold, best))
        compared.setdefault(language, set()).update(gold, best)
    n_with = sum(vectors[language].covered(labels) for language, labels in compared.items())
    return found, (n_with, sum(map(len, compared.values()))) if compared else None


_DIGITS = 8


def score_probing_run(run: Run, scoring: ProbingScoring, _on_progress: Progress) -> ScoredItems:
    """Score a run of probing.

    Raises:
        UnknownNameError: If vectors are given for a language that was not asked in.
        InputError: If a file of vectors cannot be used.
    """
    model, vectors = run.description.model, scoring.vectors or {}
    answers = as_scored(run.answers(thoughts=False), run.description)
    scorer = model.scorer if isinstance(model, ModelDescription) else None
    candidates = run.candidates()
    items, gold = run.items(), run.gold()
    languages = set(items["language"])
    check_names("language of `vectors`", filter(None, vectors), languages)
    labels = {*candidates["candidate"], *gold["gold"].explode().drop_nulls()}
    known = {language: read_vectors(path, labels) for language, path in vectors.items()}
    of_all = known.get("")
    options = run.description.options
    judged = score_probing(
        *(items, gold, answers, candidates),
        scorer=scorer,
        causal=options["causal"],
        vectors={one: found for one in languages if (found := known.get(one, of_all)) is not None},
        seed=scoring.seed,
    )
    return judged._replace(
        scores=(*judged.scores, *_unknown_tokens(run)), signature_parts=_signature_parts(options, scorer, known)
    )


def _unknown_tokens(run: Run) -> list[Score]:
    """The share of candidates with a token that the model does not know, which are ranked all the same."""
    path = run.directory / TOKENS_NAME
    if not path.exists():
        return []
    tokens = read_frame(path, TOKENS)
    n_unknown = tokens.filter(pl.col("n_unknown") > 0).height
    return [counted_share("unknown-tokens", n_unknown, tokens.height)]


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


_ENGLISH = "en"


def _figures(rows: pl.DataFrame, *, covered: tuple[int, int] | None, seed: int) -> tuple[Score, ...]:
    """All figures.

    Args:
        rows: Items with the columns of `probing_scores.DECISIONS` and ``logprobs``, null where there is no
            answer.
        covered: Labels with a word vector, and all labels; null without vectors.
        seed: Seed of the intervals.
    """
    named = pl.when("with_country").then(pl.lit("country-named")).otherwise(pl.lit("country-not-named"))
    kept = rows.filter(pl.col("ranks").is_not_null()).with_columns(named=named)
    precisions = _valued(kept, "precision")
    scores = _measured("mAP", precisions, seed)
    for k in (1, 5):
        # Precision at k: over all k places, also where there are fewer gold labels than that.
        scores += _measured(f"P@{k}", _valued(kept, f"hits_{k}").with_columns(denominator=float(k)), seed)
    if covered is not None:
        # A mean of cosines can be below 0, and is no share.
        scores += _measured("mWS", _valued(kept, "similarity"), seed, proportion=False, unit=1)
    scores += [*gap_scores(_of_enough_dishes(precisions), seed), *_effects(precisions, seed)]
    scores += [*_unranked(kept), missing_share(kept.height, rows.height)]
    if covered is not None:
        n_with, n_labels = covered
        scores.append(counted_share("without-vector", n_labels - n_with, n_labels))
    return tuple(scores)


def _valued(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The items that a figure counts."""
    return rows.drop_nulls(column).with_columns(value=column)


_SCOPES = {
    "country": "region",
    "language": "language",
    "template": "prompt_id",
    "language-country": ("language", "region"),
    "language-template": ("language", "prompt_id"),
    "naming": "named",
}


def _measured(
    metric: str, rows: pl.DataFrame, seed: int, *, proportion: bool = True, unit: float = 100
) -> list[Score]:
    """A figure over everything, as the mean over countries, and by scope."""
    overall, *by_scope = share_scores(metric, rows, _SCOPES, seed, proportion=proportion, unit=unit)
    of_enough = _of_enough_dishes(rows)
    macro = macro_score(f"{metric}-macro", of_enough, seed, proportion=proportion, unit=unit)
    return [overall, *([] if macro.value is None else [macro]), *by_scope]


def _of_enough_dishes(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("template_id").n_unique().over("region") >= MIN_DISHES)


def _effects(precisions: pl.DataFrame, seed: int) -> list[Score]:
    """Differences of mAP on the same dishes: naming the country, and asking in English."""
    # Prompts with and without the country share the number at the end of their id.
    numbered = precisions.with_columns(number=pl.col("prompt_id").str.replace(r"^[A-Za-z]+_", ""))
    is_english = pl.col("language") == _ENGLISH
    # Rows without a partner drop out of the join.
    pairs = {
        "country-effect": (pl.col("with_country"), ~pl.col("with_country"), ("language", "number")),
        "english-advantage": (is_english, ~is_english, ("prompt_id",)),
    }
    scores = []
    for metric, (is_one, is_other, same) in pairs.items():
        one, other = numbered.filter(is_one), numbered.filter(is_other)
        # Language and country are those of the row that is not in English.
        both = other.join(one, on=["template_id", *same], suffix="_of_one", maintain_order="left_right")
        differences = both.with_columns(value=pl.col("value_of_one") - pl.col("value"))
        by = {"language": "language", "country": "region"}
        if not differences.is_empty():
            scores += share_scores(metric, differences, by, seed, proportion=False)
    return scores


def _unranked(rows: pl.DataFrame) -> list[Score]:
    """Candidates that a model could not rank, and gold labels without a rank, by language and in all."""
    asked = pl.col("logprobs").list.len()
    scores: list[Score] = []
    sums = {
        "not-ranked": (asked - pl.col("n_ranked"), asked),
        "gold-not-ranked": (
            pl.col("ranks").list.eval(pl.element().is_null()).list.sum(),
            pl.col("ranks").list.len(),
        ),
    }
    for metric, (part, of_all) in sums.items():
        counts = rows.group_by("language").agg(part=part.sum(), of_all=of_all.sum()).sort("language")
        scores.append(counted_share(metric, *counts.select(pl.col("part", "of_all").sum()).row(0)))
        scores += [counted_share(metric, *of, scope="language", key=key) for key, *of in counts.iter_rows()]
    return scores
