"""Sections: what a task shows of its scores on the page, as tables and charts.

Charts are Vega-Lite specifications (``charts.json``), drawn by the reader's browser. Each takes the width of
the page, says in words what it shows, and carries numbers or shapes besides colours. Colours and what all
charts share come from the page, which knows whether it is dark.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from math import ceil, floor
from typing import Any, NamedTuple

from blend.eval.judging import is_judge
from blend.eval.judging.labels import BIAS, KAPPA
from blend.eval.report import ScoredRun, region_name, with_code, with_interval
from blend.eval.scores_json import UNANSWERED, Score
from blend.eval.tasks.short_answer.rules import SEMEVAL
from blend.schemas.errors import MissingExtraError
from blend.schemas.models import packaged_text
from blend.schemas.summaries import Table

_Spec = dict[str, Any]
"""A Vega-Lite specification as JSON has it."""


class ReportChart(NamedTuple):
    """A picture."""

    title: str
    """Heading above it, for example the name of a model; empty for none."""
    spec: _Spec
    """What is drawn."""
    n_columns: int = 0
    """Columns of numbers: with many of them it takes half of a broad screen and not a third, and a narrow one
    scrolls sideways in it."""


class Section(NamedTuple):
    """A part of the page."""

    table: Table
    """The figures behind pictures; its title is the heading, its caption says how to read it."""
    charts: tuple[ReportChart, ...] = ()
    """Pictures."""
    is_open: bool = False
    """Whether the table is shown at once, since it is what the part is about."""

    @property
    def name(self) -> str:
        """Name for links."""
        return re.sub(r"\W+", "-", self.table.title.lower()).strip("-")


def table_section(
    title: str,
    text: str,
    head: Sequence[str],
    runs: Sequence[ScoredRun],
    rows_of: Callable[[ScoredRun], Iterable[Sequence[str]]],
    *,
    charts: Sequence[ReportChart] = (),
    is_open: bool = False,
) -> Section | None:
    """A section of a table, with the pictures of its figures; null where the table has no rows.

    Args:
        title: Heading of the section.
        text: What is shown.
        head: Names of the columns behind that of the model.
        runs: Runs, in order.
        rows_of: Rows of a run, without its name.
        charts: Pictures.
        is_open: Whether the table is shown at once.
    """
    cells = [(run.name, *row) for run in runs for row in rows_of(run)]
    table = Table.of(title, ("model", *head), cells, text)
    return Section(table, tuple(charts), is_open) if cells else None


def scores_section(
    title: str, text: str, key: str, columns: Mapping[str, str], runs: Sequence[ScoredRun], *scopes: str
) -> Section | None:
    """A section of a table that is shown at once: figures by key, regions by their names.

    Args:
        title: Heading of the section.
        text: What is shown.
        key: What the keys are.
        columns: Heading to metric; the first metric says which keys there are.
        runs: Runs, in order.
        scopes: Scopes of the figures.
    """

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        first, *others = (run.of(metric, *scopes) for metric in columns.values())
        for one, score in first.items():
            yield region_name(one), cell(score), *(cell(found.get(one)) for found in others)

    return table_section(title, text, (key, *columns), runs, rows_of, is_open=True)


def cell(found: Score | None, digits: int = 1) -> str:
    """A score with its interval, as tables show it."""
    return with_interval(found, f"{{:z.{digits}f}}".format)


_Pairs = Mapping[tuple[str, str], Score]
"""Scores by row and column."""


def pairs(scores: Mapping[str, Score]) -> _Pairs:
    """Scores by their keys of two parts, ``KR/Food``."""
    return {(row, column): score for key, score in scores.items() for row, _, column in (key.partition("/"),)}


def keys_best_first(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Keys by their mean over the models, highest first; of equal ones in the order of their names."""
    values: dict[str, list[float]] = {}
    for by_key in scores.values():
        for key, score in by_key.items():
            if score.value is not None:
                values.setdefault(key, []).append(score.value)
    return sorted(values, key=lambda key: (-sum(values[key]) / len(values[key]), key))


def marks_section(
    title: str,
    text: str,
    scores: Mapping[str, Mapping[str, Score]],
    what: str,
    *,
    key: str,
    label: Callable[[str], str] = str,
    domain: tuple[float, float] | None = None,
    line: tuple[float, str] | None = None,
    digits: int = 1,
) -> Section | None:
    """A mark with its interval for every model or other series and key, such as a region, and its table.

    Args:
        title: Heading of the section.
        text: What is shown.
        scores: By series and key.
        what: What the figures are.
        key: What the keys are.
        label: What a key is called.
        domain: Where the horizontal axis begins and ends; as the figures ask for when absent.
        line: A figure to compare with, as a dashed line, and what it is; its name stands between the rows and
            the legend, since within it would lie on the marks of the first region.
        digits: Digits behind the point of what is shown.

    Returns:
        Null where there are no figures.
    """
    keys = keys_best_first(scores)
    if not keys:
        return None
    labels = {one: label(one) for one in keys}
    data, rows = [], []
    for one, named in labels.items():
        found = [(name, by_key.get(one)) for name, by_key in scores.items()]
        rows.append((with_code(named, one), *(cell(score, digits) for _, score in found)))
        for name, score in found:
            if score is not None and score.value is not None:
                ends = {"value": score.value, "low": score.low, "high": score.high}
                drawn = {end: None if at is None else round(at, digits) for end, at in ends.items()}
                data.append({"series": name, "key": named, **drawn})
    chart = chart_spec(
        "marks",
        f"{what} with 95 % intervals",
        height=(14 * len(scores) + 6) * len(keys),
        what=what,
        data=data,
        series=list(scores),
        keys=list(labels.values()),
        scale={} if domain is None else {"domain": list(domain)},
        # One legend for colours and shapes, which have one list of names.
        legend=None if len(scores) == 1 else {"orient": "top", "title": None, "columns": 1},
        lines=[] if line is None else [{"value": line[0], "what": line[1]}],
    )
    return Section(Table.of(title, (key, *scores), rows, text), (ReportChart("", chart),))


def heat_section(
    title: str,
    text: str,
    of_runs: Mapping[str, _Pairs],
    rows: Sequence[str],
    what: str,
    *,
    head: tuple[str, str],
) -> Section | None:
    """A heat map of every run that has scores, all with the same rows, columns and colours; null of none.

    Args:
        title: Heading of the section.
        text: What is shown.
        of_runs: Scores by model.
        rows: Keys of the rows, in order.
        what: What the figures are.
        head: What rows and columns are.
    """
    cells = [
        (name, region_name(row), region_name(column), cell(score))
        for name, scores in of_runs.items()
        for (row, column), score in scores.items()
    ]
    if not cells:
        return None
    known = [score for scores in of_runs.values() for score in scores.values() if score.value is not None]
    # The ends of the colours are those of figures that enough answers are behind, where there are any.
    enough = [score for score in known if score.n >= _FEW] or known
    values = [score.value or 0.0 for score in enough]
    # In whole tens: differences between figures are to be seen, and all maps have the same colours.
    low, high = 10 * floor(min(values, default=0) / 10), 10 * ceil(max(values, default=100) / 10)
    domain = (low, max(high, low + 10))
    columns = sorted({column for scores in of_runs.values() for _, column in scores}, key=region_name)
    charts = [
        ReportChart(name, _heat_map(scores, rows, columns, domain, what), len(columns))
        for name, scores in of_runs.items()
        if scores
    ]
    of_few = f" A cell of fewer than {_FEW} answers has no colour."
    return Section(Table.of(title, ("model", *head, what), cells, text + of_few), tuple(charts))


_FEW = 10
"""Answers below which a cell of a heat map has no colour: its figure says little."""
_BRIGHT = 0.48
"""Share of the colours from which on black text has more contrast than white (both have 4.5 there)."""


def _heat_map(
    scores: _Pairs, rows: Sequence[str], columns: Sequence[str], domain: tuple[int, int], what: str
) -> _Spec:
    """A number in every cell, on a colour that says the same, but where it is of fewer than `_FEW` answers."""
    data = [
        {"row": region_name(row), "column": region_name(column), "value": round(score.value, 1), "n": score.n}
        for (row, column), score in scores.items()
        if score.value is not None
    ]
    x, y = ([region_name(key) for key in keys] for keys in (columns, rows))
    # From dark blue to yellow, told apart by colour-blind readers and in grey as well.
    bright = domain[0] + _BRIGHT * (domain[1] - domain[0])
    values = {"data": data, "columns": x, "rows": y, "domain": list(domain), "bright": bright, "few": _FEW}
    return chart_spec("heat", f"Heat map: {what}", height=22 * len(y), what=what, **values)


def chart_spec(name: str, description: str, *, height: int, **values: Any) -> _Spec:
    """A chart of ``charts.json`` that fits its place on the page, with values in the place of ``$names``."""

    def filled(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: filled(one) for key, one in part.items()}
        if isinstance(part, list):
            return [filled(one) for one in part]
        return values[part[1:]] if isinstance(part, str) and part.startswith("$") else part

    page = {"width": "container", "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"$schema": _SCHEMA, "description": description, **page, **filled(_charts()[name])}


_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


@cache
def _charts() -> Any:
    return json.loads(packaged_text("charts.json", __package__))


def chart_library() -> str:
    """The JavaScript that draws the charts, complete, for one script element.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        return str(import_module("vl_convert").javascript_bundle())
    except ImportError:
        raise MissingExtraError("the report", extra="report") from None


# Sections of tasks that ask about regions: by region and topic, and rules and judges beside people.


def region_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections by region of comparable runs; null without figures for one."""
    metric = _main_metric(runs[0])
    # The figures that SemEval-2026 Task 7 publishes of short answers.
    codes = marks_section(
        "By code",
        "Accuracy by the rule of SemEval-2026 Task 7, for each of its codes: language asked in and region. The "
        "official figure is their plain mean.",
        {run.name: run.of("accuracy", "code") for run in runs},
        "accuracy, %",
        key="code",
        domain=(0, 100),
    )
    topics = heat_section(
        "By region and topic",
        "Share correct in percent; brighter is more. Few questions stand behind a cell: the table has the "
        "intervals. All models have the regions in the same order, and the same colours.",
        {run.name: pairs(run.of(metric, "region-topic")) for run in runs},
        keys_best_first({run.name: run.of(metric, "region") for run in runs}),
        f"{_metric_name(metric)}, %",
        head=("region", "topic"),
    )
    return codes, _regions(runs, metric), _corrected(runs, metric), topics


def region_overview(run: ScoredRun) -> dict[str, str]:
    """A run's line in the overview: the mean over regions, all items, the gap, and what is missing.

    Where there is one, the mean over regions by pair of template and region comes first; before it, by the rule
    of SemEval-2026 Task 7, the figure of its leaderboard.
    """
    metric = _main_metric(run)
    shown = _metric_name(metric)
    cells: dict[str, str] = {}
    if run.scores.rule == SEMEVAL:
        cells["official figure, mean over codes, %"] = cell(run.overall("accuracy-macro"))
    if (by_pair := run.overall(f"{metric}-by-pair-macro")) is not None:
        cells[f"{shown} by pair, mean over regions, %"] = cell(by_pair)
    cells[f"{shown}, mean over regions, %"] = cell(run.overall(f"{metric}-macro"))
    cells[f"{shown}, all items, %"] = cell(run.overall(metric))
    for key, score in run.of("parity-gap", "overall").items():
        best_and_worst = " − ".join(region_name(code) for code in key.split("/"))
        cells["parity gap, points"] = f"{cell(score)} ({best_and_worst})"
    names = ("balanced-accuracy", "yes-bias", "unparsable", UNANSWERED, "refused", "hedged", "missing")
    cells |= {f"{name}, %": cell(share) for name in names if (share := run.overall(name))}
    cells["items"] = f"{run.run.description.n_items:,}"
    return cells


def _metric_name(metric: str) -> str:
    """A figure as people call it."""
    return {"sem-b": "SEM-B", "sem-w": "SEM-W"}.get(metric, metric)


def _main_metric(run: ScoredRun) -> str:
    """The first figure by region: what the task is about."""
    return next((score.metric for score in run.scores.scores if score.scope == "region"), "accuracy")


def _regions(runs: Sequence[ScoredRun], metric: str) -> Section | None:
    note, chance = runs[0].task.note, runs[0].task.chance
    if runs[0].task.people_label and not any(run.overall("labelled") for run in runs):
        note += "All figures are uncorrected: nobody has labelled replies of these models. "
    overlap = " Where lines overlap, the comparison above says whether models differ." if len(runs) > 1 else ""
    return marks_section(
        "By region",
        f"{note}Each mark is a share of a model’s answers that are correct in a region; the line is its 95 % "
        f"interval over question templates.{overlap}"
        f"{'' if chance is None else ' The dashed line is what guessing scores.'}",
        {run.name: run.of(metric, "region") for run in runs},
        f"{_metric_name(metric)}, %",
        key="region",
        label=region_name,
        domain=(0, 100),
        line=None if chance is None else (chance, f"chance, {chance:g} %"),
    )


def _corrected(runs: Sequence[ScoredRun], metric: str) -> Section | None:
    """String rule, judge and people side by side, where people have labelled replies of any run."""

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        by_judge = run.of(metric, "region") if is_judge(run.scores.rule) else {}
        corrected, labelled = run.of(f"{metric}-corrected", "region"), run.of("labelled", "region")
        # Beside a judge stands the default rule.
        for region, by_rule in run.of(f"{metric}-default" if by_judge else metric, "region").items():
            stated = cell(corrected[region]) if region in corrected else "uncorrected"
            shares = cell(by_rule), cell(by_judge.get(region)), stated
            yield region_name(region), *shares, cell(labelled.get(region))

    if not any(run.overall("labelled") for run in runs):
        return None
    shown = _metric_name(metric)
    return table_section(
        "Corrected by people",
        "What people would find of all replies, from every decision of the rule and people’s labels of some; "
        "intervals hold the rule’s errors as well. Regions whose replies nobody has labelled are uncorrected.",
        ("region", f"{shown} by string rule, %", f"{shown} by judge, %", "corrected, %", "labelled, %"),
        runs,
        rows_of,
        is_open=True,
    )


def scorers_section(runs: Sequence[ScoredRun]) -> Section | None:
    """How far rule and judge are off beside people's labels, language by language; null without labels."""

    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        by_judge = {"judge": "", "rule default": "-default"}
        for name, of in (by_judge if is_judge(run.scores.rule) else {f"rule {run.scores.rule}": ""}).items():
            kappas = run.of(f"{KAPPA}{of}", "language")
            for language, bias in run.of(f"{BIAS}{of}", "language").items():
                kappa = kappas[language]
                yield name, language, f"{kappa.n:,}", cell(bias), cell(kappa, 2)

    return table_section(
        "Rules and judges beside people",
        "Bias: the share of labelled replies that a rule or judge finds correct less the share that people do, "
        "in points. κ: how far it agrees with people beyond chance; below 0.1 labels alone would tell as much. "
        "A rule that errs in one language and not in another ranks languages by its own errors.",
        ("scorer", "language", "labels", "bias, points", "κ"),
        runs,
        rows_of,
    )
