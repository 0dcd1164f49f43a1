"""Charts of the card: which there are, and what each shows."""

from collections.abc import Callable, Mapping

import polars as pl

from blend.builders.cards.charts import Chart, bar_chart, locale_label
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.stats import Stats
from blend.schemas.languages import english_name

CardChart = Callable[[ReleaseFacts], Chart | None]
"""Draws a chart of a release; null where the release holds nothing to show."""

AGREEMENT = ("agreement", "annotators")
"""The measure that we call agreement."""
_PAIRS, _ORIGINS, _PARTS = 15, 15, 10
"""Pairs of locales and origins shown, those with most; parts from which on items are counted together."""


def _agreement(facts: ReleaseFacts) -> Chart | None:
    """Show the share of a question's annotators who gave its most frequent answer, mean per locale.

    Highest first, with the mean of all questions (`agreement/annotators` of `blend stats`).
    """
    if facts.stats is None:
        return None
    means = agreement_of(facts.stats)
    names = {locale.tag: locale_label(locale) for locale in facts.locales}
    # A locale with multiple choice alone has no mean.
    ranked = sorted((tag for tag in names if tag in means), key=lambda tag: -(means[tag] or 0))
    overall = of_measure(facts.stats.overall_means)["mean"].item()
    return bar_chart(
        "images/agreement.svg",
        "How many annotators agree",
        "Share of a question’s annotators who gave its most frequent answer, mean per locale",
        [(names[tag], means[tag]) for tag in ranked],
        percent=True,
        full=1,
        line=None if overall is None else ("all questions", overall),
        nothing="no answers",
    )


def _overlap(facts: ReleaseFacts) -> Chart | None:
    """Show the pairs of locales with most lemmas of English answers in common.

    In percent of those that either has (`lemma_share` of `blend stats`). Only where there are two locales.
    """
    if facts.stats is None or len(facts.locales) < 2:
        return None
    names = {locale.tag: locale.region_name for locale in facts.locales}
    known = facts.stats.overlap.drop_nulls("lemma_share")
    rows = known.sort("lemma_share", "locale_a", "locale_b", descending=[True, False, False]).head(_PAIRS)
    shares = [
        (f"{names[a]} · {names[b]}", share)
        for a, b, share in rows.select("locale_a", "locale_b", "lemma_share").iter_rows()
    ]
    return bar_chart(
        "images/overlap.svg",
        "Whose answers have most in common",
        "Lemmas of English answers that two locales share, in percent of those that either has",
        shares or [("no two locales", None)],
        percent=True,
    )


def _origins(facts: ReleaseFacts) -> Chart | None:
    """Show the items per origin, in the language with most items.

    Only where there are tables from Wikidata.
    """
    if facts.domain is None or facts.triples is None:
        return None
    origins = facts.triples.origins
    shown = origins.head(_ORIGINS)
    counts = [
        (english or qid, number)
        for qid, english, number in shown.select("origin_qid", "origin_en", "dishes").iter_rows()
    ]
    of = (
        f"the {len(shown)} of {len(origins)} countries with most"
        if len(shown) < len(origins)
        else "all countries"
    )
    title = f"{_capital(facts.domain.items)} per origin"
    path = f"images/{facts.domain.config}-origins.svg"
    return bar_chart(path, title, f"Rows in {_language(facts)}; {of}", counts)


def _parts(facts: ReleaseFacts) -> Chart | None:
    """Show the parts per item, in the language with most items.

    Only where there are tables from Wikidata.
    """
    if facts.domain is None or facts.triples is None:
        return None
    domain = facts.domain
    held = dict(facts.triples.sizes.select("parts", "dishes").iter_rows())
    more = sum(number for parts, number in held.items() if parts >= _PARTS)
    counts = [(f"{n} {domain.part if n == 1 else domain.parts}", held.get(n, 0)) for n in range(1, _PARTS)]
    counts.append((f"{_PARTS} or more", more))
    while len(counts) > 1 and counts[-1][1] == 0:
        counts.pop()
    return bar_chart(
        f"images/{domain.config}-parts.svg",
        f"{_capital(domain.parts)} per {domain.item}",
        f"{_capital(domain.items)} in {_language(facts)} by the number of {domain.parts} with a name in it",
        counts,
    )


CARD_CHARTS: Mapping[str, CardChart] = {
    "agreement": _agreement,
    "overlap": _overlap,
    "food-origins": _origins,
    "food-parts": _parts,
}
"""Charts by the name of their file, in order; another domain has its own name in the place of ``food``."""


def of_measure(means: pl.DataFrame, measure: tuple[str, str] = AGREEMENT) -> pl.DataFrame:
    """The rows of one measure and definition."""
    return means.filter(measure=measure[0], definition=measure[1])


def agreement_of(stats: Stats) -> dict[str, float | None]:
    """Agreement by locale, a fraction; null where no question has an answer."""
    return dict(of_measure(stats.locale_means).select("locale", "mean").iter_rows())


def _language(facts: ReleaseFacts) -> str:
    assert facts.triples is not None
    return english_name(facts.triples.languages["language"][0])


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
