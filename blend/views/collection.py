"""How far a collection of answers is, and who can be relied on, as tables for a terminal and as JSON."""

import json
from typing import TYPE_CHECKING

import polars as pl
from rich.table import Table

from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED, CollectionStatus
from blend.schemas.language.text_comparison import pluralise
from blend.views.frames import frame_table
from blend.views.readers import agreement_table

if TYPE_CHECKING:
    from blend.builders.annotation.reliability import Reliability
    from blend.builders.annotation.server.progress import ProjectStatus

_LISTED = 10
"""Open questions of a project that are listed."""

_SHOWN = 20
"""Questions without enough responses that are listed; all of them stand in the JSON output."""

_SHARE = "{:.0%}"


def collection_tables(state: CollectionStatus) -> list[Table]:
    """Show how far every locale is by its raw responses, and which questions still need some."""
    waiting = state.questions.filter(pl.col("state").is_in([NEEDS_RESPONSES, STOPPED])).sort(
        "locale", "state", "still_needed", "template_id", descending=[False, False, True, False]
    )
    locales = frame_table(
        state.locales,
        "Collection by locale",
        "Questions by state, then responses. A valid response is any but \u201cI don't know\u201d "
        "and those that a reviewer rejected.",
        heads={"locale": "locale", "questions": "questions", "complete": "complete", "needs_responses": "open"}
        | {"stopped_idk": "stopped", "valid": "valid", "idk": "idk", "rejected": "rejected"}
        | {"still_needed": "needed"},
    )
    questions = frame_table(
        waiting.head(_SHOWN),
        f"{pluralise(len(waiting), 'question')} without enough responses",
        f"The first {_SHOWN}; the same command with --json lists all." if len(waiting) > _SHOWN else "",
        heads={"locale": "locale", "template_id": "question", "state": "state", "valid": "valid"}
        | {"wanted": "of", "idk": "idk", "still_needed": "needed"},
        texts=("locale", "template_id", "state"),
    )
    return [locales, questions]


def project_tables(status: "ProjectStatus") -> list[Table]:
    """Show how far a project is by locale, who did how much, and the questions furthest from done."""
    end = pl.when(pl.col("still_needed") == 0).then(pl.lit("done"))
    locales = frame_table(
        status.locales.with_columns(pl.col("end").cast(pl.String).fill_null(end)),
        f"{status.name} on {status.today}",
        "Questions by state, then responses. The end is the day of the last response at the pace of the last "
        "seven days.",
        heads={"locale": "locale", "questions": "questions", "complete": "complete", "open": "open"}
        | {"dropped": "dropped", "valid": "valid", "idk": "idk", "still_needed": "needed", "end": "end"},
    )
    people = frame_table(
        status.people,
        "Who did how much",
        heads={"locale": "locale", "stage": "stage", "annotator": "annotator", "counted": "counted"}
        | {"skipped": "skipped", "refused": "not", "seconds": "seconds", "last": "last"},
        texts=("locale", "stage", "annotator"),
        forms={"seconds": "{:.0f}"},
    )
    waiting = status.questions.filter("open").sort(
        "still_needed", "locale", "template_id", descending=[True, False, False]
    )
    questions = frame_table(
        waiting.head(_LISTED).with_columns(wanted=status.wanted),
        pluralise(len(waiting), "open question"),
        f"The first {_LISTED}; --html and --json list all." if len(waiting) > _LISTED else "",
        heads={"template_id": "question", "locale": "locale", "valid": "valid", "wanted": "wanted"}
        | {"idk": "idk", "still_needed": "needed"},
        texts=("template_id", "locale"),
    )
    if status.verdicts.is_empty():
        return [locales, people, questions]
    return [locales, people, agreement_table(status.verdicts), questions]


def project_json(status: "ProjectStatus") -> str:
    """The same, with every question."""
    tables = {
        "name": status.name,
        "day": status.today.isoformat(),
        "locales": status.locales.to_dicts(),
        "people": status.people.to_dicts(),
        "questions": status.questions.to_dicts(),
        "verdicts": status.verdicts.to_dicts(),
        "regions": status.regions,
    }
    return json.dumps(tables, ensure_ascii=False, indent=2, default=str)


def reliability_tables(found: "Reliability") -> list[Table]:
    """Show how far locales agree, and everybody with the others."""
    locales = frame_table(
        found.locales,
        "Agreement",
        "Krippendorff's alpha with MASI over the answers that each gave: 1 is perfect, 0 is chance. Open "
        "questions have many correct answers: compare locales and rounds, not with a threshold.",
        heads={"locale": "locale", "alpha": "alpha", "low": "from", "high": "to", "questions": "questions"}
        | {"answers": "answers", "annotators": "people"},
    )
    mark = pl.col("verdict").replace_strict({"look": "look", "too few": "few"}, default="")
    people = frame_table(
        found.annotators.with_columns(mark=mark),
        "People",
        "Agreement is with the others, question by question, from and to its 95 % interval.",
        heads={"annotator": "annotator", "locale": "locale", "responses": "responses", "agreement": "agree"}
        | {"low": "from", "high": "to", "idk_share": "idk", "blank_share": "blank", "copied_share": "copied"}
        | {"seconds": "sec", "mark": ""},
        texts=("annotator", "locale"),
        forms=dict.fromkeys(("idk_share", "blank_share", "copied_share"), _SHARE) | {"seconds": "{:.0f}"},
    )
    return [locales, people]


def reliability_lines(found: "Reliability") -> list[str]:
    """Whose work to look at, and why."""
    lines = [
        f"{row['annotator']} in {row['locale']} {flag}."
        for row in found.annotators.iter_rows(named=True)
        for flag in row["flags"]
    ]
    few = found.annotators.filter(verdict="too few").height
    if few:
        lines.append(f"Nothing is said of {pluralise(few, 'annotator')} with too few questions.")
    return lines or ["Nobody's work stands out."]


def reliability_json(found: "Reliability") -> str:
    """All figures, every question included."""
    tables = {
        "locales": found.locales.to_dicts(),
        "annotators": found.annotators.to_dicts(),
        "questions": found.questions.to_dicts(),
    }
    return json.dumps(tables, ensure_ascii=False, indent=2)
