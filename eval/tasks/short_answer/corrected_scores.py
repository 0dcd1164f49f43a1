"""Corrected scores: what people would find of all replies, from every decision and their labels of some."""

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from blend.eval.labelled_items import WORTHLESS_KAPPA, is_worthless, means_of
from blend.eval.scores_json import ALL, Score, percent, percents, plain
from blend.eval.statistics.annotator_agreement import cohen_kappa
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates, gap_of_draws
from blend.eval.statistics.prediction_powered import CorrectedMeans

CORRECTED = "sem-b-corrected"
"""Metric of SEM-B as people would find it."""

KAPPA = "sem-b-kappa"
"""Metric of how far the rule agrees with people, beyond what chance gives."""


def corrected_scores(rows: pl.DataFrame, *, seed: int = 0) -> tuple[Score, ...]:
    """Corrected SEM-B and how far the rule agrees with people.

    Args:
        rows: As `labelled_items.with_labels` gives them.
        seed: Seed of intervals that are drawn.

    Returns:
        `CORRECTED` by region where labels of two templates are; by topic, overall, as the mean over regions and
        as the gap between the best and the worst where every region has them. `KAPPA`, and for a judge that of
        the string rule (``-default``), and SEM-B by that; and ``labelled``, the share of replies with a label.
    """
    regions = means_of(rows, "region")
    scores = _of_groups("region", regions)
    if not np.isnan(regions.values).any():
        scores += _of_groups("topic", means_of(rows.drop_nulls("topic"), "topic"))
        n_regions = len(regions.groups)
        pooled, macro = (
            regions.combined(regions.sizes / rows.height),
            regions.combined(np.ones(n_regions) / n_regions),
        )
        scores += [
            percent(CORRECTED, "overall", ALL, pooled),
            percent(f"{CORRECTED}-macro", "overall", ALL, macro),
        ]
        scores += _gap(regions, seed)
    if "by_rule" in rows.columns:
        by_rule = cluster_sums(rows["by_rule"].cast(pl.Float64), rows["template_id"], rows["region"])
        scores.append(percent("sem-b-default", "overall", ALL, estimates(by_rule.pooled, seed=seed)[0]))
        scores += percents("sem-b-default", "region", by_rule.groups, estimates(by_rule, seed=seed))
    for key, part in _parts(rows):
        scope = "overall" if key == ALL else "region"
        scores.append(plain("labelled", scope, key, 100 * part["label"].count() / part.height, n=part.height))
        of_people = part.drop_nulls("label")
        for metric, column in ((KAPPA, "correct"), (f"{KAPPA}-default", "by_rule")):
            if column in of_people.columns:
                verdicts = of_people[column].cast(pl.Float64)
                kappa = cohen_kappa(verdicts, of_people["label"], 1 / of_people["probability"])
                scores.append(plain(metric, scope, key, kappa, n=of_people.height))
    return tuple(scores)


def correction_warnings(scores: Iterable[Score]) -> Iterator[str]:
    """Say what a reader of corrected scores should know of the rule, and of regions without labels."""
    scores = tuple(scores)
    if is_worthless(scores):
        yield (
            f"the rule is worthless here: its decisions agree with people's labels hardly better than chance "
            f"would (kappa below {WORTHLESS_KAPPA}); either is wrong, and corrected figures rest on the labels"
        )
    if without := ", ".join(uncorrected(scores)):
        yield f"uncorrected, since people have labelled replies to fewer than two templates: {without}"


def uncorrected(scores: Iterable[Score]) -> list[str]:
    """Regions that too few labels are of to be corrected, where some are."""
    of_regions = [one for one in scores if one.scope == "region"]
    corrected = {one.key for one in of_regions if one.metric == CORRECTED}
    return [one.key for one in of_regions if one.metric == "labelled" and one.key not in corrected]


def _of_groups(scope: str, means: CorrectedMeans) -> list[Score]:
    each = np.eye(len(means.groups))
    found = [(str(key), means.combined(by)) for key, by in zip(means.groups, each, strict=True)]
    return [percent(CORRECTED, scope, key, one) for key, one in found if one.value is not None]


def _gap(regions: CorrectedMeans, seed: int) -> list[Score]:
    """The corrected parity gap, where there are two regions."""
    if len(regions.groups) < 2:
        return []
    gap = gap_of_draws(regions.groups, regions.values, regions.draws(seed=seed))
    return [percent("parity-gap-corrected", "overall", f"{gap.best}/{gap.worst}", gap.estimate)]


def _parts(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    yield ALL, rows
    for (key,), part in rows.group_by("region", maintain_order=True):
        yield str(key), part
