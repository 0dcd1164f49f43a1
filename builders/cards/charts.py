"""Charts of the card: bars that people would rather look at than read, the same bytes for the same figures.

The charts bring their own background, since nobody knows the colour of the page around them, and follow the
reader's choice of light or dark. They use the reader's fonts and no script.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.rendering import render
from blend.builders.stats import Stats
from blend.schemas.languages import english_name
from blend.schemas.locales import Locale

AGREEMENT = {"measure": "agreement", "definition": "annotators"}
"""The measure that we call agreement."""
_ORIGINS = 15
"""Origins shown, those with most."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of the card."""

    path: str
    """Place in the release, for example ``images/agreement.svg``."""
    alt: str
    """What it shows, for who cannot see it: one line without brackets."""
    svg: str
    """The picture."""


_CHARACTER = 7.3
"""Width of a character in 13 px, in px: wide for most fonts, so that no name is cut."""
_MARGIN, _LEAST_WIDTH = 16, 640
_TOP, _ROW, _FULL = 92, 24, 440
"""Px above the first bar, from bar to bar, and of the longest one."""


def card_charts(facts: ReleaseFacts) -> Iterator[Chart]:
    """Agreement by locale, and items by origin, as far as a release holds questions or tables from Wikidata."""
    if facts.stats is not None:
        yield _agreement(facts, facts.stats)
    if facts.domain is not None and facts.triples is not None:
        origins = facts.triples.origins
        shown = origins.head(_ORIGINS)
        rows = shown.select("origin_qid", "origin_en", "dishes").iter_rows()
        fewer = f"the {len(shown)} of {len(origins)} countries with most"
        items, language = facts.domain.items, english_name(facts.triples.languages["language"][0])
        yield bar_chart(
            f"images/{facts.domain.config}-origins.svg",
            f"{items[:1].upper()}{items[1:]} per origin",
            f"Rows in {language}; {fewer if len(shown) < len(origins) else 'all countries'}",
            [(english or qid, number) for qid, english, number in rows],
        )


def _agreement(facts: ReleaseFacts, stats: Stats) -> Chart:
    """Show the share of a question's annotators who gave its most frequent answer, mean per locale.

    Highest first, with the mean of all questions (`agreement/annotators` of `blend stats`).
    """
    means = agreement_of(stats)
    # A locale with multiple choice alone has no mean.
    known = [locale for locale in facts.locales if locale.tag in means]
    ranked = sorted(known, key=lambda locale: -(means[locale.tag] or 0))
    overall = stats.overall_means.filter(**AGREEMENT)["mean"].item()
    return bar_chart(
        "images/agreement.svg",
        "How many annotators agree",
        "Share of a question’s annotators who gave its most frequent answer, mean per locale",
        [(locale_label(locale), means[locale.tag]) for locale in ranked],
        percent=True,
        full=1,
        line=None if overall is None else ("all questions", overall),
        nothing="no answers",
    )


def agreement_of(stats: Stats) -> dict[str, float | None]:
    """Agreement by locale, a fraction; null where no question has an answer."""
    return dict(stats.locale_means.filter(**AGREEMENT).select("locale", "mean").iter_rows())


def bar_chart(
    path: str,
    title: str,
    subtitle: str,
    bars: Sequence[tuple[str, float | None]],
    *,
    percent: bool = False,
    full: float | None = None,
    line: tuple[str, float] | None = None,
    nothing: str = "none",
) -> Chart:
    """Bars in the order given, each with its value behind it.

    Args:
        path: Place of the picture.
        title: What is drawn.
        subtitle: What exactly, in one line.
        bars: Name and value of each (null where there is none); at least one.
        percent: Whether values are fractions, written in percent; counts otherwise.
        full: The value of the longest bar that could be; that of the longest one when absent.
        line: Name and value of a line to compare the bars with.
        nothing: What stands in the place of a bar without a value.
    """
    write = _percent if percent else "{:,.0f}".format
    known = [(name, value) for name, value in bars if value is not None]
    most = full or max([value for _, value in known] + ([line[1]] if line else []), default=1) or 1
    left = _MARGIN + round(max(len(name) for name, _ in bars) * _CHARACTER) + 10
    widest = max((len(write(value)) for _, value in known), default=0)
    ends = [f"{name} {write(value)}" for name, value in (known[:1] + known[1:][-1:])]
    alt = f"Bar chart. {title}: {' to '.join(ends) or nothing}" + (
        f"; {line[0]} {write(line[1])}." if line else "."
    )
    svg = render(
        "bars.svg.j2",
        title=title,
        subtitle=subtitle,
        description=alt,
        nothing=nothing,
        bars=[
            {
                "label": name,
                "text": None if value is None else write(value).replace(" ", "\N{NO-BREAK SPACE}"),
                "y": _TOP + _ROW * i,
                "width": round(_FULL * (value or 0) / most, 1),
            }
            for i, (name, value) in enumerate(bars)
        ],
        line=None if line is None else (round(left + _FULL * line[1] / most, 1), f"{line[0]} {write(line[1])}"),
        left=left,
        top=_TOP,
        bottom=_TOP + _ROW * len(bars),
        full=_FULL,
        width=max(left + _FULL + 12 + round(widest * _CHARACTER) + _MARGIN, _LEAST_WIDTH),
        height=_TOP + _ROW * len(bars) + _MARGIN,
    )
    return Chart(path, alt, svg)


def locale_label(locale: Locale) -> str:
    """A locale as people call it: ``South Korea · Korean``."""
    return f"{locale.region_name} · {locale.language_name}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
