"""Documents: everything in a release that people and catalogues read, as texts by path."""

from collections.abc import Mapping

import tomli_w

from blend.builders.cards.benchmark import benchmark_yaml
from blend.builders.cards.card import render_card, render_details
from blend.builders.cards.card_charts import CARD_CHARTS
from blend.builders.cards.contributors import citation_cff
from blend.builders.cards.credits import canary, citation, license_of
from blend.builders.cards.croissant import About, render_croissant
from blend.builders.cards.datasheet import render_datasheet
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.header import KEYWORDS
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
from blend.schemas.reports import Datasheet, questions

RESPONSIBLE = {
    "composition.errors": "dataBiases",
    "composition.missing": "dataCollectionMissingData",
    "composition.sensitive": "personalSensitiveInformation",
    "collection.mechanisms": "dataCollection",
    "preprocessing.raw": "dataCollectionRawData",
    "preprocessing.steps": "dataPreprocessingProtocol",
    "uses.other_tasks": "dataUseCases",
    "uses.risks": "dataSocialImpact",
    "uses.not_for": "dataLimitations",
    "maintenance.updates": "dataReleaseMaintenancePlan",
}
"""Questions of the datasheet to properties of Croissant's vocabulary for responsible AI."""


def documents(facts: ReleaseFacts) -> Mapping[str, str]:
    """The card, its charts, the datasheet, the changelog, the Croissant metadata and the benchmark file.

    Args:
        facts: The release.

    Returns:
        Path in the release to text; the same for the same release. ``datasheet.toml`` only where there are
        answers.
    """
    charts = [chart for draw in CARD_CHARTS.values() if (chart := draw(facts)) is not None]
    texts = {chart.path: chart.svg for chart in charts}
    texts[CARD_NAME] = render_card(facts, charts)
    texts[CARD_PAGE_NAME] = render_details(facts)
    texts[DATASHEET_NAME] = render_datasheet(facts)
    if facts.manifest.recipe.datasheet is not None:
        texts[ANSWERS_NAME] = answers_toml(facts.datasheet)
    texts[CHANGELOG_NAME] = facts.changelog
    texts[CROISSANT_NAME] = render_croissant(facts.manifest, _about(facts))
    if facts.contributions:
        texts[CITATION_NAME] = citation_cff(facts.manifest.recipe, facts.title, facts.contributions)
    if (benchmark := benchmark_yaml(facts)) is not None:
        texts[BENCHMARK_NAME] = benchmark
    return texts


def answers_toml(datasheet: Datasheet) -> str:
    """The answers as TOML that reads back as the same datasheet."""
    return tomli_w.dumps(datasheet.model_dump(exclude_none=True, exclude_defaults=True))


def _about(facts: ReleaseFacts) -> About:
    recipe = facts.manifest.recipe
    terms = license_of(recipe.license)
    answers = {question.key: question.answer for question in questions(facts.datasheet)}
    return About(
        title=facts.title,
        description=f"{facts.summary} For evaluation only: {canary(facts.manifest.name)}",
        languages=facts.languages,
        license=terms.url or terms.name,
        citation=citation(recipe, facts.authors),
        keywords=KEYWORDS,
        reword=facts.reword,
        authors=facts.authors,
        homepage=recipe.homepage,
        responsible={name: answer for key, name in RESPONSIBLE.items() if (answer := answers[key]) is not None},
    )
