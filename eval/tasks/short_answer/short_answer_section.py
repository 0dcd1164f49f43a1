"""Short answers in the report: the local language against English, and what natives answer."""

from collections.abc import Sequence

import polars as pl

from blend.eval.report import score_charts
from blend.eval.report.report_sections import ReportChart, ReportTable, Section, interval_cell, region_name
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import KnownQuestion, KnownQuestions, answer_groups
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates


def asked_questions(run: ScoredRun) -> KnownQuestions:
    """List the questions in the language asked in, with what natives answer, by ``item_id``."""
    gold = run.run.gold().rows_by_key(["template_id", "locale"], named=True, unique=True)
    known: dict[tuple[str, str, bool], KnownQuestion] = {}
    found = {}
    columns = ("item_id", "template_id", "locale", "language")
    for item_id, template_id, locale, language in run.run.items(*columns).iter_rows():
        key = template_id, locale, language == "en"
        if key not in known:
            row, prefix = gold[template_id, locale], "en_" if language == "en" else ""
            groups = answer_groups(row["annotations"], f"{prefix}answers")
            known[key] = KnownQuestion(groups, row[f"{prefix}question"])
        found[item_id] = known[key]
    return found


def languages_section(runs: Sequence[ScoredRun], *, seed: int) -> Section | None:
    """Local language against English, where a region was asked in both."""
    pictures: list[ReportChart] = []
    cells: list[tuple[str, ...]] = []
    both = {run.name: _asked_both_ways(run, seed) for run in runs}
    regions = sorted({str(row["region"]) for rows in both.values() for row in rows})
    for name, rows in both.items():
        if not rows:
            continue
        chart = score_charts.language_chart(rows, regions, title="correct, %")
        pictures.append(ReportChart(name, chart))
        cells += [
            (
                name,
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
