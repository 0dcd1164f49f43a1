"""Documents: everything in a release that people and catalogues read, as texts by path."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

import tomli_w
import yaml

from blend.builders.cards.card import render_card, render_details
from blend.builders.cards.charts import card_charts
from blend.builders.cards.credits import canary, credits_of, license_of
from blend.builders.cards.facts import ReleaseFacts
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
    tasks = []
    held = {table.config for table in tables}
    if MULTIPLE_CHOICE_QUESTIONS in held:
        tasks.append(_multiple_choice(MULTIPLE_CHOICE, MULTIPLE_CHOICE_QUESTIONS))
    if TRUE_FALSE_QUESTIONS in held:
        asked = _multiple_choice(TRUE_FALSE_QUESTIONS, TRUE_FALSE_QUESTIONS)
        fields = {"input": "prompt", "target": "answer", "metadata": asked["field_spec"]["metadata"]}
        how = {"solvers": [{"name": "generate"}], "scorers": [{"name": "match", "args": {"location": "begin"}}]}
        tasks.append({**asked, "field_spec": fields, **how})
    if regions := [table.split for table in tables if table.config == ANNOTATIONS]:
        tasks.append(_short_answer(SHORT_ANSWER, "+".join(regions)))
        tasks += [_short_answer(region_task(region), region) for region in regions]
    if not tasks:
        return None
    fields = {
        "name": facts.title,
        "description": facts.summary,
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=110)


def _multiple_choice(name: str, config: str) -> dict[str, Any]:
    return {
        "id": name,
        "config": config,
        "split": "test",
        "field_spec": {
            "input": "question",
            # An index from 0 becomes a letter, since there are choices.
            "target": "answer",
            "choices": "options",
            "metadata": ["MCQID", "ID", "country", "locale", "topic"],
        },
        "solvers": [{"name": "multiple_choice"}],
        "scorers": [{"name": "choice"}],
    }


def _short_answer(name: str, split: str) -> dict[str, Any]:
    """A task of written answers, which Inspect has no rule for but a model that grades."""
    return {
        "id": name,
        "config": ANNOTATIONS,
        "split": split,
        "field_spec": {
            "input": "question",
            # A list, which the grading model is shown as it stands.
            "target": "annotations",
            "metadata": ["ID", "locale", "topic"],
        },
        "solvers": [
            {"name": "prompt_template", "args": {"template": text_of("asking.txt")}},
            {"name": "generate"},
        ],
        "scorers": [{"name": "model_graded_qa", "args": {"template": text_of("grading.txt")}}],
    }


# The datasheet of a release: every question, the authors' answers, and what the build itself can tell.


class _Entry(NamedTuple):
    """A question with what is known about it."""

    key: str
    section: str
    text: str
    answer: str | None
    """The authors' words; null where they gave none."""
    fact: str | None
    """What the build knows; null where it knows nothing."""


def _render_datasheet(facts: ReleaseFacts) -> str:
    """The datasheet, ``DATASHEET.md``: questions by section, those without answer listed at the top."""
    known = _known(facts)
    entries = [
        _Entry(question.key, question.section, question.text, _answer(question.answer), known.get(question.key))
        for question in questions(facts.datasheet)
    ]
    return render(
        "DATASHEET.md.j2",
        facts=facts,
        canary=canary(facts.manifest.name),
        n_questions=len(entries),
        unanswered=[entry.key for entry in entries if entry.answer is None],
        sections=[(heading, list(asked)) for heading, asked in groupby(entries, key=lambda e: e.section)],
    )


def _answer(text: str | None) -> str | None:
    return None if text is None else text.strip()


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
        texts[ANSWERS_NAME] = answers_toml(facts.datasheet)
    texts[CHANGELOG_NAME] = facts.changelog
    texts[CROISSANT_NAME] = render_croissant(facts)
    if (benchmark := _benchmark_yaml(facts)) is not None:
        texts[BENCHMARK_NAME] = benchmark
    return texts


def answers_toml(datasheet: Datasheet) -> str:
    """The answers as TOML that reads back as the same datasheet."""
    return tomli_w.dumps(datasheet.model_dump(exclude_none=True, exclude_defaults=True))
