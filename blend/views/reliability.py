"""Who can be relied on, and what forgetting somebody changed, for a terminal."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table

from blend.schemas.text import counted
from blend.views.tables import narrow_table

if TYPE_CHECKING:
    from blend.builders.annotation.reliability import Reliability
    from blend.builders.annotation.server.forgetting import Forgotten

_LISTED = 20


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


def forgotten_lines(done: "Forgotten") -> Iterator[str]:
    """What forgetting somebody changed, and what is left to do."""
    total = sum(map(len, done.annotations.values()))
    what = f"{counted(total, 'annotation')} and {counted(done.history, 'line')} of the history"
    yield f"{done.annotator}: {what} removed from the pull folder; they will not come back."
    yield from (f"  {stage}: {len(numbers)}" for stage, numbers in done.annotations.items())
    for written in done.pull.written:
        if written.changed:
            yield f"{written.path}: {counted(written.rows, 'row')} now"
    if not done.reopened.is_empty():
        listed = [f"{row['template_id']} in {row['locale']}" for row in done.reopened.to_dicts()]
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        yield (
            f"{counted(len(listed), 'question')} with too few responses now: "
            f"{', '.join(listed[:_LISTED])}{more}; `blend annotate top-up` asks for more."
        )
    yield "Left to do by hand:"
    for stage, numbers in done.annotations.items():
        named = ", ".join(f"{annotation} (task {task})" for task, annotation in numbers[:_LISTED])
        more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
        yield f"  delete on the server, in {stage}: annotation {named}{more}"
    yield "  delete the account on the server, and files of exports that you kept elsewhere"
    for place in done.named_in:
        yield f"  remove the person from {place} of the project file"
    yield "  releases that are published hold what was answered: publish a new version (docs/publishing.md)"
