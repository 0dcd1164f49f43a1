"""Short answers in the report: the local language against English, and what natives answer."""

from collections.abc import Mapping, Sequence

import polars as pl

from blend.eval.report import score_charts
from blend.eval.report.report_sections import ReportChart, ReportTable, Section, interval_cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates


def natives_answers(run: ScoredRun, items: pl.DataFrame) -> Mapping[str, tuple[str, ...]]:
    """List what natives answer to some items in the language asked in, most votes first, by ``item_id``."""
    rows = items.join(run.run.gold(), on=["template_id", "locale"], how="left", maintain_order="left")
    found = {}
    for row in rows.iter_rows(named=True):
        column = "en_answers" if row["language"] == "en" else "answers"
        groups = sorted(row["annotations"], key=lambda group: -group["count"])
        found[row["item_id"]] = tuple(dict.fromkeys(text for group in groups for text in group[column]))
    return found


def languages_section(runs: Sequence[ScoredRun], *, seed: int) -> Section | None:
    """Local language against English, where a region was asked in both."""
    pictures: list[ReportChart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        rows = _asked_both_ways(run, seed)
        if not rows:
            continue
        regions = sorted({str(row["region"]) for row in rows})
        chart = score_charts.language_chart(rows, regions, title="correct, %")
        pictures.append(ReportChart(run.name, chart))
        cells += [
            (
                run.name,
                str(row["region"]),
                str(row["asked"]),
                interval_cell(row["value"], row["low"], row["high"]),
            )
            for row in rows
        ]
    if not pictures:
        return None
    return Section(
        "languages",
        "Local language against English",
        "The same questions asked in the language of the region and in English.",
        tuple(pictures),
        ReportTable(("model", "region", "asked in", "correct, %"), tuple(cells)),
    )


def _asked_both_ways(run: ScoredRun, seed: int) -> list[dict[str, str | float | None]]:
    decided = run.decisions()
    english = pl.col("language") == "en"
    both = decided.filter(english.any().over("region") & (~english).any().over("region"))
    rows: list[dict[str, str | float | None]] = []
    for name, part in (("local language", both.filter(~english)), ("English", both.filter(english))):
        clusters = cluster_sums(
            part["correct"].cast(pl.Float64).to_numpy(),
            part["template_id"].to_numpy(),
            part["region"].to_numpy(),
        )
        for region, found in zip(clusters.groups, estimates(clusters, seed=seed), strict=True):
            value, low, high = (None if x is None else 100 * x for x in (found.value, found.low, found.high))
            rows.append(
                {
                    "region": region_name(region),
                    "asked": name,
                    "value": value,
                    "low": low,
                    "high": high,
                }
            )
    return rows
