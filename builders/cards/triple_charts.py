"""Charts of the tables from Wikidata: where the items come from, and of how many parts they are made."""

from blend.builders.cards.charts import Chart, count_chart
from blend.builders.stats.triples import TripleStats
from blend.schemas.language.languages import english_name
from blend.schemas.recipe.domains import Domain

_ORIGINS = 15
"""Origins shown: those with most items."""

_PARTS = 10
"""Parts from which on items are counted together."""


def origins_chart(domain: Domain, figures: TripleStats) -> Chart:
    """Draw the items per origin.

    Args:
        domain: What the items and their parts are called.
        figures: Of one language.
    """
    origins = figures.origins
    shown = origins.head(_ORIGINS)
    of = (
        "all countries"
        if len(shown) == len(origins)
        else f"the {len(shown)} of {len(origins)} countries with most"
    )
    counts = [
        (english or qid, number)
        for qid, english, number in shown.select("origin_qid", "origin_en", "dishes").iter_rows()
    ]
    title = f"{_capital(domain.items)} per origin"
    return count_chart(
        f"images/{domain.config}-origins.svg", title, f"Rows in {_language(figures)}; {of}", counts
    )


def parts_chart(domain: Domain, figures: TripleStats) -> Chart:
    """Draw the parts per item; arguments as for `origins_chart`."""
    held = dict(figures.sizes.select("parts", "dishes").iter_rows())
    more = sum(number for parts, number in held.items() if parts >= _PARTS)
    counts = [(f"{n} {domain.part if n == 1 else domain.parts}", held.get(n, 0)) for n in range(1, _PARTS)]
    counts.append((f"{_PARTS} or more", more))
    while len(counts) > 1 and counts[-1][1] == 0:
        counts.pop()
    title = f"{_capital(domain.parts)} per {domain.item}"
    language = _language(figures)
    subtitle = f"{_capital(domain.items)} in {language} by the number of {domain.parts} that have a name in it"
    return count_chart(f"images/{domain.config}-parts.svg", title, subtitle, counts)


def _language(figures: TripleStats) -> str:
    return english_name(figures.languages["language"][0])


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
