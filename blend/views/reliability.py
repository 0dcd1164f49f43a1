"""Who can be relied on, for a terminal."""

import json
from typing import TYPE_CHECKING

from rich.table import Table

from blend.schemas.text import counted
from blend.views.tables import narrow_table

if TYPE_CHECKING:
    from blend.builders.annotation.reliability import Reliability


def reliability_tables(found: "Reliability") -> list[Table]:
    """How far locales agree, and everybody with the others."""
    return [_locales(found), _people(found)]


def reliability_lines(found: "Reliability") -> list[str]:
    """Whose work to look at, and why."""
    lines = [
        f"{row['annotator']} in {row['locale']} {flag}."
        for row in found.annotators.iter_rows(named=True)
        for flag in row["flags"]
    ]
    few = found.annotators.filter(verdict="too few").height
    if few:
        lines.append(f"Nothing is said of {counted(few, 'annotator')} with too few questions.")
    return lines or ["Nobody's work stands out."]


def reliability_json(found: "Reliability") -> str:
    """All figures, every question included."""
    tables = {
        "locales": found.locales.to_dicts(),
        "annotators": found.annotators.to_dicts(),
        "questions": found.questions.to_dicts(),
    }
    return json.dumps(tables, ensure_ascii=False, indent=2)


def _locales(found: "Reliability") -> Table:
    caption = (
        "Krippendorff's alpha with MASI over the answers that each gave: 1 is perfect, 0 is chance. Open "
        "questions have many right answers: compare locales and rounds, not with a threshold."
    )
    table = narrow_table(
        "Agreement", caption, "locale", ("alpha", "from", "to", "questions", "answers", "people")
    )
    for row in found.locales.iter_rows(named=True):
        counts = (f"{row[column]:,}" for column in ("questions", "answers", "annotators"))
        table.add_row(row["locale"], *(_figure(row[column]) for column in ("alpha", "low", "high")), *counts)
    return table


def _people(found: "Reliability") -> Table:
    caption = "Agreement is with the others, question by question, from and to its 95 % interval."
    heads = ("locale", "responses", "agree", "from", "to", "idk", "blank", "copied", "sec", "")
    table = narrow_table("People", caption, "annotator", heads)
    for row in found.annotators.iter_rows(named=True):
        agreement = (_figure(row[column]) for column in ("agreement", "low", "high"))
        shares = (_share(row[column]) for column in ("idk_share", "blank_share", "copied_share"))
        seconds = "–" if row["seconds"] is None else f"{row['seconds']:.0f}"
        mark = {"look": "look", "too few": "few"}.get(row["verdict"], "")
        cells = (row["locale"], f"{row['responses']:,}", *agreement, *shares, seconds, mark)
        table.add_row(row["annotator"], *cells)
    return table


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
