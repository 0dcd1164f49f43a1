"""Figures: what the topics of a run add up to, as scores."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from blend.eval.scores_json import ALL, Score, estimated, missing_share, plain
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import Estimate, estimates
from blend.eval.tasks.cultural_prompts.analysis_tables import Totals
from blend.eval.tasks.cultural_prompts.group_statistics import (
    CulturalDistances,
    Variances,
    anova,
    mean_estimate,
)
from blend.eval.tasks.cultural_prompts.topic_analysis import ODDITIES, Settings, TopicFigures
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
        for name in _KINDS:
            found, bounds = _of_kind(topic, name), _bounds(name, totals.settings)
            yield _score(f"variance-across{name}", "topic", topic.key.path, found.across, bounds)
            yield _score(f"variance-within{name}", "topic", topic.key.path, found.within, bounds)


def warnings_on(totals: Totals, cultures: Sequence[CulturalDistances]) -> tuple[str, ...]:
    """List what a reader of the figures should know."""
    of_surveys = (line for culture in cultures for line in _warnings_on_survey(totals.settings.groups, culture))
    return (*_warnings_on_samples(totals), *of_surveys)


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
    for name, (what, effect) in _IN_WORDS.items():
        count = sum(topic.odd[name] for topic in totals.topics)
        if count:
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


def _warnings_on_survey(groups: Sequence[str], culture: CulturalDistances) -> Iterator[str]:
    name, n_known = culture.survey, len(culture.groups)
    yield f"{name}: distances are over {_listed(culture.dimensions)}"
    unknown = [group for group in groups if group not in {*culture.groups, *culture.left_out}]
    if unknown:
        n_found = len(groups) - len(unknown)
        yield f"{name} knows {n_found} of {len(groups)} groups (not, for example, {unknown[0]!r})"
    if culture.nearly:
        shown = ", ".join(f"{other!r} for {group!r}" for group, other in culture.nearly[:_SHOWN])
        n = len(culture.nearly)
        yield (
            f"{name} has {n} of the others under nearly the same name ({shown}); "
            f"write {agreeing(n, 'it', 'them')} as in the texts"
        )
    if culture.left_out:
        n = len(culture.left_out)
        yield f"{name}: left out for want of an answer: {n} (first: {culture.left_out[0]})"
    # Without the diagonal, where every group is at distance 0 from itself.
    apart = culture.matrix[~np.eye(n_known, dtype=bool)]
    if n_known < 3:
        yield f"{name}: too few groups to rank ({n_known}); no correlation"
    elif len(np.unique(apart[~np.isnan(apart)])) < 2:
        yield f"{name}: all distances are the same; no correlation"


_SHOWN = 12


def _listed(dimensions: Sequence[str]) -> str:
    """The number of dimensions and their names, the first ones of many."""
    more = ", …" if len(dimensions) > _SHOWN else ""
    return f"{pluralise(len(dimensions), 'dimension')} ({', '.join(map(repr, dimensions[:_SHOWN]))}{more})"


def _variances(topics: Sequence[TopicFigures], scope: str, key: str, settings: Settings) -> Iterator[Score]:
    for name in _KINDS:
        found = [_of_kind(topic, name) for topic in topics]
        across = [one.across.value for one in found if one.across.value is not None]
        both = [
            (one.across.value, one.within.value)
            for one in found
            if one.across.value is not None and one.within.value is not None
        ]
        within = [value for _, value in both]
        bounds = _bounds(name, settings)
        for what, values in (("across", across), ("within", within)):
            mean = mean_estimate(values, seed=settings.seed)
            yield _score(f"variance-{what}{name}", scope, key, mean, bounds)
        if not both:
            continue
        # A ratio of sums, each topic a cluster of its own.
        sums = cluster_sums([value for value, _ in both], range(len(both)), counts=within)
        (ratio,) = estimates(sums, seed=settings.seed, proportion=False)
        yield _score(f"variance-ratio{name}", scope, key, replace(ratio, n=len(both)), (0.0, math.inf))
        tested = anova(within, [value for value, _ in both])
        if tested is not None:
            yield plain(f"anova-f{name}", scope, key, tested.statistic, n=len(both))
            yield plain(f"anova-p{name}", scope, key, tested.p, n=len(both))


_KINDS = ("", "-unbiased")
"""Ends of the names of variances: as published, and without their bias."""


def _of_kind(topic: TopicFigures, name: str) -> Variances:
    return topic.unbiased if name else topic.published


def _bounds(name: str, settings: Settings) -> tuple[float, float]:
    """The least and the most that a variance can be: half of a squared distance, or all of it in the code."""
    return 0.0, 1.0 if settings.definition == "reference_code" and not name else 0.5


def _counts(topics: Sequence[TopicFigures], scope: str, key: str) -> Iterator[Score]:
    n_texts = _n_texts(topics)
    yield plain("texts", scope, key, n_texts, n=n_texts)
    yield plain("topics", scope, key, len(topics), n=len(topics))
    for name in ODDITIES:
        count = sum(topic.odd[name] for topic in topics)
        yield plain(name, scope, key, 100 * count / n_texts if n_texts else None, n=n_texts)


def _n_texts(topics: Sequence[TopicFigures]) -> int:
    return sum(int(topic.samples.sum()) for topic in topics)


def _agreements(agreements: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Mean correlations: of a kind over anchors, of a topic over anchors, of an anchor over topics."""
    rows = agreements.filter(pl.col("topic").is_not_null())
    path = joined_names("split", "category", "topic")
    for (survey, measure, split), of in rows.group_by("survey", "measure", "split", maintain_order=True):
        name = f"tau-{measure}-{survey}"
        scope, key = ("split", str(split)) if split else ("overall", ALL)
        at = pl.concat_str(pl.lit(f"{split}/" if split else ""), "anchor")
        known = of.drop_nulls("tau").with_columns(path=path, at=at, all=pl.lit(key))
        if known.is_empty():
            yield plain(name, scope, key, None, n=0)
        tested = known.drop_nulls("p")
        of_scopes = ((scope, "all", "anchor"), ("topic", "path", "anchor"), ("anchor", "at", "path"))
        for in_scope, group, cluster in of_scopes:
            sums = cluster_sums(known["tau"], known[cluster], known[group])
            for of_group, found in zip(sums.groups, estimates(sums, seed=seed, proportion=False), strict=True):
                yield _score(name, in_scope, of_group, found, (-1.0, 1.0))
            if group == "all" and not tested.is_empty():
                share = 100 * int((tested["p"] < SIGNIFICANT).sum()) / tested.height
                yield plain(f"{name}-significant", scope, key, share, n=tested.height)


def joined_names(*columns: str) -> pl.Expr:
    """Names of a topic and where it stands, joined by ``/``; those that are blank are left out."""
    parts = [pl.when(pl.col(name) != "").then(name) for name in columns]
    return pl.concat_str(parts, separator="/", ignore_nulls=True)


def _score(metric: str, scope: str, key: str, found: Estimate, bounds: tuple[float, float]) -> Score:
    """A figure whose interval is cut at its bounds: Student's t over few topics knows none."""
    return estimated(metric, scope, key, found.within(*bounds))
