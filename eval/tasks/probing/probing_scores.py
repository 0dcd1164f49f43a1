"""Probing: from candidates' log-probabilities to ranks and figures; ``docs/probing.md`` has every formula.

Every interval is over dishes: the prompts about one dish are not independent.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from blend.eval.models import ModelDescription
from blend.eval.runs.answers import as_scored
from blend.eval.runs.ask_model import TOKENS_NAME
from blend.eval.runs.run_directory import Run, read_frame
from blend.eval.scores_json import ALL, Score, ScoredItems, estimated, missing_share, percent, percents, plain
from blend.eval.statistics import Clusters, cluster_sums
from blend.eval.statistics.estimates import Estimate, estimates, gap_estimate, macro_estimate
from blend.eval.task import Progress
from blend.eval.tasks.probing import ProbingScoring
from blend.eval.tasks.probing.ranking import RANKED, WordVectors, candidate_sets, ranked, read_vectors
from blend.eval.triples.triple_prompts import DISH_DECIDED, MIN_DISHES, asked_parts
from blend.loaders.files.content import file_identity
from blend.schemas.errors import UnknownNameError
from blend.schemas.prompts import MAX_MASKS
from blend.schemas.rows import GAP

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
        pl.Series("similarity", [_similarity(row, vectors) for row in _words(measured)], pl.Float64),
    ).with_columns(correct=pl.col("hits_1") > 0)
    labels = _labels(decided)
    return ScoredItems(
        decided.select(list(DECISIONS)).cast(DECISIONS),
        _figures(decided, scorer=scorer, causal=causal, covered=_covered(labels, vectors), seed=seed),
    )


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
        *(items, gold, answers, candidates),
        scorer=scorer,
        causal=options["causal"],
        vectors=known,
        seed=scoring.seed,
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


_DISH = "template_id"
_PAIR = "/"
_ENGLISH = "en"


def _figures(
    rows: pl.DataFrame, *, scorer: str | None, causal: str, covered: tuple[int, int] | None, seed: int
) -> tuple[Score, ...]:
    """All figures.

    Args:
        rows: Items with the columns of `probing_scores.DECISIONS`, ``prompt`` and ``logprobs``, null where
            there is no answer.
        scorer: Kind of the model.
        causal: How a causal model was asked.
        covered: Labels with a word vector, and all labels; null without vectors.
        seed: Seed of the intervals.
    """
    kept = rows.filter(pl.col("ranks").is_not_null())
    measures = dict(_MEASURES)
    if covered is None:
        del measures["mWS"]
    scores: list[Score] = []
    for metric, measure in measures.items():
        scores += _by_scope(metric, measure(kept), seed)
    scores += [*_gaps(kept, seed), *_effects(kept, seed), *_spread(kept)]
    scores += _unranked(kept)
    scores.append(missing_share(kept.height, rows.height))
    if scorer == "causal" and causal != "statement":
        scores.append(_unseen_context(rows))
    if covered is not None:
        n_with, n_labels = covered
        scores.append(plain("without-vector", "overall", ALL, _share(n_labels - n_with, n_labels), n=n_labels))
    return tuple(scores)


def _precisions(rows: pl.DataFrame) -> pl.DataFrame:
    """Average precision of the items that have a ranked gold label."""
    return rows.filter(pl.col("precision").is_not_null()).with_columns(value="precision", weight=1.0)


def _share_of_hits(k: int) -> Callable[[pl.DataFrame], pl.DataFrame]:
    # Precision at k: over all k places, also where there are fewer gold labels than that.
    return lambda rows: rows.with_columns(value=pl.col(f"hits_{k}").cast(pl.Float64), weight=pl.lit(float(k)))


def _similarities(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("similarity").is_not_null()).with_columns(value="similarity", weight=1.0)


_MEASURES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "mAP": _precisions,
    "P@1": _share_of_hits(1),
    "P@5": _share_of_hits(5),
    "mWS": _similarities,
}
"""Each figure as a ratio: adds ``value`` (numerator) and ``weight`` (denominator) to the items that it
counts."""

_SCOPES: dict[str, tuple[str, ...]] = {
    "country": ("region",),
    "language": ("language",),
    "template": ("prompt_id",),
    "language-country": ("language", "region"),
    "language-template": ("language", "prompt_id"),
}


def _by_scope(metric: str, rows: pl.DataFrame, seed: int) -> list[Score]:
    """A figure over everything, as the mean over countries, and by scope."""
    countries = _clusters(rows, "region")
    scores = [
        _score(metric, "overall", ALL, estimates(countries.pooled, seed=seed, proportion=_is_share(metric))[0])
    ]
    macro = macro_estimate(
        _clusters(_of_enough_dishes(rows), "region"), seed=seed, proportion=_is_share(metric)
    )
    if macro.value is not None:
        scores.append(_score(f"{metric}-macro", "overall", ALL, macro))
    for scope, columns in _SCOPES.items():
        clusters = _clusters(rows, *columns)
        found = estimates(clusters, seed=seed, proportion=_is_share(metric))
        scores += [_score(metric, scope, key, one) for key, one in zip(clusters.groups, found, strict=True)]
    named = _clusters(rows.with_columns(named=_named()), "named")
    found = estimates(named, seed=seed, proportion=_is_share(metric))
    return scores + [_score(metric, "naming", key, one) for key, one in zip(named.groups, found, strict=True)]


def _named() -> pl.Expr:
    return pl.when(pl.col("with_country")).then(pl.lit("country-named")).otherwise(pl.lit("country-not-named"))


def _is_share(metric: str) -> bool:
    # A mean of cosines can be below 0.
    return metric != "mWS"


def _score(metric: str, scope: str, key: str, estimate: Estimate) -> Score:
    if _is_share(metric.removesuffix("-macro")):
        return percent(metric, scope, key, estimate)
    return estimated(metric, scope, key, estimate)


def _clusters(rows: pl.DataFrame, *groups: str) -> Clusters:
    """Numerators and denominators by group and dish; several groups are joined to one key."""
    # In the order of the rows: in another one, a sum has other last digits.
    in_order = rows.group_by(_DISH, *groups, maintain_order=True)
    sums = in_order.agg(pl.col("value").sum(), pl.col("weight").sum())
    group = pl.concat_str(groups, separator=_PAIR) if groups else pl.lit(ALL)
    sums = sums.with_columns(group=group).sort(_DISH, "group")
    return cluster_sums(
        sums["value"].to_numpy(),
        sums[_DISH].to_numpy(),
        sums["group"].to_numpy(),
        counts=sums["weight"].to_numpy(),
    )


def _gaps(rows: pl.DataFrame, seed: int) -> list[Score]:
    """The best minus the worst country, of those with enough dishes."""
    gap = gap_estimate(_clusters(_of_enough_dishes(_precisions(rows)), "region"), seed=seed)
    if gap is None:
        return []
    return [percent("parity-gap", "overall", f"{gap.best}{_PAIR}{gap.worst}", gap.estimate)]


def _of_enough_dishes(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col(_DISH).n_unique().over("region") >= MIN_DISHES)


def _effects(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Differences of mAP on the same dishes: naming the country, and asking in English."""
    # Prompts with and without the country share the number at the end of their id.
    precisions = _precisions(rows).with_columns(number=pl.col("prompt_id").str.replace(r"^[A-Za-z]+_", ""))
    named, plain_ones = (precisions.filter(pl.col("with_country") == flag) for flag in (True, False))
    country = _pairs(named, plain_ones, "language", "number").with_columns(
        value=pl.col("precision") - pl.col("precision_other")
    )
    # The same dish and prompt in English and in the other language; rows without a partner drop out of the
    # join.
    english, local = (precisions.filter((pl.col("language") == _ENGLISH) == flag) for flag in (True, False))
    in_english = _pairs(local, english, "prompt_id").with_columns(
        value=pl.col("precision_other") - pl.col("precision")
    )
    return [
        *_differences("country-effect", country, ("language", "region"), seed),
        *_differences("english-advantage", in_english, ("language", "region"), seed),
    ]


def _pairs(rows: pl.DataFrame, others: pl.DataFrame, *by: str) -> pl.DataFrame:
    return rows.join(others, on=[_DISH, *by], suffix="_other", maintain_order="left_right")


def _differences(metric: str, rows: pl.DataFrame, scopes: Sequence[str], seed: int) -> list[Score]:
    if rows.is_empty():
        return []
    everything = estimates(_clusters(rows), seed=seed, proportion=False)[0]
    scores = [percent(metric, "overall", ALL, everything)]
    for column in scopes:
        clusters = _clusters(rows, column)
        found = estimates(clusters, seed=seed, proportion=False)
        scores += percents(metric, "country" if column == "region" else column, clusters.groups, found)
    return scores


def _spread(rows: pl.DataFrame) -> list[Score]:
    """Score how far a language's templates lie apart, best minus worst, without and with the country."""
    means = (
        _precisions(rows)
        .with_columns(named=_named())
        .group_by("language", "named", "prompt_id", maintain_order=True)
        .agg(pl.col("precision").mean())
        .group_by("language", "named")
        .agg(spread=pl.col("precision").max() - pl.col("precision").min(), n=pl.len())
        .sort("language", "named")
    )
    return [
        plain("template-spread", "language-naming", f"{language}{_PAIR}{named}", 100 * spread, n=n)
        for language, named, spread, n in means.iter_rows()
    ]


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
        total = counts.select(pl.col("part", "of_all").sum()).row(0)
        scores.append(plain(metric, "overall", ALL, _share(*total), n=total[1]))
        scores += [plain(metric, "language", key, _share(n, of), n=of) for key, n, of in counts.iter_rows()]
    return scores


def _unseen_context(rows: pl.DataFrame) -> Score:
    """The share of templates of which a left-to-right score leaves words out: those behind the gap."""
    behind = pl.col("prompt").str.split(GAP).list.last().str.contains(r"[\p{L}\p{N}]")
    templates = rows.group_by("language", "prompt_id").agg(unseen=behind.any())
    n_unseen = templates.filter("unseen").height
    return plain(
        "right-context-unseen",
        "overall",
        ALL,
        _share(n_unseen, templates.height),
        n=templates.height,
    )


def _share(part: int, of_all: int) -> float | None:
    return 100 * part / of_all if of_all else None
