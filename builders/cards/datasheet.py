"""The datasheet of a release: every question, the authors' answers, and what the build itself can tell."""

from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

from blend.builders.cards.credits import canary, credits_of, license_of
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.rendering import render
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.reports import questions
from blend.schemas.texts import pluralise


class Entry(NamedTuple):
    """A question with what is known about it."""

    key: str
    section: str
    text: str
    answer: str | None
    """The authors' words; null where they gave none."""
    fact: str | None
    """What the build knows; null where it knows nothing."""


def render_datasheet(facts: ReleaseFacts) -> str:
    """The datasheet, ``DATASHEET.md``: questions by section, those without answer listed at the top."""
    known = _known(facts)
    entries = [
        Entry(question.key, question.section, question.text, _answer(question.answer), known.get(question.key))
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
