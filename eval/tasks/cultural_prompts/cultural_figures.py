"""Figures: what the topics of a run add up to, as scores."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from blend.eval.scores_json import ALL, Score, estimated, missing_share, plain
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.tasks.cultural_prompts.lexical_variance import Variances, anova
from blend.eval.tasks.cultural_prompts.odd_texts import ODDITIES
from blend.eval.tasks.cultural_prompts.survey_agreement import CulturalDistances
from blend.eval.tasks.cultural_prompts.topic_analysis import Settings, TopicSummary
from blend.eval.tasks.cultural_prompts.topic_totals import Totals
from blend.schemas.texts import agreeing, pluralise

SIGNIFICANT = 0.05
"""P-value below which a correlation is counted as significant, as in the paper."""


def all_scores(totals: Totals, agreements: pl.DataFrame, gold: pl.DataFrame) -> Iterator[Score]:
    """Every figure.

    Args:
        totals: What the topics add up to.
        agreements: Its correlations, `topic_analysis.AGREEMENTS`.
        gold: The items of the run.

    Yields:
        Over all topics of a kind (scope ``split``; ``overall`` where there are no kinds): variances, their
        ratio and test, correlations, counts; where there are several kinds, variances with ratio and test over
        the topics of all of them (``overall``); then the same by topic (scope ``topic``) and correlations
        by anchor (scope ``anchor``). Intervals of a topic are over groups; those of an anchor and of a kind's
        variances over topics, those of a kind's correlations over anchors.
    """
    for split in totals.splits:
        topics = [topic for topic in totals.topics if topic.key.split == split]
        scope, key = ("split", split) if split else ("overall", ALL)
        yield from _variances(topics, scope, key, totals.settings)
        yield from _counts(topics, scope, key)
    if len(totals.splits) > 1:
        yield from _variances(totals.topics, "overall", ALL, totals.settings)
    yield missing_share(_n_texts(totals.topics), gold.height)
    yield from _agreements(agreements, totals.settings.seed)
    for topic in totals.topics:
        for name, found in _both(topic):
            bounds = _of_variances(name, totals.settings)
            yield _score(f"variance-across{name}", "topic", topic.key.path, found.across, bounds)
            yield _score(f"variance-within{name}", "topic", topic.key.path, found.within, bounds)


def warnings_on(totals: Totals, cultures: Sequence[CulturalDistances]) -> tuple[str, ...]:
    """List what a reader of the figures should know."""
    return (*_warnings_on_samples(totals), *_warnings_on_surveys(totals, cultures))


def _warnings_on_samples(totals: Totals) -> Iterator[str]:
    cells = np.concatenate([topic.samples for topic in totals.topics])
    usual = int(np.bincount(cells).argmax())
    several = int((cells > 1).sum())
    if not several:
        yield "one sample per topic and group: the variance within groups is not defined, and is left out"
    elif usual <= 1:
        one = len(cells) - several
        yield (
            f"{one:,} of {len(cells):,} pairs of topic and group {agreeing(one, 'has', 'have')} one sample or "
            f"none: the variance within groups is that of the others"
        )
    short = int((cells < usual).sum())
    if short:
        have = agreeing(short, "has", "have")
        few = f"fewer than the usual {pluralise(usual, 'sample')}"
        yield f"{short:,} of {len(cells):,} pairs of topic and group {have} {few}"
    for name in ODDITIES:
        count = sum(topic.odd[name] for topic in totals.topics)
        if count:
            what, effect = _IN_WORDS[name]
            yield f"{what}: {count:,} of {_n_texts(totals.topics):,}; kept{effect}"


_IN_WORDS = {
    "empty": ("empty texts", ""),
    "refusal": ("texts that refuse", ""),
    "other-language": ("texts in another language than English", ""),
    "unparted": (
        "texts without blanks between words, of which a whole line counts as one word",
        ", but figures of them say little; part their words with blanks first (docs/cultural-prompts.md)",
    ),
    "repeated": (
        "texts that the same group has about the topic already, character by character",
        ", and the variance within groups is lower for them; leave out what was recorded twice",
    ),
}


def _warnings_on_surveys(totals: Totals, cultures: Sequence[CulturalDistances]) -> Iterator[str]:
    n_groups = len(totals.settings.groups)
    for culture in cultures:
        yield f"{culture.survey}: distances are over {_listed(culture.dimensions)}"
        known = {*culture.groups, *culture.left_out}
        unknown = [group for group in totals.settings.groups if group not in known]
        if unknown:
            n_known = n_groups - len(unknown)
            yield f"{culture.survey} knows {n_known} of {n_groups} groups (not, for example, {unknown[0]!r})"
        if culture.nearly:
            shown = ", ".join(f"{name!r} for {group!r}" for group, name in culture.nearly[:_SHOWN])
            n = len(culture.nearly)
            yield (
                f"{culture.survey} has {n} of the others under nearly the same name ({shown}); "
                f"write {agreeing(n, 'it', 'them')} as in the texts"
            )
        if culture.left_out:
            yield (
                f"{culture.survey}: left out for want of an answer: {len(culture.left_out)} "
                f"(first: {culture.left_out[0]})"
            )
        if len(culture.groups) < 3:
            yield f"{culture.survey}: too few groups to rank ({len(culture.groups)}); no correlation"
            continue
        # Without the diagonal, where every group is at distance 0 from itself.
        apart = culture.matrix[~np.eye(len(culture.groups), dtype=bool)]
        if len(np.unique(apart[~np.isnan(apart)])) < 2:
            yield f"{culture.survey}: all distances are the same; no correlation"


_SHOWN = 12


def _listed(dimensions: Sequence[str]) -> str:
    """The number of dimensions and their names, the first ones of many."""
    more = ", …" if len(dimensions) > _SHOWN else ""
    return f"{pluralise(len(dimensions), 'dimension')} ({', '.join(map(repr, dimensions[:_SHOWN]))}{more})"


def _variances(topics: Sequence[TopicSummary], scope: str, key: str, settings: Settings) -> Iterator[Score]:
    for name in ("", "-unbiased"):
        seed, bounds = settings.seed, _of_variances(name, settings)
        pairs = [
            (found.across.value, found.within.value)
            for topic in topics
            for of, found in _both(topic)
            if of == name
        ]
        across = [one for one, _ in pairs if one is not None]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        yield _score(f"variance-across{name}", scope, key, _mean(across, seed), bounds)
        yield _score(f"variance-within{name}", scope, key, _mean([other for _, other in both], seed), bounds)
        if not both:
            continue
        # A ratio of sums, each topic a cluster of its own.
        ratio = cluster_sums([one for one, _ in both], range(len(both)), counts=[other for _, other in both])
        (found_ratio,) = estimates(ratio, seed=seed, proportion=False)
        found_ratio = replace(found_ratio, n=len(both))
        yield _score(f"variance-ratio{name}", scope, key, found_ratio, (0.0, math.inf))
        tested = anova([other for _, other in both], [one for one, _ in both])
        if tested is not None:
            yield plain(f"anova-f{name}", scope, key, tested.statistic, n=len(both))
            yield plain(f"anova-p{name}", scope, key, tested.p, n=len(both))


def _both(topic: TopicSummary) -> tuple[tuple[str, Variances], ...]:
    return (("", topic.published), ("-unbiased", topic.unbiased))


def _counts(topics: Sequence[TopicSummary], scope: str, key: str) -> Iterator[Score]:
    n_texts = _n_texts(topics)
    yield plain("texts", scope, key, n_texts, n=n_texts)
    yield plain("topics", scope, key, len(topics), n=len(topics))
    for name in ODDITIES:
        count = sum(topic.odd[name] for topic in topics)
        yield plain(name, scope, key, 100 * count / n_texts if n_texts else None, n=n_texts)


def _n_texts(topics: Sequence[TopicSummary]) -> int:
    return sum(int(topic.samples.sum()) for topic in topics)


def _agreements(agreements: pl.DataFrame, seed: int) -> Iterator[Score]:
    rows = agreements.filter(pl.col("topic").is_not_null())
    for (survey, measure, split), of in rows.group_by("survey", "measure", "split", maintain_order=True):
        name = f"tau-{measure}-{survey}"
        known = of.filter(pl.col("tau").is_not_null())
        path = _paths(known)
        scope, key = ("split", str(split)) if split else ("overall", ALL)
        yield from _means(known, "anchor", name, scope, [key], None, seed)
        tested = known.filter(pl.col("p").is_not_null())
        if len(tested):
            share = 100 * int((tested["p"] < SIGNIFICANT).sum()) / len(tested)
            yield plain(f"{name}-significant", scope, key, share, n=len(tested))
        yield from _means(path, "anchor", name, "topic", None, "path", seed)
        anchors = path.with_columns(at=pl.concat_str([pl.lit(f"{split}/" if split else ""), "anchor"]))
        yield from _means(anchors, "path", name, "anchor", None, "at", seed)


def _paths(rows: pl.DataFrame) -> pl.DataFrame:
    parts = [pl.when(pl.col(name) != "").then(name) for name in ("split", "category", "topic")]
    return rows.with_columns(path=pl.concat_str(parts, separator="/", ignore_nulls=True))


def _means(
    rows: pl.DataFrame,
    cluster: str,
    name: str,
    scope: str,
    keys: Sequence[str] | None,
    group: str | None,
    seed: int,
) -> Iterator[Score]:
    """Mean correlations by group, with intervals over clusters."""
    if rows.is_empty():
        for key in keys or ():
            yield plain(name, scope, key, None, n=0)
        return
    sums = cluster_sums(
        rows["tau"].to_numpy(),
        rows[cluster].to_numpy(),
        None if group is None else rows[group].to_numpy(),
    )
    for key, found in zip(keys or sums.groups, estimates(sums, seed=seed, proportion=False), strict=True):
        yield _score(name, scope, str(key), found, (-1.0, 1.0))


def _mean(values: Sequence[float], seed: int) -> Estimate:
    if not values:
        return Estimate(None, None, None, 0.0)
    (found,) = estimates(cluster_sums(values, range(len(values))), seed=seed, proportion=False)
    return found


def _of_variances(name: str, settings: Settings) -> tuple[float, float]:
    """The least and the most that a variance can be: half of a squared distance, or all of it in the code."""
    return 0.0, 1.0 if settings.definition == "reference_code" and not name else 0.5


def _score(metric: str, scope: str, key: str, found: Estimate, bounds: tuple[float, float]) -> Score:
    """A figure whose interval is cut at its bounds: Student's t over few topics knows none."""
    return estimated(metric, scope, key, found.within(*bounds))
