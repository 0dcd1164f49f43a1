"""Share scores: a figure that is a ratio over rows, of all of them and by what they are grouped by."""

from collections.abc import Mapping

import polars as pl

from blend.eval.scores_json import ALL, Score, percent, percents
from blend.eval.statistics.clusters import Clusters, cluster_sums
from blend.eval.statistics.estimates import estimates, macro_estimate


def share_scores(
    metric: str,
    rows: pl.DataFrame,
    by: Mapping[str, str],
    seed: int,
    *,
    macro: bool = False,
    proportion: bool = True,
) -> list[Score]:
    """A figure over all rows and by scope, in percent, with intervals over templates.

    Args:
        metric: Its name.
        rows: With ``template_id``, ``value`` (numerator), ``denominator`` (1 where there is no such
            column), and the columns that are grouped by.
        by: Scope to the column that its keys stand in.
        seed: Seed of the intervals.
        macro: Whether the mean over regions stands beside the figure of all rows, as ``-macro``.
        proportion: Whether values are shares of what they are divided by.
    """
    counts = rows["denominator"].cast(pl.Float64) if "denominator" in rows.columns else None

    def sums(column: str | None) -> Clusters:
        groups = None if column is None else rows[column]
        return cluster_sums(rows["value"].cast(pl.Float64), rows["template_id"], groups, counts=counts)

    of_regions = sums("region") if macro else None
    overall = sums(None) if of_regions is None else of_regions.pooled
    scores = [percent(metric, "overall", ALL, estimates(overall, seed=seed, proportion=proportion)[0])]
    if of_regions is not None:
        scores.append(percent(f"{metric}-macro", "overall", ALL, macro_estimate(of_regions, seed=seed)))
    for scope, column in by.items():
        of_scope = sums(column)
        found = estimates(of_scope, seed=seed, proportion=proportion)
        scores += percents(metric, scope, of_scope.groups, found)
    return scores
