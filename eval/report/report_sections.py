"""Sections: what a task shows of its scores on the page, as charts and tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from blend.eval.report import score_charts
from blend.eval.report.score_charts import Spec
from blend.eval.scores_json import FEW_MARK, Score
from blend.eval.statistics.estimates import Estimate
from blend.schemas.locales import Locale, registry
from blend.schemas.summaries import NOTHING


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


def heat_section(
    name: str,
    title: str,
    text: str,
    of_runs: Mapping[str, Pairs],
    rows: Sequence[str],
    what: str,
    *,
    head: tuple[str, str],
    table: ReportTable | None = None,
) -> Section | None:
    """A heat map of every run that has scores, all with the same rows, columns and colours; null of none.

    Args:
        name: Of the section, as the three that follow.
        title: Its heading.
        text: What is shown.
        of_runs: Scores by model.
        rows: Keys of the rows, in order.
        what: What the figures are.
        head: What rows and columns are.
        table: The figures below, where they are others than those of the maps.
    """
    known = [score for scores in of_runs.values() for score in scores.values() if score.value is not None]
    # The ends of the colours are those of figures that enough answers are behind, where there are any.
    enough = [score for score in known if score.n >= score_charts.FEW] or known
    domain = score_charts.colour_domain([score.value or 0.0 for score in enough] or [0.0, 100.0])
    columns = sorted({column for scores in of_runs.values() for _, column in scores}, key=region_name)
    pictures = tuple(
        _heat_map(name, scores, rows, columns, domain, what) for name, scores in of_runs.items() if scores
    )
    cells = tuple(
        (name, region_name(row), region_name(column), cell(score))
        for name, scores in of_runs.items()
        for (row, column), score in scores.items()
    )
    if not pictures:
        return None
    of_few = f" A cell of fewer than {score_charts.FEW} answers has no colour."
    return Section(name, title, text + of_few, pictures, table or ReportTable(("model", *head, what), cells))


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
    x, y = ([region_name(key) for key in keys] for keys in (columns, rows))
    spec = score_charts.heat_map(values, x=x, y=y, title=what, domain=domain)
    wide, large = (len(x) > most for most in (_PHONE_COLUMNS, _THIRD_COLUMNS))
    return ReportChart(title, spec, wide=wide, large=large)


_PHONE_COLUMNS = 10
"""Columns of numbers that a phone has room for beside the names of the rows."""
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


def marks_section(
    name: str,
    title: str,
    text: str,
    scores: Mapping[str, Mapping[str, Score]],
    what: str,
    *,
    key: str,
    label: Callable[[str], str] = str,
    **options: Any,
) -> Section | None:
    """A mark with its interval for every model and key, such as a region, and its table; null of none.

    Args:
        name: Of the section, as the two that follow.
        title: Its heading.
        text: What is shown.
        scores: By model and key.
        what: What the figures are.
        key: What the keys are.
        label: What a key is called.
        options: Of `score_charts.interval_chart`.
    """
    keys = keys_best_first(scores)
    if not keys:
        return None
    chart = marks_chart(scores, keys, what, label=label, **options)
    codes = {one: label(one) for one in keys}
    cells = tuple(
        (f"{codes[one]} ({one})" if codes[one] != one else one, *(cell(of.get(one)) for of in scores.values()))
        for one in keys
    )
    return Section(name, title, text, (ReportChart("", chart),), ReportTable((key, *scores), cells))


def marks_chart(
    scores: Mapping[str, Mapping[str, Score]],
    keys: Sequence[str],
    what: str,
    *,
    label: Callable[[str], str] = str,
    **options: Any,
) -> Spec:
    """Scores by series and key, such as model and region, as `score_charts.interval_chart` draws them."""
    rows = [
        {"key": label(key), "series": series, "value": one.value, "low": one.low, "high": one.high}
        for series, by_key in scores.items()
        for key in keys
        if (one := by_key.get(key)) is not None and one.value is not None
    ]
    return score_charts.interval_chart(rows, [label(key) for key in keys], list(scores), title=what, **options)


def figure(found: Score | Estimate | None, digits: int = 1, *, signed: bool = False) -> str:
    """A figure with its interval: ``61.3 [58.0, 64.5]``."""
    if found is None or found.value is None:
        return NOTHING
    form = f"{{:{'+' if signed else ''}.{digits}f}}".format
    if found.low is None or found.high is None:
        return form(found.value)
    # No line breaks within a figure.
    return f"{form(found.value)}\u00a0[{form(found.low)},\u00a0{form(found.high)}]"


def cell(score: Score | None) -> str:
    """A score with its interval, as tables show it."""
    return figure(score) + (FEW_MARK if score is not None and score.is_over_few else "")
