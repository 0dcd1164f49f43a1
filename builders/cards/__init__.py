"""Documents: everything in a release that people and catalogues read, as texts by path."""

from collections.abc import Mapping

import tomli_w

from blend.builders.cards.benchmark import benchmark_yaml
from blend.builders.cards.card import render_card, render_details
from blend.builders.cards.charts import card_charts
from blend.builders.cards.contributors import citation_cff
from blend.builders.cards.croissant import render_croissant
from blend.builders.cards.datasheet import render_datasheet
from blend.builders.cards.facts import ReleaseFacts
from blend.schemas.manifest import (
    ANSWERS_NAME,
    BENCHMARK_NAME,
    CARD_NAME,
    CARD_PAGE_NAME,
    CHANGELOG_NAME,
    CITATION_NAME,
    CROISSANT_NAME,
    DATASHEET_NAME,
)
from blend.schemas.reports import Datasheet


def documents(facts: ReleaseFacts) -> Mapping[str, str]:
    """The card, its charts, the datasheet, the changelog, the Croissant metadata and the benchmark file.

    Args:
        facts: The release.

    Returns:
        Path in the release to text; the same for the same release. ``datasheet.toml`` only where there are
        answers.
    """
    charts = list(card_charts(facts))
    texts = {chart.path: chart.svg for chart in charts}
    texts[CARD_NAME] = render_card(facts, charts)
    texts[CARD_PAGE_NAME] = render_details(facts)
    texts[DATASHEET_NAME] = render_datasheet(facts)
    if facts.manifest.recipe.datasheet is not None:
        texts[ANSWERS_NAME] = answers_toml(facts.datasheet)
    texts[CHANGELOG_NAME] = facts.changelog
    texts[CROISSANT_NAME] = render_croissant(facts)
    if facts.contributions:
        texts[CITATION_NAME] = citation_cff(facts.manifest.recipe, facts.title, facts.contributions)
    if (benchmark := benchmark_yaml(facts)) is not None:
        texts[BENCHMARK_NAME] = benchmark
    return texts


def answers_toml(datasheet: Datasheet) -> str:
    """The answers as TOML that reads back as the same datasheet."""
    return tomli_w.dumps(datasheet.model_dump(exclude_none=True, exclude_defaults=True))
