"""Charts of the card: which there are, and what of a release each shows.

The docstring of each is what docs/cards.md says of it.
"""

from collections.abc import Callable, Mapping

from blend.builders.cards.card import AGREEMENT, mean_of
from blend.builders.cards.charts import Chart, agreement_chart, overlap_chart
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.triple_charts import origins_chart, parts_chart

CardChart = Callable[[ReleaseFacts], Chart | None]
"""Draws a chart of a release; null where the release holds nothing to show."""

_MOST_MAPPED = 200
"""Locales up to which their overlap is drawn, one cell for each two."""


def _agreement(facts: ReleaseFacts) -> Chart | None:
    """Show the share of a question's annotators who gave its most frequent answer, mean per locale.

    Highest first, with the mean of all questions (`agreement/annotators` of `blend stats`).
    """
    if facts.stats is None:
        return None
    overall = mean_of(facts.stats.overall_means, AGREEMENT)["mean"].item()
    return agreement_chart(mean_of(facts.stats.locale_means, AGREEMENT), overall, facts.locales)


def _overlap(facts: ReleaseFacts) -> Chart | None:
    """Show for each pair of locales the lemmas of English answers that both have.

    In percent of those that either has (`lemma_share` of `blend stats`). A locale's cells lie left of its name
    and below it. Only where there are two locales, and no more than 200: the map of 1,000 would have half a
    million cells. The colours change every five points, in every release alike, so that two maps can be
    compared.
    """
    if facts.stats is None or not 2 <= len(facts.locales) <= _MOST_MAPPED:
        return None
    return overlap_chart(facts.stats.overlap, facts.locales)


def _origins(facts: ReleaseFacts) -> Chart | None:
    """Show the items per origin, in the language with most items.

    Only where there are tables from Wikidata.
    """
    if facts.domain is None or facts.triples is None:
        return None
    return origins_chart(facts.domain, facts.triples)


def _parts(facts: ReleaseFacts) -> Chart | None:
    """Show the parts per item, in the language with most items.

    Only where there are tables from Wikidata.
    """
    if facts.domain is None or facts.triples is None:
        return None
    return parts_chart(facts.domain, facts.triples)


QUESTION_CHARTS: Mapping[str, CardChart] = {"agreement": _agreement, "overlap": _overlap}
"""Charts about the questions of a release by the name of their file, in the order of the card."""

TRIPLE_CHARTS: Mapping[str, CardChart] = {"food-origins": _origins, "food-parts": _parts}
"""Charts about tables from Wikidata; another domain has its own name in the place of ``food``."""


def drawn(charts: Mapping[str, CardChart], facts: ReleaseFacts) -> list[Chart]:
    """Draw those of some charts that a release has something for."""
    return [chart for draw in charts.values() if (chart := draw(facts)) is not None]
