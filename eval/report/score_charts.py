"""Charts: scores as Vega-Lite specifications, drawn by the reader's browser.

Every chart takes the width of the page, says in words what it shows, and carries numbers or shapes besides
colours. Colours of text and lines come from the page, which knows whether it is dark.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from math import ceil, floor, log10
from typing import Any

from blend.schemas.errors import MissingExtraError

Spec = dict[str, Any]
"""A Vega-Lite specification as JSON has it."""

Rows = Sequence[Mapping[str, Any]]


def load_altair() -> Any:
    """The charting library.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return _library("altair")


def chart_library() -> str:
    """The JavaScript that draws the charts, complete, for one script element.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return str(_library("vl_convert").javascript_bundle())


def spec_of(chart: Any, description: str, *, height: int) -> Spec:
    """A chart as a specification that fits its place on the page, with what it shows in words."""
    alt = load_altair()
    sized = chart.properties(
        width="container",
        height=height,
        description=description,
        background="transparent",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )
    spec: Spec = sized.to_dict()
    spec.pop("config", None)  # the page has one for light and one for dark
    return spec


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("the report", extra="report") from None


_COLOURS = ("#3b82c4", "#d9730d", "#2a9d6a", "#c2559d", "#8a7a2f", "#7a6bd1", "#808a94")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")

# From dark blue to yellow, told apart by colour-blind readers and in grey as well.
_SCHEME = "cividis"
_BRIGHT = 0.48
"""Share of the scale from which on black text has more contrast than white (both have 4.5 there)."""

_WHOLE = 0
"""A limit of a label's width that is none: a name that is cut off can be another one's."""


def interval_chart(
    rows: Rows,
    keys: Sequence[str],
    series: Sequence[str],
    *,
    title: str,
    domain: tuple[float, float] | None = None,
    line: tuple[float, str] | None = None,
    digits: int = 1,
) -> Spec:
    """Figures by region or the like with their intervals, one mark per model or other series.

    Args:
        rows: ``key``, ``series``, ``value``, ``low`` and ``high``.
        keys: Names of regions or the like, from top to bottom.
        series: Names of the models or other series, in the order of the page.
        title: What the horizontal axis shows.
        domain: Where the horizontal axis begins and ends; as the figures ask for when absent.
        line: A figure to compare with, as a dashed line, and what it is.
        digits: Digits behind the point that a tooltip shows.
    """
    alt = load_altair()
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        y=alt.Y("key:N", sort=list(keys), title=None, axis=alt.Axis(labelLimit=_WHOLE)),
        yOffset=alt.YOffset("series:N", sort=list(series)),
        tooltip=[
            alt.Tooltip("series:N"),
            alt.Tooltip("key:N"),
            *_tooltips(alt, "value", "low", "high", digits=digits),
        ],
    )
    scale = alt.Undefined if domain is None else alt.Scale(domain=list(domain))
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(labelFlush=False))
    legend = None if len(series) == 1 else alt.Legend(orient="top", title=None, labelLimit=_WHOLE, columns=1)
    colour, shape = (
        getattr(alt, channel)(
            "series:N",
            sort=list(series),
            # From the first value on again where series are more.
            scale=alt.Scale(domain=list(series), range=[values[i % len(values)] for i in range(len(series))]),
            legend=legend,
        )
        for channel, values in (("Color", _COLOURS), ("Shape", _SHAPES))
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, color=colour, shape=shape)
    lines = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q", title=title), x2="high:Q", color=colour)
    layers = lines + marks
    if line is not None:
        value, what = line
        guess = alt.Chart(alt.Data(values=[{"value": value, "what": what}]))
        dashed = guess.mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(x=x)
        # Above the rows, between them and the legend: within, it would lie on the marks of the first region.
        label = guess.mark_text(baseline="bottom", y=-3).encode(x=x, text="what:N")
        layers = dashed + layers + label
    return spec_of(layers, f"{title} with 95 % intervals", height=(14 * len(series) + 6) * len(keys))


Domain = tuple[float, float]
"""Values of the darkest and of the brightest colour."""


def colour_domain(values: Sequence[float]) -> Domain:
    """Ends of a colour scale that figures fill, so that differences between them can be seen.

    The ends are rounded outwards, to a half of the power of ten below the spread: 23.1 to 57.4 gives 20 to 60.
    """
    low, high = min(values), max(values)
    step = 10.0 ** floor(log10(high - low)) / 2 if high > low else 1.0
    first, last = floor(low / step), ceil(high / step)
    return first * step, max(last, first + 1) * step


FEW = 10
"""Answers below which a cell of a heat map has no colour: its figure says little."""


def heat_map(
    rows: Rows,
    *,
    x: Sequence[str],
    y: Sequence[str],
    title: str,
    domain: Domain,
) -> Spec:
    """A number in every cell, on a colour that says the same, but where it is of fewer than `FEW` answers.

    Args:
        rows: ``x``, ``y``, ``value`` and ``n``.
        x: Columns, in order.
        y: Rows, in order.
        title: What the numbers are.
        domain: Values of the darkest and of the brightest colour; what lies beyond has that of the end.
    """
    alt = load_altair()
    # Columns are narrower than their names.
    upright = alt.Axis(orient="top", labelAngle=-90, labelLimit=_WHOLE)
    bright = domain[0] + _BRIGHT * (domain[1] - domain[0])
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X("x:N", sort=list(x), title=None, axis=upright),
        y=alt.Y("y:N", sort=list(y), title=None, axis=alt.Axis(labelLimit=_WHOLE)),
        tooltip=[
            alt.Tooltip("y:N", title="row"),
            alt.Tooltip("x:N", title="column"),
            *_tooltips(alt, "value"),
            alt.Tooltip("n:Q"),
        ],
    )
    enough, few = (base.transform_filter(wanted) for wanted in (alt.datum.n >= FEW, alt.datum.n < FEW))
    numbers = {"text": alt.Text("value:Q", format=".0f")}
    bright_or_dark = alt.when(alt.datum.value >= bright).then(alt.value("black")).otherwise(alt.value("white"))
    legend = alt.Legend(**_BAR, values=list(domain))
    scale = alt.Scale(scheme=_SCHEME, domain=list(domain), clamp=True)
    colour = alt.Color("value:Q", scale=scale, title=title, legend=legend)
    layers = (
        enough.mark_rect().encode(color=colour)
        + enough.mark_text(fontSize=10).encode(color=bright_or_dark, **numbers)
        + few.mark_text(fontSize=10).encode(**numbers)
    )
    return spec_of(layers, f"Heat map: {title}", height=22 * len(y))


_BAR = {"orient": "bottom", "gradientLength": 160, "gradientThickness": 8, "direction": "horizontal"}


def _tooltips(alt: Any, *figures: str, digits: int = 1) -> list[Any]:
    return [alt.Tooltip(f"{name}:Q", format=f".{digits}f") for name in figures]
