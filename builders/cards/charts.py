"""Charts of the card: bars that people would rather look at than read, the same bytes for the same figures.

The charts bring their own background, since nobody knows the colour of the page around them, and follow the
reader's choice of light or dark. They use the reader's fonts and no script.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.rendering import render
from blend.builders.stats import Stats
from blend.schemas.languages import english_name
from blend.schemas.locales import Locale

_AGREEMENT = {"measure": "agreement", "definition": "annotators"}
"""The measure that we call agreement."""
_ORIGINS = 15
"""Origins shown, those with most."""
_CHARACTER = 7.3
"""Width of a character in 13 px, in px: wide for most fonts, so that no name is cut."""
_FULL = 440
"""Px of the longest bar."""


class Chart(NamedTuple):
    """A picture of the card."""

    path: str
    """Place in the release, for example ``images/agreement.svg``."""
    alt: str
    """What it shows, for who cannot see it: one line without brackets."""
    svg: str
    """The picture."""


def card_charts(facts: ReleaseFacts) -> Iterator[Chart]:
    """Agreement by locale, and items by origin, as far as a release holds questions or tables from Wikidata."""
    if facts.stats is not None:
        means = agreement_of(facts.stats)
        # A locale with multiple choice alone has no mean.
        known = [locale for locale in facts.locales if locale.tag in means]
        ranked = sorted(known, key=lambda locale: -(means[locale.tag] or 0))
        overall = facts.stats.overall_means.filter(**_AGREEMENT)["mean"].item()
        yield bar_chart(
            "images/agreement.svg",
            "How many annotators agree",
            "Share of a question’s annotators who gave its most frequent answer, mean per locale",
            [(locale_label(locale), means[locale.tag]) for locale in ranked],
            beside=None if overall is None else ("all questions", overall),
            nothing="no answers",
        )
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
            are_shares=False,
        )


def agreement_of(stats: Stats) -> dict[str, float | None]:
    """Agreement by locale, a fraction; null where no question has an answer."""
    return dict(stats.locale_means.filter(**_AGREEMENT).select("locale", "mean").iter_rows())


def bar_chart(
    path: str,
    title: str,
    subtitle: str,
    bars: Sequence[tuple[str, float | None]],
    *,
    are_shares: bool = True,
    beside: tuple[str, float] | None = None,
    nothing: str = "none",
) -> Chart:
    """Bars in the order given, each with its value behind it.

    Args:
        path: Place of the picture.
        title: What is drawn.
        subtitle: What exactly, in one line.
        bars: Name and value of each (null where there is none); at least one.
        are_shares: Whether values are fractions of what the longest bar would be, in percent; counts otherwise.
        beside: Name and value of a line to compare the bars with.
        nothing: What stands in the place of a bar without a value.
    """

    def write(value: float) -> str:
        return f"{100 * value:.1f} %" if are_shares else f"{value:,.0f}"

    known = [(name, value) for name, value in bars if value is not None]
    ends = [f"{name} {write(value)}" for name, value in (known[:1] + known[1:][-1:])]
    line = None if beside is None else f"{beside[0]} {write(beside[1])}"
    alt = f"Bar chart. {title}: {' to '.join(ends) or nothing}{'' if line is None else f'; {line}'}."
    texts = [None if value is None else write(value).replace(" ", "\N{NO-BREAK SPACE}") for _, value in bars]
    svg = render(
        "bars.svg.j2",
        title=title,
        subtitle=subtitle,
        description=alt,
        nothing=nothing,
        bars=[(name, value or 0, text) for (name, value), text in zip(bars, texts, strict=True)],
        most=1 if are_shares else max((value for _, value in known), default=1) or 1,
        line=None if beside is None else (beside[1], line),
        full=_FULL,
        names=round(max(len(name) for name, _ in bars) * _CHARACTER),
        values=round(max((len(text) for text in texts if text is not None), default=0) * _CHARACTER),
    )
    return Chart(path, alt, svg)


def locale_label(locale: Locale) -> str:
    """A locale as people call it: ``South Korea · Korean``."""
    return f"{locale.region_name} · {locale.language_name}"
