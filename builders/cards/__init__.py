"""Documents: everything in a release that people and catalogues read, as texts by path."""

import json
from collections.abc import Mapping
from itertools import groupby

import tomli_w
import yaml

from blend.builders.cards.card import card_charts, render_card, render_details
from blend.builders.cards.facts import ReleaseFacts, canary, credits_of, license_of
from blend.builders.cards.metadata import render_croissant
from blend.builders.cards.rendering import render, text_of
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import (
    ANSWERS_NAME,
    BENCHMARK_NAME,
    CARD_NAME,
    CARD_PAGE_NAME,
    CHANGELOG_NAME,
    CROISSANT_NAME,
    DATASHEET_NAME,
    MULTIPLE_CHOICE,
    SHORT_ANSWER,
    region_task,
)
from blend.schemas.reports import Datasheet, questions
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS
from blend.schemas.texts import pluralise

# ``eval.yaml``: what the Hub and Inspect need to run a release as a benchmark, without any code of ours.


def _benchmark_yaml(facts: ReleaseFacts) -> str | None:
    """The benchmark file of a release; null where it has no questions that can be asked."""
    tables = [table for table in facts.manifest.tables if table.rows]
    held = {table.config for table in tables}
    regions = [table.split for table in tables if table.config == ANNOTATIONS]
    asked = [(name, name, "test") for name in (MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS) if name in held]
    if regions:
        asked.append((ANNOTATIONS, SHORT_ANSWER, "+".join(regions)))
    asked += [(ANNOTATIONS, region_task(region), region) for region in regions]
    if not asked:
        return None
    how = yaml.safe_load(text_of("asked.yaml"))
    ids = {MULTIPLE_CHOICE_QUESTIONS: MULTIPLE_CHOICE}
    fields = {
        "name": facts.title,
        "description": facts.summary,
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {"id": ids.get(name, name), "config": config, "split": split, **how[config]}
            for config, name, split in asked
        ],
    }
    # By JSON, so that no task refers to what it has in common with another one.
    return yaml.safe_dump(json.loads(json.dumps(fields)), sort_keys=False, allow_unicode=True, width=110)


# The datasheet of a release: every question, the authors' answers, and what the build itself can tell.


def _render_datasheet(facts: ReleaseFacts) -> str:
    """The datasheet, ``DATASHEET.md``: questions by section, those without answer listed at the top."""
    asked = list(questions(facts.datasheet))
    return render(
        "DATASHEET.md.j2",
        facts=facts,
        canary=canary(facts.manifest.name),
        n_questions=len(asked),
        unanswered=[question.key for question in asked if question.answer is None],
        sections=[(heading, list(of)) for heading, of in groupby(asked, key=lambda one: one.section)],
        known=_known(facts),
    )


def _known(facts: ReleaseFacts) -> Mapping[str, str]:
    """Answer from the release what it knows of itself, by the question's key."""
    recipe = facts.manifest.recipe
    rows = [f"`{name}` {sum(table.rows for table in tables):,}" for name, tables in facts.tables.items()]
    steps = ", ".join(stage.stage for stage in facts.manifest.report)
    findings = sum(sum(stage.findings.values()) for stage in facts.manifest.report)
    terms = sorted({f"{credit.name}: {credit.license.markdown}" for credit in credits_of(facts.manifest)})
    return {
        "composition.count": f"Rows by configuration: {', '.join(rows)}.",
        "composition.data": "The columns of every configuration are described in `reports/details.md`.",
        **_of_questions(facts),
        "composition.splits": "A split is a locale or a language, or `test`. There is no training split: the "
        "dataset is for evaluation only.",
        "composition.errors": f"{findings:,} oddities of the input, and rows left out for a reason, are listed "
        "one by one in `reports/findings.jsonl`.",
        "preprocessing.steps": f"Steps: {steps}. The recipe with all options is `recipe.toml`; the counts of "
        "every step stand in `release.json`.",
        "preprocessing.software": f"Built with {DISTRIBUTION} {facts.manifest.sdk_version}.",
        "distribution.license": license_of(recipe.license).markdown,
        "distribution.third_party_terms": "; ".join(terms),
        "maintenance.old_versions": "A version is a tag that never moves; `CHANGELOG.md` says what changed.",
    }


def _of_questions(facts: ReleaseFacts) -> Mapping[str, str]:
    if not facts.locales:
        return {}
    without = facts.total("questions") - facts.total("answered")
    asked = pluralise(facts.total("questions"), "question")
    return {"composition.missing": f"{without:,} of {asked} {'has' if without == 1 else 'have'} no answer."}


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
    texts[DATASHEET_NAME] = _render_datasheet(facts)
    if facts.manifest.recipe.datasheet is not None:
        texts[ANSWERS_NAME] = _answers_toml(facts.datasheet)
    texts[CHANGELOG_NAME] = facts.changelog
    texts[CROISSANT_NAME] = render_croissant(facts)
    if (benchmark := _benchmark_yaml(facts)) is not None:
        texts[BENCHMARK_NAME] = benchmark
    return texts


def _answers_toml(datasheet: Datasheet) -> str:
    """The answers as TOML that reads back as the same datasheet."""
    return tomli_w.dumps(datasheet.model_dump(exclude_none=True, exclude_defaults=True))
