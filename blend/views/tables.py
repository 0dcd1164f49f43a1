"""Results of commands as tables for a terminal, at most 80 columns wide."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from blend.builders.cards.fields import plain
from blend.schemas.locales import Locale
from blend.schemas.manifest import FINDINGS_NAME, ReleaseManifest
from blend.schemas.models import field_sentences
from blend.schemas.summaries import Table
from blend.schemas.texts import pluralise
from blend.views.frames import rows_frame

if TYPE_CHECKING:
    from blend.builders.items.analysis import ItemAnalysis
    from blend.builders.saq.collection import CollectionStatus
    from blend.builders.stats.planning import CollectionPlan
    from blend.builders.validate.report import ValidationReport

_SHOWN = 20
"""Questions without enough responses, and suspects, that are listed; all of them stand in the JSON output."""


def release_tables(manifest: ReleaseManifest) -> list[Table]:
    """What was written, and what each step kept and left out."""
    steps = [
        (
            stage.stage,
            sum(stage.kept.values()),
            "\n".join(f"{kind} {count:,}" for kind, count in stage.findings.items()) or "none",
        )
        for stage in manifest.report
    ]
    report = Table(
        "What each step kept and left out",
        rows_frame(("step", "kept", "oddities and rows left out"), steps),
        f"Each is a line of {FINDINGS_NAME}; the card, README.md, says what each kind means.",
    )
    return [contents_table(manifest), report]


def contents_table(manifest: ReleaseManifest) -> Table:
    """Configurations with their splits and rows."""
    tables = rows_frame(
        ("configuration", "splits", "rows"), [(info.config, info.split, info.rows) for info in manifest.tables]
    )
    configs = tables.group_by("configuration", maintain_order=True).agg(
        pl.col("splits").str.join(" "), pl.col("rows").sum()
    )
    return Table(f"{manifest.name} {manifest.version}", configs)


def checks_table(report: "ValidationReport") -> Table:
    """A row per check: what it looks at, and how many problems of each level it found."""
    rows = []
    for result in report.checks:
        counts = (result.errors, result.warnings, result.infos)
        rows.append((result.check, result.title, *(count or None for count in counts)))
    columns = ("check", "what it looks at", "errors", "warnings", "infos")
    title = f"{report.name} {report.version}, {pluralise(report.rows, 'row')}"
    return Table(title, rows_frame(columns, rows))


def collection_tables(state: "CollectionStatus") -> list[Table]:
    """Show how far every locale is by its raw responses, and which questions still need some."""
    from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED

    waiting = state.questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED])).sort(
        "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
    )
    counts = ("locale", "questions", "complete", "needs_responses", "stopped_idk", "valid", "idk", "rejected")
    locales = Table(
        "Collection by locale",
        state.locales.select(*counts, needed="still_needed").rename(
            {"needs_responses": "open", "stopped_idk": "stopped"}
        ),
        "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
        "and those that a reviewer rejected.",
    )
    questions = Table(
        f"{pluralise(len(waiting), 'question')} without enough responses",
        waiting.head(_SHOWN).select(
            "locale", "state", "valid", "idk", question="template_id", of="wanted", needed="still_needed"
        )["locale", "question", "state", "valid", "of", "idk", "needed"],
        f"The first {_SHOWN}; the same command with --json lists all." if len(waiting) > _SHOWN else "",
    )
    return [locales, questions]


def plan_table(plan: "CollectionPlan") -> Table:
    """Show what each number of templates and annotators brings, and what the difference asked for takes."""
    heads = {"annotators": "anno-\ntators", "templates": "tem-\nplates", "short_answers": "short"}
    cost = [] if plan.price is None else [pl.col("cost").round().cast(pl.Int64)]
    return Table(
        "What collecting brings, by region",
        plan.designs.select(
            pl.col("locale", "annotators", "templates", "answers"),
            *cost,
            pl.col("short_answers", "pairs", "mcqs"),
            (100 * pl.col("difference")).alias("differ-\nence %"),
            "needed",
        ).rename({**heads, "mcqs": "MCQs"}),
        "Expected. Short: questions that short-answer scoring keeps. Pairs: templates with multiple-choice "
        "questions (MCQs). Difference: the smallest that tells two models apart (test at 5 %, 80 % "
        f"power), if exactly one of them is right in {plan.disagreement:.0%} of the questions. Needed: "
        f"templates for {100 * plan.difference:g} points. {_mcqs_from(plan)}",
    )


def _mcqs_from(plan: "CollectionPlan") -> str:
    if set(plan.designs["mcqs_from"]) == {"pilot"}:
        return "Pairs and MCQs: as in the pilot."
    strangers = plan.designs.filter(mcqs_from="BLEnD")["locale"].unique(maintain_order=True)
    return f"Pairs and MCQs of {', '.join(strangers)}: as in BLEnD's regions (docs/contributing-data.md)."


def agreement_table(found: pl.DataFrame) -> Table:
    """How far readers agree; ``found`` is `builders.release.verdict_agreement.AGREEMENT`."""
    return Table(
        "Options that were read",
        found.rename({"read_twice": "by_several", "alike": "alike %"}).with_columns(pl.col("alike %") * 100),
        "By natives: read by at least one native of the region. By models: by no person. Refused: by anybody. "
        "Of those that several people read: the share on which all say alike whether they may be shown, and "
        "Krippendorff's alpha.",
    )


def comparison_table(found: pl.DataFrame) -> Table:
    """How one's verdicts compare with others'; ``found`` is `builders.release.verdict_agreement.COMPARED`."""
    heads = {"kind": "verdict", "options": "others", "share": "share %", "confirmed": "alike"}
    percent = pl.col("share", "precision") * 100
    return Table(
        "What is refused of what others say",
        found.with_columns(percent).rename({**heads, "precision": "precision %"}),
        "Options that both have read. Others: how many get this verdict from the others, and which share of "
        "them is refused (of refusals the recall, of ok false alarms). Given: how many get it from the reader, "
        "and on which share of them the others say alike whether they may be shown (precision).",
    )


def item_tables(found: "ItemAnalysis") -> Iterator[Table]:
    """Regions, and where they can be told abilities, with a column of text for each region, and suspects."""
    yield Table(
        "Items",
        found.regions,
        "Difficulty: mean share of models that are wrong. Discrimination: mean correlation of being correct in "
        "an item with the share correct elsewhere. Negative: share of the items where it is below 0.",
    )
    if found.model is None:
        return
    from blend.builders.items.analysis import ALL

    by_region = found.abilities.filter(pl.col("region") != ALL)
    cells = [
        f"{ability:.2f}\u00a0±\u00a0{error:.2f}" for ability, error in by_region["ability", "error"].rows()
    ]
    by_region = by_region.with_columns(cell=pl.Series(cells, dtype=pl.String))
    by_region = by_region.pivot("region", index="model", values="cell")
    wide = found.abilities.filter(region=ALL).drop("region").join(by_region, on="model")
    yield Table(
        "Abilities",
        wide.sort("ability", "model", descending=[True, False]),
        "Expected a posteriori in the two-parameter model, with standard errors; regions are on one scale.",
    )
    figures = ("item_id", "region", "evidence", "best_wrong", "weak_correct", "difficulty", "discrimination")
    n = found.suspects.height
    first = f" These are the first {_SHOWN} of {n:,}." if n > _SHOWN else ""
    yield Table(
        "Suspects",
        found.suspects.select(figures).head(_SHOWN),
        "Evidence: log of how much better the answers fit a wrong key than a correct one. It ranks what people "
        "should read: hard items have some as well. Best wrong: models of the better half that are wrong; weak "
        f"correct: models of the other half that are correct.{first}",
    )


def locale_table(locales: Sequence[Locale]) -> Table:
    """One line per locale, with a column per dataset that says whether it holds the locale."""
    collections = list(dict.fromkeys(name for locale in locales for name in locale.collections))
    columns = ("locale", "split", "language", "region", "in a question")
    rows = [
        (
            *(locale.tag, locale.split, locale.language_name, locale.region_name, locale.prompt_name),
            *("yes" if name in locale.collections else "" for name in collections),
        )
        for locale in locales
    ]
    # A dataset's name is broken behind its first hyphen: it is far wider than what stands below it.
    names = [name.replace("-", "-\n", 1) for name in collections]
    return Table(pluralise(len(locales), "locale"), rows_frame((*columns, *names), rows))


def locale_details(locale: Locale) -> Table:
    """Every field of one locale with what it means."""
    rows = [
        (name, _in_words(getattr(locale, name)), plain(meaning))
        for name, meaning in field_sentences(Locale).items()
    ]
    return Table(locale.tag, rows_frame(("field", "value", "meaning"), rows))


def _in_words(value: object) -> str:
    return ", ".join(value) if isinstance(value, Iterable) and not isinstance(value, str) else str(value or "")
