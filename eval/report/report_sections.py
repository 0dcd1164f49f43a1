"""Sections: what a task shows of its scores on the page, as charts and tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from blend.eval.report import score_charts
from blend.eval.report.score_charts import Spec
from blend.eval.scores_json import FEW_MARK, Score
from blend.schemas.locales import Locale, registry


@dataclass(frozen=True, slots=True)
class ReportChart:
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
class ReportTable:
    """The figures behind pictures."""

    head: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """Cells."""

    @property
    def is_wordy(self) -> bool:
        """Whether it holds text to be read in lines, and not only figures and names."""
        return any(len(text) > _FIGURE_CHARACTERS for row in self.rows for text in row[1:])


_FIGURE_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    name: str
    """Short name for links."""
    title: str
    """Heading."""
    text: str
    """What is shown and how to read it."""
    charts: tuple[ReportChart, ...]
    """Pictures."""
    table: ReportTable | None = None
    """Their figures."""
    is_open: bool = False
    """Whether the table is shown at once, since it is what the part is about."""
    overview: ReportTable | None = None
    """The few figures that stand for those of the table, shown at once."""


def table_section(
    name: str,
    title: str,
    text: str,
    head: Sequence[str],
    rows: Iterable[tuple[str, ...]],
    *,
    is_open: bool = False,
) -> Section | None:
    """A section without pictures; null where its table has no rows."""
    cells = tuple(rows)
    if not cells:
        return None
    return Section(name, title, text, (), ReportTable(tuple(head), cells), is_open=is_open)


@cache
def known_regions() -> Mapping[str, Locale]:
    """Locales by the code that scores call their regions."""
    return {locale.split: locale for locale in registry()}


def region_name(code: str) -> str:
    """A region as people call it; its code where the registry does not know it."""
    return known_regions()[code].region_name if code in known_regions() else code


def regions_in_words(codes: Iterable[str]) -> str:
    """Regions as a sentence names them, by name: ``South Korea, the UK``."""
    known = known_regions()
    return ", ".join(
        known[code].prompt_name if code in known else code for code in sorted(codes, key=region_name)
    )


Pairs = Mapping[tuple[str, str], Score]
"""Scores by row and column."""


def pairs(scores: Mapping[str, Score]) -> Pairs:
    """Scores by their keys of two parts, ``KR/Food``."""
    return {(row, column): score for key, score in scores.items() for row, _, column in (key.partition("/"),)}


def heat_maps(
    of_runs: Mapping[str, Pairs], rows: Sequence[str], what: str
) -> tuple[tuple[ReportChart, ...], tuple[tuple[str, ...], ...]]:
    """A heat map of every run that has scores, all with the same rows, columns and colours; and their figures.

    Args:
        of_runs: Scores by model.
        rows: Keys of the rows, in order.
        what: What the figures are.
    """
    domain = _domain([score for scores in of_runs.values() for score in scores.values()])
    columns = sorted({column for scores in of_runs.values() for _, column in scores}, key=region_name)
    pictures = tuple(
        _heat_map(name, scores, rows, columns, domain, what) for name, scores in of_runs.items() if scores
    )
    cells = tuple(
        (name, region_name(row), region_name(column), cell(score))
        for name, scores in of_runs.items()
        for (row, column), score in scores.items()
    )
    return pictures, cells


def _domain(scores: Sequence[Score]) -> score_charts.Domain:
    """Ends of the colours: those of figures that enough answers are behind, where there are any."""
    figures = [(score.value, score.n >= score_charts.FEW) for score in scores if score.value is not None]
    enough = [value for value, is_enough in figures if is_enough] or [value for value, _ in figures]
    return score_charts.colour_domain(enough or [0.0, 100.0])


def _heat_map(
    title: str,
    scores: Pairs,
    rows: Sequence[str],
    columns: Sequence[str],
    domain: score_charts.Domain,
    what: str,
) -> ReportChart:
    values = [
        {"y": region_name(row), "x": region_name(column), "value": score.value, "n": score.n}
        for (row, column), score in scores.items()
        if score.value is not None
    ]
    x = [region_name(column) for column in columns]
    y = [region_name(row) for row in rows]
    codes = {name: row for name, row in zip(y, rows, strict=True) if name != row}
    spec = score_charts.heat_map(values, x=x, y=y, title=what, domain=domain, codes=codes)
    wide, large = (len(x) > most for most in (_PHONE_COLUMNS, _THIRD_COLUMNS))
    return ReportChart(title, spec, wide=wide, large=large)


OF_FEW = f" A cell of fewer than {score_charts.FEW} answers has no colour."
"""What the text beside heat maps says of them."""

_PHONE_COLUMNS = 16
"""Columns of numbers that a phone has room for beside the codes of the rows."""
_THIRD_COLUMNS = 7
"""Columns that a third of a broad screen has room for beside the names of the rows."""


def keys_best_first(scores: Mapping[str, Mapping[str, Score]]) -> list[str]:
    """Keys by their mean over the models, highest first; of equal ones in the order of their names."""
    values: dict[str, list[float]] = {}
    for by_key in scores.values():
        for key, score in by_key.items():
            if score.value is not None:
                values.setdefault(key, []).append(score.value)
    return sorted(values, key=lambda key: (-sum(values[key]) / len(values[key]), key))


def score_rows(
    scores: Mapping[str, Mapping[str, Score]], keys: Sequence[str], name: Callable[[str], str] = str
) -> list[dict[str, Any]]:
    """Scores by series and key, such as model and region, as `score_charts.interval_chart` takes them."""
    return [
        {"key": name(key), "series": series, "value": one.value, "low": one.low, "high": one.high}
        for series, by_key in scores.items()
        for key in keys
        if (one := by_key.get(key)) is not None and one.value is not None
    ]


def cell(score: Score | None) -> str:
    """A score with its interval, as tables show it."""
    if score is None:
        return "–"
    mark = FEW_MARK if score.is_over_few else ""
    return f"{_interval_cell(score.value, score.low, score.high)}{mark}"


def _interval_cell(value: Any, low: Any, high: Any) -> str:
    """A figure with its interval."""
    if value is None:
        return "–"
    if low is None or high is None:
        return f"{value:.1f}"
    # No line breaks within a figure.
    return f"{value:.1f}\u00a0[{low:.1f},\u00a0{high:.1f}]"
