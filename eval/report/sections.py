"""Sections: which charts and tables the scores of a task call for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from blend.eval.report import charts
from blend.eval.report.charts import Spec
from blend.eval.report.scored import ScoredRun
from blend.eval.scoring.scores import Score
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.figures import estimates
from blend.schemas.locales import Locale

Locales = Mapping[str, Locale]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture."""

    title: str
    """Heading above it, for example the name of a model; empty for none."""
    spec: Spec
    """What is drawn."""
    wide: bool = False
    """Whether a narrow screen scrolls sideways in it, since numbers would not fit otherwise."""
    large: bool = False
    """Whether it takes half of a broad screen and not a third."""


@dataclass(frozen=True, slots=True)
class Table:
    """The figures behind pictures."""

    head: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """Cells."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    name: str
    """Short name for links."""
    title: str
    """Heading."""
    text: str
    """What is shown and how to read it."""
    charts: tuple[Chart, ...]
    """Pictures."""
    table: Table | None = None
    """Their figures."""
    is_open: bool = False
    """Whether the table is shown at once, since it is what the part is about."""


def sections(runs: Sequence[ScoredRun], locales: Locales, *, seed: int = 0) -> tuple[Section, ...]:
    """The sections that the scores of comparable runs have figures for."""
    metric = _main_metric(runs[0])
    found = [
        _regions(runs, metric, locales),
        _map(runs, metric, locales),
        _topics(runs, metric, locales),
        _cultures(runs, locales),
        _positions(runs),
        _languages(runs, locales, seed),
    ]
    return tuple(section for section in found if section is not None)


def overview(run: ScoredRun, locales: Locales) -> Table:
    """A run's line in the overview: the mean over regions, all items, the gap, and what is missing."""
    metric = _main_metric(run)
    shown = metric_name(metric)
    cells = {f"{shown}, mean over regions, %": cell(run.overall(f"{metric}-macro"))}
    cells[f"{shown}, all items, %"] = cell(run.overall(metric))
    for key, score in run.of("parity-gap", "overall").items():
        best_and_worst = " − ".join(region_name(code, locales) for code in key.split("/"))
        cells["parity gap, points"] = f"{cell(score)} ({best_and_worst})"
    for name, label in (("unparsable", "unparsable, %"), ("missing", "missing, %")):
        if (share := run.overall(name)) is not None:
            cells[label] = cell(share)
    cells["items"] = f"{run.run.description.n_items:,}"
    return Table(tuple(cells), (tuple(cells.values()),))


def metric_name(metric: str) -> str:
    """A figure as people call it."""
    return _METRIC_NAMES.get(metric, metric)


_METRIC_NAMES = {"sem-b": "SEM-B", "sem-w": "SEM-W"}

_METRIC_NOTES = {
    "sem-b": "SEM-B is the share of questions answered with something that natives answered as well. ",
}


def region_name(code: str, locales: Locales) -> str:
    """A region as people call it; its code where the registry does not know it."""
    return locales[code].region_name if code in locales else code


def regions_in_words(codes: Iterable[str], locales: Locales) -> str:
    """Regions as a sentence names them, by name: ``South Korea, the UK``."""
    ordered = sorted(codes, key=lambda code: region_name(code, locales))
    return ", ".join(locales[code].prompt_name if code in locales else code for code in ordered)


def _main_metric(run: ScoredRun) -> str:
    """The first figure by region: what the task is about."""
    return next((score.metric for score in run.scores.scores if score.scope == "region"), "accuracy")


def _regions(runs: Sequence[ScoredRun], metric: str, locales: Locales) -> Section | None:
    scores = {run.name: run.of(metric, "region") for run in runs}
    regions = _best_first(scores)
    if not regions:
        return None
    rows = [
        {"region": region_name(region, locales), "model": model, **_values(by_region[region])}
        for model, by_region in scores.items()
        for region in regions
        if region in by_region
    ]
    names = [region_name(region, locales) for region in regions]
    cells = tuple(
        (name, *(cell(by_region.get(region)) for by_region in scores.values()))
        for name, region in zip(names, regions, strict=True)
    )
    chart = charts.region_chart(rows, names, list(scores), title=f"{metric_name(metric)}, %")
    return Section(
        "regions",
        "By region",
        f"{_METRIC_NOTES.get(metric, '')}Each mark is a model’s share right in a region; the line is its 95 % "
        f"interval over question templates.{_WHERE_LINES_OVERLAP if len(runs) > 1 else ''}",
        (Chart("", chart),),
        Table(("region", *scores), cells),
    )


_WHERE_LINES_OVERLAP = " Where lines overlap, the comparison above says whether models differ."


def _map(runs: Sequence[ScoredRun], metric: str, locales: Locales) -> Section | None:
    drawn = [(run.name, charts.map_rows(run, metric, locales)) for run in runs]
    pictures = tuple(
        Chart(name, charts.region_map(rows, title=metric_name(metric)), large=True)
        for name, rows in drawn
        if rows
    )
    if not pictures:
        return None
    return Section(
        "map",
        "On the map",
        "One mark where each region lies: brighter and larger is a higher share right. The figures are "
        "those by region above.",
        pictures,
    )


def _topics(runs: Sequence[ScoredRun], metric: str, locales: Locales) -> Section | None:
    pictures: list[Chart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        scores = {tuple(key.split("/", 1)): score for key, score in run.of(metric, "region-topic").items()}
        if not scores:
            continue
        rows = _best_first({run.name: run.of(metric, "region")})
        topics = sorted({topic for _, topic in scores})
        pictures.append(heat(run.name, scores, rows, topics, locales, (0, 100), f"{metric_name(metric)}, %"))
        cells += [
            (run.name, region_name(region, locales), topic, cell(score))
            for (region, topic), score in scores.items()
        ]
    if not pictures:
        return None
    return Section(
        "topics",
        "By region and topic",
        "Share right in percent; brighter is more. Few questions stand behind a cell: the table has the "
        "intervals.",
        tuple(pictures),
        Table(("model", "region", "topic", f"{metric_name(metric)}, %"), tuple(cells)),
    )


def _cultures(runs: Sequence[ScoredRun], locales: Locales) -> Section | None:
    pictures: list[Chart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        scores = {
            tuple(key.split("/", 1)): score
            for key, score in run.of("default-culture", "region-culture").items()
        }
        if not scores:
            continue
        rows = sorted({region for region, _ in scores}, key=lambda code: region_name(code, locales))
        columns = sorted({culture for _, culture in scores}, key=lambda code: region_name(code, locales))
        pictures.append(heat(run.name, scores, rows, columns, locales, (0, 100), "chosen when wrong, %"))
        cells += [
            (run.name, region_name(culture, locales), cell(score))
            for culture, score in run.of("default-culture", "culture").items()
        ]
    if not pictures:
        return None
    return Section(
        "cultures",
        "Whose culture a model falls back to",
        "Of the wrong answers to questions about the region of the row: how often the answer of the culture "
        "of the column was chosen where it was one of the three distractors. 33 is chance; a bright column "
        "is a culture that the model takes for everyone’s. A cell is empty where that culture was never on "
        "offer.",
        tuple(pictures),
        Table(("model", "culture", "chosen where on offer, %"), tuple(cells)),
    )


def _positions(runs: Sequence[ScoredRun]) -> Section | None:
    pictures: list[Chart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        chosen, right = (run.of(f"position-{what}", "position") for what in ("chosen", "right"))
        if not chosen:
            continue
        rows = [
            {"letter": letter, "what": what, "value": score.value}
            for what, scores in (("chosen", chosen), ("right", right))
            for letter, score in scores.items()
        ]
        pictures.append(
            Chart(run.name, charts.position_chart(rows, title=f"Position bias of {run.name}: chosen and right"))
        )
        cells += [(run.name, letter, cell(chosen[letter]), cell(right.get(letter))) for letter in chosen]
    if not pictures:
        return None
    return Section(
        "positions",
        "Position bias",
        "How often every letter was chosen (filled), beside how often it was the right one (hollow). Without "
        "bias both are alike.",
        tuple(pictures),
        Table(("model", "letter", "chosen, %", "right, %"), tuple(cells)),
    )


def _languages(runs: Sequence[ScoredRun], locales: Locales, seed: int) -> Section | None:
    """Local language against English, where a region was asked in both."""
    pictures: list[Chart] = []
    cells: list[tuple[str, ...]] = []
    for run in runs:
        rows = _asked_both_ways(run, locales, seed)
        if not rows:
            continue
        regions = sorted({str(row["region"]) for row in rows})
        chart = charts.language_chart(rows, regions, title="right, %")
        pictures.append(Chart(run.name, chart))
        cells += [
            (run.name, str(row["region"]), str(row["asked"]), _interval(row["value"], row["low"], row["high"]))
            for row in rows
        ]
    if not pictures:
        return None
    return Section(
        "languages",
        "Local language against English",
        "The same questions asked in the language of the region and in English.",
        tuple(pictures),
        Table(("model", "region", "asked in", "right, %"), tuple(cells)),
    )


def _asked_both_ways(run: ScoredRun, locales: Locales, seed: int) -> list[dict[str, str | float | None]]:
    decided = run.decisions()
    english = pl.col("language") == "en"
    both = decided.filter(english.any().over("region") & (~english).any().over("region"))
    rows: list[dict[str, str | float | None]] = []
    for name, part in (("local language", both.filter(~english)), ("English", both.filter(english))):
        clusters = cluster_sums(
            part["right"].cast(pl.Float64).to_numpy(), part["template_id"].to_numpy(), part["region"].to_numpy()
        )
        for region, found in zip(clusters.groups, estimates(clusters, seed=seed), strict=True):
            value, low, high = (None if x is None else 100 * x for x in (found.value, found.low, found.high))
            rows.append(
                {
                    "region": region_name(region, locales),
                    "asked": name,
                    "value": value,
                    "low": low,
                    "high": high,
                }
            )
    return rows


def heat(
    title: str,
    scores: Mapping[tuple[str, ...], Score],
    rows: Sequence[str],
    columns: Sequence[str],
    locales: Locales,
    domain: tuple[float, float],
    what: str,
) -> Chart:
    """A heat map of scores by row and column, named by ``locales`` where it knows them."""
    values = [
        {
            "y": region_name(row, locales),
            "x": region_name(column, locales),
            "value": score.value,
            "n": score.n,
        }
        for (row, column), score in scores.items()
        if score.value is not None
    ]
    x = [region_name(column, locales) for column in columns]
    y = [region_name(row, locales) for row in rows]
    spec = charts.heat_map(values, x=x, y=y, title=f"{what}, {title}", domain=domain)
    many = len(x) > _NARROW_COLUMNS
    return Chart(title, spec, wide=many, large=many)


_NARROW_COLUMNS = 7
"""Columns of numbers that a phone has room for beside the names of the rows."""


def _best_first(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Regions by their mean over the models, highest first; of equal ones in the order of their codes."""
    values: dict[str, list[float]] = {}
    for by_region in scores.values():
        for region, score in by_region.items():
            values.setdefault(region, []).append(score.value or 0.0)
    return sorted(values, key=lambda region: (-sum(values[region]) / len(values[region]), region))


def _values(score: Score) -> dict[str, float | None]:
    return {"value": score.value, "low": score.low, "high": score.high}


def cell(score: Score | None) -> str:
    """A score with its interval, as tables show it."""
    return "–" if score is None else _interval(score.value, score.low, score.high)


def _interval(value: Any, low: Any, high: Any) -> str:
    if value is None:
        return "–"
    if low is None or high is None:
        return f"{value:.1f}"
    # No line breaks within a figure.
    return f"{value:.1f}\u00a0[{low:.1f},\u00a0{high:.1f}]"
