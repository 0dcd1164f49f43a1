"""The dataset card: what a reader needs first, and a page beside it with everything that is too long for it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl
from pydantic import BaseModel

from blend.builders.cards.facts import (
    ReleaseFacts,
    canary,
    citation,
    credits_of,
    license_of,
    shares,
    work,
)
from blend.builders.cards.rendering import described_fields, markdown, render
from blend.builders.stats.measures import Stats, agreement_tables, power_table
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.languages import english_name, own_name
from blend.schemas.manifest import CARD_PAGE_NAME, MODEL_VERDICTS_NAME, ReleaseManifest, TableInfo
from blend.schemas.models import first_line_of, packaged_tables
from blend.schemas.reports import ANY_REFUSAL, EVERY, ModelComparison, ModelReport, finding_kinds
from blend.schemas.rows import (
    CULTURAL_PROMPTS,
    NOT_BY_LANGUAGE,
    QUESTION_CONFIGS,
    TRUE_FALSE_QUESTIONS,
    model_of,
)
from blend.schemas.sheets import OK
from blend.schemas.summaries import Table, markdown_table, markdown_text

# Which judge decided that two answers mean the same, and what such a judge cannot see.


def _judging_of(manifest: ReleaseManifest) -> dict[str, Any]:
    """The judges of a release with multiple-choice questions.

    Returns:
        ``who`` they are, in the order in which they are asked, as sentences; what they are ``blind`` for; and
        ``verdicts``: the name of each, and how many pairs it called the same and different.
    """
    options, is_published = manifest.recipe.mcq.judge, manifest.recipe.mcq.mode == "paper"
    asked = {
        "decisions": manifest.recipe.mcq.verdicts is not None,
        "shipped": options.shipped and not is_published,
        "published": is_published,
        "words": not is_published,
        "model": options.kind == "chat",
    }
    texts = packaged_tables("judges.toml", "blend.dataset_cards")
    who = [texts["who"][key].format(sdk=DISTRIBUTION, model=options.model) for key in asked if asked[key]]
    counts: dict[str, dict[str, int]] = {}
    for stage in manifest.report:
        for note, count in stage.notes.items():
            judge, _, verdict = note.rpartition(", ")
            if verdict in ("same", "different") and isinstance(count, int):
                counts.setdefault(judge, {"same": 0, "different": 0})[verdict] = count
    verdicts = [(judge, of["same"], of["different"]) for judge, of in counts.items()]
    return {"who": who, "blind": texts["blind"][options.kind], "verdicts": verdicts}


_VERSIONS_SHOWN = 3

_RULES = {
    "elimination": "the option that nobody of another region gave, else the one that most regions gave",
    "combined": "everything that can be seen of a question, weighed as in others",
    "typical": "the option that sounds most like the region",
    "widespread": "the option that most other regions gave",
}
"""Rules of the audit that the card tells of, in its own words."""


def render_card(facts: ReleaseFacts, *, header: str) -> str:
    """The card of a release, ``README.md``: Markdown with a YAML header.

    Args:
        facts: The release.
        header: The YAML header without its ``---`` lines.
    """
    manifest = facts.manifest
    followed = {
        "myung2024blend": bool(facts.locales),
        "zhou2025fmlama": bool(facts.rows_by_language),
        "ousidhoum2026semeval": any(source.kind == "semeval" for source in manifest.recipe.sources),
        "bhatt2024extrinsic": CULTURAL_PROMPTS in facts.tables,
    }
    citations = [citation(manifest.recipe, facts.authors), *(work(key) for key in followed if followed[key])]
    reading = read_options(facts.reading, facts.model_report)
    return render(
        "README.md.j2",
        header=header,
        facts=facts,
        manifest=manifest,
        datasheet=facts.datasheet,
        canary=canary(manifest.name),
        about=_about(facts),
        contents=markdown_table(_contents(facts)),
        locales=markdown_table(_locales(facts)) if facts.locales else None,
        languages=markdown_table(_languages(facts)) if facts.rows_by_language else None,
        has_prompts=CULTURAL_PROMPTS in facts.tables,
        read=None if reading is None else reading[0],
        guessed=_guessed(facts),
        credits=credits_of(manifest),
        shares=shares(facts.contributions),
        license=license_of(manifest.recipe.license),
        citations=citations,
        history=_history(facts.changelog),
        page=CARD_PAGE_NAME,
    )


def render_details(facts: ReleaseFacts) -> str:
    """The page beside the card: every column, steps, findings, judges, agreement, who has read options."""
    reading = read_options(facts.reading, facts.model_report)
    tables = [] if facts.stats is None else list(agreement_tables(facts.stats))
    tables += [] if facts.power is None else [power_table(facts.power)]
    tables += [] if reading is None else [reading[1]]
    return render(
        "details.md.j2",
        facts=facts,
        configs=_configs(facts),
        steps=markdown_table(_steps(facts)),
        kinds=markdown_table(_kinds(facts)),
        judging=_judging_of(facts.manifest) if facts.total("mcqs") else None,
        wanted=facts.manifest.recipe.saq.wanted,
        tables=[(table.title, markdown_table(table)) for table in tables if len(table.frame)],
    )


def _contents(facts: ReleaseFacts) -> Table:
    def splits(config: str, tables: Sequence[TableInfo]) -> str:
        if config in QUESTION_CONFIGS and len(tables) > 1:
            return "one per locale, see below"
        by_language = config not in NOT_BY_LANGUAGE
        return "one per language, see below" if by_language else ", ".join(table.split for table in tables)

    rows = [
        {"configuration": config, "splits": splits(config, tables), "rows": sum(table.rows for table in tables)}
        for config, tables in facts.tables.items()
    ]
    return Table("Configurations", pl.DataFrame(rows))


def _locales(facts: ReleaseFacts) -> Table:
    agreement = {} if facts.stats is None else _agreement_of(facts.stats)
    counts = {row["locale"]: row for row in facts.figures.iter_rows(named=True)}
    rows = [
        {
            "split": of.split,
            "locale": of.tag,
            "region": of.region_name,
            "language": of.language_name,
            "answered": f"{counts[of.tag]['answered']:,} of {counts[of.tag]['questions']:,}",
            "votes": counts[of.tag]["votes"],
            "agreement %": None if (mean := agreement.get(of.tag)) is None else 100 * mean,
            "MCQs": counts[of.tag]["mcqs"],
        }
        for of in facts.locales
    ]
    wanted = facts.manifest.recipe.saq.wanted
    unknown = ", – where the source does not say how many" if facts.figures["votes"].null_count() else ""
    caption = (
        f"*Answered*: questions with at least one answer. *Votes*: annotators behind answers{unknown}. "
        f"*Agreement*: mean share of a question's annotators, taken to be {wanted}, who gave its most frequent "
        "answer."
    )
    frame = pl.DataFrame(rows, infer_schema_length=None)
    if not facts.total("mcqs"):
        return Table("Locales", frame.drop("MCQs"), caption)
    return Table("Locales", frame, f"{caption} *MCQs*: multiple-choice questions about the region.")


def _agreement_of(stats: Stats) -> dict[str, float | None]:
    """Agreement by locale, a fraction; null where no question has an answer."""
    means = stats.locale_means.filter(measure="agreement", definition="annotators")
    return dict(means.select("locale", "mean").iter_rows())


def _languages(facts: ReleaseFacts) -> Table:
    rows = [
        {
            "split": tag.replace("-", "_"),
            "language": english_name(tag),
            "its own name": own_name(tag.split("-")[0]),
        }
        | {config: rows.get(config, 0) for config in facts.tables if config not in NOT_BY_LANGUAGE}
        for tag, rows in facts.rows_by_language.items()
    ]
    return Table("Languages", pl.DataFrame(rows))


def _guessed(facts: ReleaseFacts) -> str | None:
    """Say how much simple rules get right; null without an audit."""
    audit = facts.audit
    if audit is None:
        return None
    of = {"": audit, f"Of `{TRUE_FALSE_QUESTIONS}` (chance 50 %): ": audit.true_false}
    found = []
    for what, report in of.items():
        rules = {} if report is None else report.overall
        shares = [
            f"{text} {rules[rule].by_pair:.0%}"
            for rule, text in _RULES.items()
            if rule in rules and rules[rule].by_pair is not None
        ]
        if shares:
            found.append(f"{what}{'; '.join(shares)}.")
    return " ".join(found) or None


def _about(facts: ReleaseFacts) -> list[tuple[str, str]]:
    """Say who made it and where to turn, by the recipe or else the datasheet."""
    recipe, told = facts.manifest.recipe, facts.datasheet.answers
    homepage = None if recipe.homepage is None else f"<{recipe.homepage}>"
    answers = {
        "Authors": markdown_text(", ".join(recipe.authors)) if recipe.authors else told["motivation.creators"],
        "Contact": markdown_text(recipe.contact) if recipe.contact else told["maintenance.contact"],
        "Homepage": homepage,
    }
    return [(name, " ".join(text.split())) for name, text in answers.items() if text]


def _history(changelog: str) -> str:
    """The latest versions of the changelog in short: what stands above the first heading inside each."""
    entries = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)[1:]
    openings = (re.split(r"^### ", entry, maxsplit=1, flags=re.MULTILINE)[0] for entry in entries)
    # The card has a heading of its own for them.
    shown = [re.sub(r"^## ", "### ", opening.strip()) for opening in openings]
    return "\n\n".join(shown[:_VERSIONS_SHOWN])


def _configs(facts: ReleaseFacts) -> list[dict[str, Any]]:
    """Describe every configuration; columns that two share are described once, ``base`` names where."""
    first: dict[type[BaseModel], str] = {}
    described = []
    for name in facts.tables:
        model = model_of(name)
        reword = str if name in NOT_BY_LANGUAGE else facts.reword
        base = first.setdefault(model, name)
        fields = [
            {"name": field.name, "type": field.type, "sentence": reword(markdown(field.description))}
            for field in described_fields(model)
        ]
        summary = reword(first_line_of(model))
        described.append({"name": name, "base": base, "summary": summary, "fields": fields})
    return described


def _steps(facts: ReleaseFacts) -> Table:
    rows = [{"step": stage.stage, "rows": sum(stage.kept.values())} for stage in facts.manifest.report]
    return Table("Steps", pl.DataFrame(rows, {"step": pl.String, "rows": pl.Int64}))


def _kinds(facts: ReleaseFacts) -> Table:
    """Every kind of finding in the release, how often, what it means and what helps; most frequent first."""
    known = finding_kinds()
    counts = Counter[str]()
    for stage in facts.manifest.report:
        counts.update(stage.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    said = {kind: (known[kind].meaning, known[kind].remedy) if kind in known else ("", "") for kind in counts}
    rows = [(kind, n, *said[kind]) for kind, n in ranked if n]
    columns = {"kind": pl.String, "findings": pl.Int64, "what it means": pl.String, "what to do": pl.String}
    return Table("Findings", pl.DataFrame(rows, columns, orient="row"))


# What the card says of who has read the options of multiple-choice questions, and how models compare
# there.


_READERS = {
    "natives": "read by natives",
    "others": "by others only",
    "model": "by a model alone",
    "nobody": "by nobody",
}
"""Columns of `READING`, and what the card calls them."""


def read_options(reading: pl.DataFrame, report: ModelReport | None = None) -> tuple[str, Table] | None:
    """Say of all regions, and by region, who has read what questions show.

    Null where verdicts have no say, or nothing is shown.

    Args:
        reading: `builders.mcq.result.READING`.
        report: How models that read options compare with people; null without any.
    """
    if reading.is_empty():
        return None
    natives, others, model, nobody = (int(reading[name].sum()) for name in _READERS)
    sentences = [_overall(natives, others, model, nobody)]
    if by_question := int(reading["by_question"].sum()):
        sentences.append(
            f"Of {by_question:,} that is known by question alone: what the model refused of BLEnD's published "
            "answers was kept and what it accepted was not, so some answers that are shown now may have been "
            "passed over (`decisions/blend/README.md`)."
        )
    sentences += [] if report is None else [_beside_people(one) for one in report.each if one.verdicts]
    rows = [
        {"region": of["locale"], "options": of["options"]}
        | {head: _share(of[name], of["options"]) for name, head in _READERS.items()}
        for of in reading.to_dicts()
    ]
    table = Table("Who has read the options", pl.DataFrame(rows), "Shares of a region's options in per cent.")
    return " ".join(sentences), table


def _overall(natives: int, others: int, model: int, nobody: int) -> str:
    total = natives + others + model + nobody
    if natives == total:
        return "Natives of the regions have read every option of the multiple-choice questions."
    readers = {
        "natives of the region have read": natives,
        "other people": others,
        "a language model alone": model,
        "nobody": nobody,
    }
    shown = ", ".join(f"{who} {n:,}" for who, n in readers.items())
    return (
        f"Of the {total:,} options of the multiple-choice questions {shown}. Where no person has, a distractor "
        "may well be correct, too."
    )


def _beside_people(model: ModelComparison) -> str:
    name = markdown_text(model.reviewer)
    if not model.compared:
        return f"Nobody has checked what {name} says: no person has read any option on which it is sure."
    kinds = (model.of(EVERY, kind) for kind in (ANY_REFUSAL, OK))
    alike = sum(kind.confirmed for kind in kinds if kind is not None)
    return (
        f"Of {model.compared:,} options on which {name} is sure and that people have read as well, they say "
        f"alike of {alike:,} whether they may be shown (`{MODEL_VERDICTS_NAME}`)."
    )


def _share(part: int, total: int) -> str:
    """A share in per cent; 0 and 100 are exact."""
    percent = round(100 * part / total)
    return str(percent if part in (0, total) else min(99, max(1, percent)))
