"""An audit as tables for readers."""

import polars as pl

from blend.builders.audit import COMBINED, Audit
from blend.schemas.summaries import Table, written
from blend.schemas.texts import pluralise

_MOST_CHARACTERS = 120
"""Characters of a quoted text."""


def audit_tables(audit: Audit) -> list[Table]:
    """What simple rules get right, what they do, what gives answers away, and examples; none without rows."""
    overall = audit.size.row(0, named=True)
    chance = written(overall["chance"], "{:.1%}")
    tables = [
        Table(
            f"Answering {pluralise(overall['questions'], 'question')} by simple rules",
            _percentages(audit.baselines, "baseline", {"by_pair": "by pair %", "overall": "by row %"}),
            f"{pluralise(overall['templates'], 'template')}, chance {chance}. Right: where the baseline has an "
            "opinion, with a 95 % interval over templates; by pair: of all questions, guessing where it has "
            "none, each template and region once; by row: each question once.",
        ),
        Table("What the baselines do", audit.baselines.select("baseline", "definition")),
        Table(
            "What makes an option stand out",
            _percentages(audit.leaks, "definition", {"share": "share %"}).rename({"definition": "cause"}),
            "Share of all questions, and how often the option that stands out is correct. Far from chance on "
            "either side, it gives the answer away.",
        ),
        _by(audit, "group", audit.baselines_by_group),
        _by(audit, "topic", audit.baselines_by_topic),
        Table(
            "Most telling questions",
            audit.examples.select(
                "baseline",
                pl.col("question").str.slice(0, _MOST_CHARACTERS),
                "answer",
                pl.col("options").list.join(" · ").str.slice(0, _MOST_CHARACTERS),
            ),
        ),
    ]
    return [table for table in tables if len(table.frame)]


def _percentages(rows: pl.DataFrame, name: str, further: dict[str, str]) -> pl.DataFrame:
    shares = {"accuracy": "right %", "low": "from %", "high": "to %", **further}
    return rows.select(name, "questions", *((100 * pl.col(of)).alias(as_) for of, as_ in shares.items()))


def _by(audit: Audit, by: str, rows: pl.DataFrame) -> Table:
    """The share of all questions that each baseline gets right, each pair once, by group or topic."""
    caption = "In per cent, by pair, with a guess where a baseline has no opinion."
    if COMBINED in audit.baselines["baseline"]:
        caption += (
            " Elimination: who knows what all other regions answer and strikes it out; combined: who knows "
            "none of that, and weighs what the other baselines see."
        )
        rows = rows.filter(pl.col("baseline").is_in(_SHOWN))
    # A topic such as Holidays/Leisure needs a place at which its line can break.
    named = pl.col(by).str.replace_all("/", " / ")
    wide = rows.with_columns(named, pl.col("by_pair") * 100).pivot("baseline", index=by, values="by_pair")
    return Table(f"Share of questions got right, by {by}", wide, caption)


_SHOWN = ("elimination", "typical", "classifier", "frequent", "recurring", COMBINED)
