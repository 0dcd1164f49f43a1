"""Figures of multiple-choice questions, as tables for a terminal."""

import polars as pl
from rich.table import Table

from blend.builders.stats.mcq import McqStats
from blend.schemas.audit_report import AuditReport
from blend.schemas.rows import LETTERS
from blend.views.tables import count, figures_table, mean, narrow_table, topic_heads, with_total


def mcq_tables(mcqs: McqStats) -> dict[str, Table]:
    """How many questions there are, where the right option stands and who distracts, by the table's name."""
    return {
        "mcq-counts": _mcq_counts(mcqs),
        "mcq-by-topic": _mcq_topics(mcqs),
        "mcq-distractors": _mcq_distractors(mcqs),
    }


def guessing_tables(audit: AuditReport) -> dict[str, Table]:
    """What somebody gets right who knows nothing, by the table's name."""
    of = "all" if audit.audited == audit.questions else f"{audit.audited:,} of {audit.questions:,}"
    table = narrow_table(
        "Multiple-choice questions got right without knowing anything",
        f"By the audit of the release, {of} questions. Accuracy where a rule has an opinion, with a 95 % "
        "interval over templates; overall: guessing where it has none. `blend audit` says what the rules do.",
        "rule",
        ("questions", "accuracy", "interval", "overall"),
    )
    for name, fares in audit.overall.items():
        interval = "–" if fares.low is None else f"{mean(fares.low, 'fraction')}–{mean(fares.high, 'fraction')}"
        cells = (mean(fares.accuracy, "fraction"), interval, mean(fares.share, "fraction"))
        table.add_row(name, count(fares.questions), *cells)
    return {"mcq-guessing": table}


def _mcq_counts(mcqs: McqStats) -> Table:
    table = figures_table(
        "Multiple-choice questions",
        "Counts. Templates: those that give the locale any. A to D: questions by letter of the right option.",
        "locale",
        ("templates", "questions", *LETTERS),
    )
    places = dict(mcqs.positions.group_by("locale").agg("mcqs").iter_rows())
    totals = mcqs.counts.group_by("locale", maintain_order=True).agg(pl.col("templates", "mcqs").sum())
    for locale, templates, total in totals.iter_rows():
        table.add_row(locale, *map(count, [templates, total, *places[locale]]))
    sums = [sum(column) for column in zip(*places.values(), strict=True)] or [0] * len(LETTERS)
    return with_total(table, "all", ["", *map(count, [sum(sums), *sums])])


def _mcq_topics(mcqs: McqStats) -> Table:
    topics = sorted(mcqs.counts["topic"].unique())
    table = figures_table(
        "Multiple-choice questions, by topic", "Counts by locale asked about.", "locale", topic_heads(topics)
    )
    cells = {(row["locale"], row["topic"]): row["mcqs"] for row in mcqs.counts.to_dicts()}
    for locale in mcqs.counts["locale"].unique(maintain_order=True):
        table.add_row(locale, *(count(cells.get((locale, topic), 0)) for topic in topics))
    sums = (int(mcqs.counts.filter(topic=topic)["mcqs"].sum()) for topic in topics)
    return with_total(table, "all", map(count, sums))


def _mcq_distractors(mcqs: McqStats) -> Table:
    table = figures_table(
        "Origin of distractors",
        "How many distractors a region gives, their share of all distractors, and the least and greatest"
        " share among the distractors of a locale that gets any from it.",
        "region",
        ("distractors", "share", "least", "greatest"),
    )
    regions = mcqs.distractors.group_by("region").agg(
        pl.col("options").sum(), least=pl.col("share").min(), greatest=pl.col("share").max()
    )
    total = int(regions["options"].sum())
    for row in regions.sort("options", "region", descending=[True, False]).iter_rows(named=True):
        shares = (row["options"] / total, row["least"], row["greatest"])
        table.add_row(row["region"], count(row["options"]), *(mean(share, "fraction") for share in shares))
    return with_total(table, "all", [count(total), "", "", ""])
