"""The dataset card: what a release holds, in words, with the YAML header that makes it load."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl
from pydantic import BaseModel

from blend.builders.cards.charts import Chart
from blend.builders.cards.contributors import shares
from blend.builders.cards.credits import (
    BLEND_CITATION,
    EECC_CITATION,
    FMLAMA_CITATION,
    SEMEVAL_CITATION,
    canary,
    citation,
    credits_of,
    license_of,
)
from blend.builders.cards.facts import ReleaseFacts
from blend.builders.cards.fields import described_fields, first_sentence, markdown
from blend.builders.cards.header import card_header
from blend.builders.cards.judging import judging_of
from blend.builders.cards.read_options import read_options
from blend.builders.cards.rendering import render
from blend.builders.stats.mcq import SPREADS
from blend.builders.stats.measures import definitions
from blend.schemas.language.languages import english_name, own_name, script_name
from blend.schemas.release.audit_report import AuditReport
from blend.schemas.release.finding_kinds import finding_kinds
from blend.schemas.release.manifest import TableInfo
from blend.schemas.release.summaries import markdown_text
from blend.schemas.rows.configs import (
    MULTIPLE_CHOICE_HARD,
    NOT_BY_LANGUAGE,
    QUESTION_CONFIGS,
    REGION_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    model_of,
)
from blend.schemas.rows.cultural_prompt_rows import CULTURAL_PROMPTS

AGREEMENT = "agreement/annotators"
"""The measure that we call agreement."""

_MEASURES = (
    AGREEMENT,
    "agreement/votes",
    "agreement/majority",
    "max_votes/with_annotations",
    "answers/groups",
    "non_answers/all_keys",
)

_VERSIONS_SHOWN = 3

_SCRIPTS = {"Hans": "Simplified Chinese", "Hant": "Traditional Chinese"}
"""Names of scripts that are less than a name without their language."""


def render_card(facts: ReleaseFacts, charts: Sequence[Chart], triple_charts: Sequence[Chart]) -> str:
    """The card of a release, ``README.md``.

    Args:
        facts: The release.
        charts: Pictures about its questions that lie beside it, shown in this order.
        triple_charts: The same of its tables from Wikidata.

    Returns:
        Markdown with a YAML header, see `card_header`.
    """
    manifest = facts.manifest
    works = [BLEND_CITATION] * bool(facts.locales) + [FMLAMA_CITATION] * bool(facts.rows_by_language)
    works += [SEMEVAL_CITATION] * any(source.kind == "semeval" for source in manifest.recipe.sources)
    works += [EECC_CITATION] * (CULTURAL_PROMPTS in facts.tables)
    citations = [citation(manifest.recipe, facts.authors), *works]
    return render(
        "README.md.j2",
        header=card_header(facts),
        facts=facts,
        manifest=manifest,
        recipe=manifest.recipe,
        datasheet=facts.datasheet,
        canary=canary(manifest.name),
        about=_about(facts),
        locales=_locale_rows(facts),
        examples=facts.examples,
        judging=judging_of(manifest) if facts.total("mcqs") else None,
        kinds=_kinds(facts),
        languages=_language_rows(facts),
        configs=_configs(facts),
        measures=_measures(facts),
        between=_between_annotators(facts),
        alike=_between_alike(facts),
        charts=charts,
        triple_charts=triple_charts,
        credits=credits_of(manifest),
        shares=shares(facts.contributions),
        license=license_of(manifest.recipe.license),
        citations=citations,
        fence=_fence(citations),
        history=_history(facts.changelog),
        guessed=_guessed(facts.audit),
        told_apart=_told_apart(facts),
        read=read_options(facts.reading, facts.model_report),
    )


_RULES = {
    "elimination": "the option that nobody of another region gave, else the one that most regions gave",
    "elimination-2": "the same, knowing only answers of two or more people",
    "combined": "everything that can be seen of a question, weighed as in others",
    "typical": "the option that sounds most like the region",
    "widespread": "the option that most other regions gave",
    "recurring": "the option that recurs most among the variants of a question",
    "frequent": "the most frequent right answer of other questions",
}
"""Rules of the audit that the card tells of, in its own words."""


def _guessed(audit: AuditReport | None) -> str | None:
    """Say how much simple rules get right; null without an audit."""
    if audit is None:
        return None
    others = {
        f"`{MULTIPLE_CHOICE_HARD}`": audit.hard,
        f"`{TRUE_FALSE_QUESTIONS}`, yes and no weighed alike (chance 50 %),": audit.true_false,
        f"`{REGION_QUESTIONS}`": audit.regions,
    }
    found = (f" Of {of} they find: {_shares(report)}." for of, report in others.items() if report is not None)
    return (
        "A multiple-choice question can be got right without knowing the region. Compare a score not with the "
        "25 % of a blind guess, but with what these find, of pairs of template and region (of questions): "
        f"{_shares(audit)} (`reports/audit.json`).{''.join(found)}"
    )


def _shares(audit: AuditReport) -> str:
    found = {_RULES[name]: audit.overall[name] for name in _RULES if name in audit.overall}
    return "; ".join(
        f"{rule} {fares.by_pair:.0%} ({fares.share:.0%})"
        for rule, fares in found.items()
        if fares.share is not None and fares.by_pair is not None
    )


def _told_apart(facts: ReleaseFacts) -> str | None:
    """Say how far two models must be apart by region; null without multiple-choice questions."""
    found = dict(facts.power.select("locale", "difference").iter_rows())
    points = [
        f"`{of.tag}` {'–' if found[of.tag] is None else f'{100 * found[of.tag]:.0f}'}"
        for of in facts.locales
        if of.tag in found
    ]
    if not points:
        return None
    return (
        "On the multiple-choice questions of one region two models are told apart (80 % power, 5 % on two "
        f"sides) if their accuracies differ by so many points or more: {', '.join(points)}. Variants of a "
        "question count less than questions of their own (`blend stats --table mcq-power`)."
    )


def _about(facts: ReleaseFacts) -> list[tuple[str, str]]:
    """Say who made it and where to turn, by the recipe or else the datasheet."""
    recipe, sheet = facts.manifest.recipe, facts.datasheet
    homepage = None if recipe.homepage is None else f"<{recipe.homepage}>"
    answers = {
        "Authors": markdown_text(", ".join(recipe.authors)) if recipe.authors else sheet.motivation.creators,
        "Contact": markdown_text(recipe.contact) if recipe.contact else sheet.maintenance.contact,
        "Homepage": homepage,
    }
    return [(name, " ".join(text.split())) for name, text in answers.items() if text]


def _kinds(facts: ReleaseFacts) -> list[tuple[str, int, str]]:
    """Every kind of finding in the release, how often, and what it means; most frequent first."""
    known = finding_kinds()
    counts = Counter[str]()
    for stage in facts.manifest.report:
        counts.update(stage.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(kind, n, known[kind].meaning if kind in known else "") for kind, n in ranked if n]


def _fence(texts: Sequence[str]) -> str:
    """Return the lines before and after a block of code, so that nothing in the block ends it."""
    longest = max((len(run) for text in texts for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)


def mean_of(means: pl.DataFrame, measure: str) -> pl.DataFrame:
    """The rows of one measure and definition, for example ``agreement/annotators``."""
    name, _, definition = measure.partition("/")
    return means.filter(pl.col("measure") == name, pl.col("definition") == definition)


def _locale_rows(facts: ReleaseFacts) -> list[dict[str, Any]]:
    if facts.stats is None:
        return []
    counts = {row["locale"]: row for row in facts.figures.iter_rows(named=True)}
    means = mean_of(facts.stats.locale_means, AGREEMENT)
    agreement = {
        tag: _value(mean, unit) for tag, mean, unit in means.select("locale", "mean", "unit").iter_rows()
    }
    spreads = {
        (tag, spread): n
        for tag, spread, n in facts.spreads.select("locale", "answer_spread", "mcqs").iter_rows()
    }
    return [
        {
            **counts[of.tag],
            "spreads": [spreads.get((of.tag, spread), 0) for spread in SPREADS],
            "of": of,
            "agreement": agreement.get(of.tag, "–"),
            "autonym": own_name(of.language),
            "script": _SCRIPTS.get(of.script) or script_name(of.script),
        }
        for of in facts.locales
    ]


def _between_annotators(facts: ReleaseFacts) -> list[dict[str, Any]]:
    """Say how far the annotators of every locale agree, as the card prints it.

    Nothing where that is not known.
    """
    if facts.stats is None or facts.stats.annotator_agreement is None:
        return []
    return _alphas(facts.stats.annotator_agreement)


def _between_alike(facts: ReleaseFacts) -> list[dict[str, Any]]:
    """The same by what annotators told about themselves; nothing where none agreed to tell."""
    if facts.stats is None or facts.stats.annotator_groups is None:
        return []
    return _alphas(facts.stats.annotator_groups.with_columns(pl.col("profile").str.replace_all("_", " ")))


def _alphas(agreement: pl.DataFrame) -> list[dict[str, Any]]:
    return [
        {
            **row,
            "alpha": _value(row["alpha"], "value"),
            "interval": "–" if row["alpha"] is None else f"{row['low']:.2f} to {row['high']:.2f}",
        }
        for row in agreement.iter_rows(named=True)
    ]


def _language_rows(facts: ReleaseFacts) -> list[dict[str, Any]]:
    return [
        {
            "split": tag.replace("-", "_"),
            "tag": tag,
            "name": english_name(tag),
            "autonym": own_name(tag.split("-")[0]),
            "rows": rows,
        }
        for tag, rows in facts.rows_by_language.items()
    ]


def _configs(facts: ReleaseFacts) -> list[dict[str, Any]]:
    """Describe every configuration; columns that two share are described once, ``like`` names where."""
    first: dict[type[BaseModel], str] = {}
    return [
        _config(name, of, first.setdefault(model_of(name), name), facts) for name, of in facts.tables.items()
    ]


def _config(name: str, tables: Sequence[TableInfo], base: str, facts: ReleaseFacts) -> dict[str, Any]:
    model = model_of(name)
    reword = str if name in NOT_BY_LANGUAGE else facts.reword
    return {
        "base": None if base == name else base,
        "name": name,
        "summary": reword(first_sentence(model)),
        "of_locales": name in QUESTION_CONFIGS,
        "of_kinds": name == CULTURAL_PROMPTS,
        "splits": [table.split for table in tables],
        "rows": sum(table.rows for table in tables),
        "fields": [
            {"name": field.name, "type": field.type, "sentence": reword(markdown(field.description))}
            for field in described_fields(model)
        ],
    }


def _measures(facts: ReleaseFacts) -> list[dict[str, Any]]:
    if facts.stats is None:
        return []
    rows = []
    for measure in _MEASURES:
        row = mean_of(facts.stats.overall_means, measure).row(0, named=True)
        shown = {key: _value(row[key], row["unit"]) for key in ("mean", "mean_of_locale_means")}
        rows.append({"sentence": definitions()[measure], "n": row["n"], **shown})
    return rows


def _value(mean: float | None, unit: str) -> str:
    if mean is None:
        return "–"
    return f"{100 * mean:.1f}\N{NO-BREAK SPACE}%" if unit == "fraction" else f"{mean:.2f}"


def _history(changelog: str) -> str:
    """The latest versions of the changelog in short: what stands above the first heading inside each."""
    entries = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)[1:]
    openings = (re.split(r"^### ", entry, maxsplit=1, flags=re.MULTILINE)[0] for entry in entries)
    return "\n\n".join(f"#{opening.strip()}" for opening in list(openings)[:_VERSIONS_SHOWN])
