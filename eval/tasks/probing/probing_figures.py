"""Figures of probing: by country, language and template, and the differences that the paper asks about."""

from collections.abc import Callable, Sequence

import polars as pl

from blend.eval.scores_json import ALL, Score, estimated, missing_share, percent, percents, plain
from blend.eval.statistics.clusters import Clusters, cluster_sums
from blend.eval.statistics.estimates import Estimate, estimates, gap_estimate, macro_estimate
from blend.eval.triples.triple_prompts import MIN_DISHES
from blend.schemas.rows import GAP

_DISH = "template_id"
_PAIR = "/"
_ENGLISH = "en"


def figures(
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


def _hits(k: int) -> Callable[[pl.DataFrame], pl.DataFrame]:
    # Precision at k: over all k places, also where there are fewer gold labels than that.
    return lambda rows: rows.with_columns(value=pl.col(f"hits_{k}").cast(pl.Float64), weight=pl.lit(float(k)))


def _similarities(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("similarity").is_not_null()).with_columns(value="similarity", weight=1.0)


_MEASURES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "mAP": _precisions,
    "P@1": _hits(1),
    "P@5": _hits(5),
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
