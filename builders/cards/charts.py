"""Charts: what people would rather look at than read, as SVG of the same bytes for the same figures.

The charts bring their own background, since nobody knows the colour of the page around them, and follow the
reader's choice of light or dark. They use the reader's fonts and no script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import polars as pl

from blend.builders.cards.rendering import render
from blend.schemas.language.locales import Locale


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of the card."""

    path: str
    """Place in the release, for example ``images/agreement.svg``."""
    alt: str
    """What it shows, for who cannot see it: one line without brackets."""
    svg: str
    """The picture."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one scheme, as ``#rrggbb``."""

    background: str
    """Behind everything."""
    text: str
    """Names and values."""
    muted: str
    """Axis and notes."""
    line: str
    """Grid lines."""
    bar: str
    """Bars."""
    steps: tuple[str, ...]
    """Cells of the heat map, from the least to the most."""
    on_steps: tuple[str, ...]
    """Text on each of them."""


_DARK_INK, _LIGHT_INK = "#10161d", "#ffffff"

PALETTES: Mapping[str, Palette] = {
    "light": Palette(
        background="#ffffff",
        text="#1f2328",
        muted="#59636e",
        line="#d1d9e0",
        bar="#2f6fb0",
        steps=("#eff5fc", "#d4e4f6", "#b0cfee", "#85b4e3", "#3272b4", "#1f5a99", "#0b3a70"),
        on_steps=(_DARK_INK,) * 4 + (_LIGHT_INK,) * 3,
    ),
    "dark": Palette(
        background="#0d1117",
        text="#e6edf3",
        muted="#9198a1",
        line="#30363d",
        bar="#5a9bdc",
        steps=("#182534", "#1d3a57", "#22507d", "#2a68a4", "#5a9bdc", "#8dbdf0", "#c4defb"),
        on_steps=(_LIGHT_INK,) * 4 + (_DARK_INK,) * 3,
    ),
}
"""Colours by scheme; text has a contrast of at least 4.5 with what it stands on (WCAG 2.2, criterion 1.4.3)."""

_CHARACTER = 7.3
"""Width of a character in 13 px, in px: wide for most fonts, so that no name is cut."""

_MARGIN = 16

_TOP, _ROW, _FULL = 92, 24, 440
"""Bar charts: px above the first bar, from bar to bar, and of the longest one."""

_STEP = 5
"""Percentage points from one colour of the heat map to the next: the same in every release, so that two maps
can be compared. The last colour has no upper end."""


class Bar(NamedTuple):
    """A bar with its name and value."""

    label: str
    text: str | None
    """Its value as printed; null where there is none."""
    y: int
    width: float


def agreement_chart(locale_means: pl.DataFrame, overall: float | None, locales: Sequence[Locale]) -> Chart:
    """Bars: the mean share of annotators behind the most frequent answer, highest first.

    Args:
        locale_means: ``locale`` and ``mean`` (a fraction; null where no question has an answer); a locale with
            multiple choice alone has no row, and no bar.
        overall: Mean over all questions, a fraction; drawn as a line.
        locales: All locales, in order; equal means keep it.

    Returns:
        ``images/agreement.svg``.
    """
    means: dict[str, float | None] = dict(locale_means.select("locale", "mean").iter_rows())
    ranked = sorted(
        (locale for locale in locales if locale.tag in means), key=lambda locale: -(means[locale.tag] or 0)
    )
    names = {locale.tag: locale_label(locale) for locale in ranked}
    left = _MARGIN + round(max(map(len, names.values())) * _CHARACTER) + 10
    bars = [
        Bar(
            names[locale.tag],
            None if (mean := means[locale.tag]) is None else _printed(mean),
            _TOP + _ROW * i,
            round(_FULL * (mean or 0), 1),
        )
        for i, locale in enumerate(ranked)
    ]
    alt = _agreement_alt(ranked, means, overall)
    svg = render(
        "bars.svg.j2",
        title="How many annotators agree",
        subtitle="Share of a question’s annotators who gave its most frequent answer, mean per locale",
        description=alt,
        palettes=PALETTES,
        nothing="no answers",
        ticks=[(f"{share}\N{NO-BREAK SPACE}%", left + _FULL * share // 100) for share in range(0, 101, 20)],
        bars=bars,
        mean=None
        if overall is None
        else (round(left + _FULL * overall, 1), f"all questions {_printed(overall)}"),
        **_frame(left, [bar.text or "" for bar in bars]),
    )
    return Chart("images/agreement.svg", alt, svg)


def count_chart(path: str, title: str, subtitle: str, counts: Sequence[tuple[str, int]]) -> Chart:
    """Bars: how many there are of each, in the order given.

    Args:
        path: Place in the release.
        title: What is counted.
        subtitle: What exactly, in one line.
        counts: Name and number of each; at least one.
    """
    left = _MARGIN + round(max(len(name) for name, _ in counts) * _CHARACTER) + 10
    most = max(number for _, number in counts)
    bars = [
        Bar(name, f"{number:,}", _TOP + _ROW * i, round(_FULL * number / max(most, 1), 1))
        for i, (name, number) in enumerate(counts)
    ]
    (first, n_first), (last, n_last) = counts[0], counts[-1]
    ends = f"{first} {n_first:,}" + (f" to {last} {n_last:,}" if len(counts) > 1 else "")
    alt = f"Bar chart. {title}: {ends}."
    svg = render(
        "bars.svg.j2",
        title=title,
        subtitle=subtitle,
        description=alt,
        palettes=PALETTES,
        nothing="",
        # The numbers stand behind the bars: an axis would only repeat them.
        ticks=[],
        bars=bars,
        mean=None,
        **_frame(left, [bar.text or "" for bar in bars], axis=False),
    )
    return Chart(path, alt, svg)


def share_chart(
    path: str, title: str, subtitle: str, shares: Sequence[tuple[str, float | None]], line: tuple[str, float]
) -> Chart:
    """Bars: shares in the order given, with a line to compare them with; the longest bar has the full width.

    Args:
        path: Place of the picture.
        title: What is drawn.
        subtitle: What exactly, in one line.
        shares: Name and share (a fraction; null where there is none) of each; at least one.
        line: Name of the line, and its share.
    """
    left = _MARGIN + round(max(len(name) for name, _ in shares) * _CHARACTER) + 10
    most = max(line[1], *(share or 0 for _, share in shares))
    bars = [
        Bar(
            name,
            None if share is None else _printed(share),
            _TOP + _ROW * i,
            round(_FULL * (share or 0) / most, 1),
        )
        for i, (name, share) in enumerate(shares)
    ]
    known = [f"{name} {_percent(share)}" for name, share in shares if share is not None]
    ends = f": {known[0]}" + (f" to {known[-1]}" if len(known) > 1 else "") if known else ""
    alt = f"Bar chart. {title}{ends}; {line[0]} {_percent(line[1])}."
    svg = render(
        "bars.svg.j2",
        title=title,
        subtitle=subtitle,
        description=alt,
        palettes=PALETTES,
        nothing="too few",
        ticks=[],
        bars=bars,
        mean=(round(left + _FULL * line[1] / most, 1), f"{line[0]} {_printed(line[1])}"),
        **_frame(left, [bar.text or "" for bar in bars], axis=False),
    )
    return Chart(path, alt, svg)


def _frame(left: int, values: Sequence[str], *, axis: bool = True) -> dict[str, int]:
    """Lay out a bar chart with these values, in px."""
    bottom = _TOP + _ROW * len(values)
    widest = round(max(map(len, values), default=0) * _CHARACTER)
    return {
        "left": left,
        "top": _TOP,
        "bottom": bottom,
        "full": _FULL,
        "width": max(left + _FULL + 12 + widest + _MARGIN, 640),
        "height": bottom + (40 if axis else _MARGIN),
    }


def _agreement_alt(ranked: Sequence[Locale], means: Mapping[str, float | None], overall: float | None) -> str:
    values = [
        f"{locale_label(locale)} {_percent(mean)}"
        for locale in ranked
        if (mean := means[locale.tag]) is not None
    ]
    if not values or overall is None:
        return "Bar chart of agreement per locale: no question has an answer."
    ends = f"highest {values[0]}, lowest {values[-1]}" if len(values) > 1 else values[0]
    return f"Bar chart of agreement per locale: {ends}; all questions {_percent(overall)}."


class Cell(NamedTuple):
    """A pair of locales in the heat map."""

    x: int
    y: int
    step: int | None
    text: str


def overlap_chart(overlap: pl.DataFrame, locales: Sequence[Locale]) -> Chart:
    """Heat map: how much of their answers two locales share.

    Every pair has one cell, in the row of the later and the column of the earlier locale. A locale's name
    stands on the diagonal: its cells lie left of the name and below it.

    Args:
        overlap: ``locale_a``, ``locale_b`` and ``lemma_share`` (a fraction; null where neither has answers);
            ``locale_a`` is the earlier one.
        locales: At least two locales, in the order of the chart.

    Returns:
        ``images/overlap.svg``.
    """
    shares: dict[tuple[str, str], float | None] = {
        (a, b): share for a, b, share in overlap.select("locale_a", "locale_b", "lemma_share").iter_rows()
    }
    percents = {pair: round(100 * share) for pair, share in shares.items() if share is not None}
    size, top = 28, 78
    cells = [
        _cell(percents.get((locales[j].tag, locales[i].tag)), _MARGIN + size * j, top + size * i)
        for i in range(len(locales))
        for j in range(i)
    ]
    labels = [
        (_MARGIN + size * i + 7, top + size * i + size // 2, locale_label(locale))
        for i, locale in enumerate(locales)
    ]
    right = max(x + round(len(label) * _CHARACTER) for x, _, label in labels)
    alt = _overlap_alt(shares, {locale.tag: locale_label(locale) for locale in locales})
    svg = render(
        "heat_map.svg.j2",
        title="How much their answers have in common",
        subtitle="Lemmas of English answers that two locales share, in percent of those that either has",
        description=alt,
        palettes=PALETTES,
        width=max(right + _MARGIN, 640),
        height=top + size * len(locales) + 58,
        cells=cells,
        labels=labels,
        size=size,
        legend=_legend(),
        legend_y=top + size * len(locales) + 14,
        margin=_MARGIN,
    )
    return Chart("images/overlap.svg", alt, svg)


def locale_label(locale: Locale) -> str:
    """A locale as people call it: ``South Korea · Korean``."""
    return f"{locale.region_name} · {locale.language_name}"


def _cell(percent: int | None, x: int, y: int) -> Cell:
    return Cell(x, y, None, "–") if percent is None else Cell(x, y, _step(percent), str(percent))


def _step(percent: int) -> int:
    """Return the step that a whole percentage falls into."""
    return min(percent // _STEP, len(PALETTES["light"].steps) - 1)


def _legend() -> list[tuple[int, str]]:
    """Every step with the percentages in it."""
    last = len(PALETTES["light"].steps) - 1
    closed = [(step, f"{step * _STEP}–{step * _STEP + _STEP - 1} %") for step in range(last)]
    return [*closed, (last, f"from {last * _STEP} %")]


def _overlap_alt(shares: Mapping[tuple[str, str], float | None], names: Mapping[str, str]) -> str:
    # In the order of the locales, so that of equal pairs the first is named whatever the order of the rows.
    pairs = combinations(names, 2)
    known = [(share, pair) for pair in pairs if (share := shares.get(pair)) is not None]
    if not known:
        return "Heat map of answer overlap: no two locales have answers to compare."
    (most, of_most), (least, of_least) = max(known, key=lambda k: k[0]), min(known, key=lambda k: k[0])
    sentence = "{} and {} share {} of their lemmas".format
    text = sentence(names[of_most[0]], names[of_most[1]], _percent(most))
    if len(known) == 1:
        return f"Heat map of answer overlap: {text}."
    return (
        f"Heat map of answer overlap between locales: {text}, the most of all pairs; "
        f"{sentence(names[of_least[0]], names[of_least[1]], _percent(least))}, the least."
    )


def _printed(share: float) -> str:
    return _percent(share).replace(" ", "\N{NO-BREAK SPACE}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
