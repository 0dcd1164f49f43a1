"""The reviewed sheet: a person's decisions on natives' questions, turned into templates.

===============  ===========================================================================================
decision         what happens
===============  ===========================================================================================
``keep``         the text in ``template``, edited or as proposed, becomes a template
``drop``         the question is left out
``merge-into``   the question is left out in favour of the kept one whose id stands in ``merge_into``
===============  ===========================================================================================
"""

from typing import Any, NamedTuple

import polars as pl

from blend.schemas.errors import RowError, raise_all
from blend.schemas.formats import format_of
from blend.schemas.frames import FINDINGS, TEMPLATES
from blend.schemas.prompts import slot_problems
from blend.schemas.rows import QuestionTemplate
from blend.schemas.sheets import DECISIONS, KEEP, MERGE, PROPOSED_TEMPLATES
from blend.schemas.texts import clean

_Row = dict[str, Any]


class Accepted(NamedTuple):
    """Templates, and the questions that became none."""

    templates: pl.DataFrame
    """`frames.TEMPLATES`, ordered by id."""
    dropped: pl.DataFrame
    """`frames.FINDINGS`, ``dropped-question`` or ``merged-question``, ordered by template."""


def accept_sheet(sheet: pl.DataFrame) -> Accepted:
    """The templates that a reviewed sheet keeps.

    Args:
        sheet: `sheets.PROPOSED_TEMPLATES` with a decision in every row; ``template`` may have been edited.

    Returns:
        One template per kept question, its answer format decided by the hint in its text, and one finding per
        question that was dropped or merged.

    Raises:
        RowError, RowErrors: If a row has no decision or an unknown one, merges into a question that is not
            kept, keeps a text without slot or with an unknown one, or has the id of another; names the place
            and column of each.
    """
    rows = sheet.select(PROPOSED_TEMPLATES.names()).sort("template_id", "source").to_dicts()
    raise_all([*_blank(rows), *_repeated(rows), *_undecided(rows)])
    kept = [row for row in rows if _decision(row) == KEEP]
    raise_all([*_unfit(kept), *_unmergeable(rows, {row["template_id"] for row in kept})])
    templates = pl.DataFrame([_template(row) for row in kept], schema=TEMPLATES)
    dropped = [_finding(row) for row in rows if _decision(row) != KEEP]
    return Accepted(templates, pl.DataFrame(dropped, schema=FINDINGS, orient="row"))


def _decision(row: _Row) -> str:
    return clean(row["decision"] or "").lower()


def _target(row: _Row) -> str:
    return clean(row["merge_into"] or "")


def _blank(rows: list[_Row]) -> list[RowError]:
    return [
        RowError("the cell is blank", where=f"{row['source']}, column {column}", fix="fill it in")
        for row in rows
        for column in ("template_id", "topic")
        if not clean(row[column] or "")
    ]


def _repeated(rows: list[_Row]) -> list[RowError]:
    first: dict[str, str] = {}
    problems: list[RowError] = []
    for row in rows:
        earlier = first.setdefault(row["template_id"], row["source"])
        if earlier != row["source"]:
            what = f"{row['template_id']!r} is the id of {earlier} as well"
            where = f"{row['source']}, column template_id"
            problems.append(
                RowError(what, where=where, fix="delete one of the rows or give it an id of its own")
            )
    return problems


def _undecided(rows: list[_Row]) -> list[RowError]:
    fix = f"write one of: {', '.join(DECISIONS)}"
    problems: list[RowError] = []
    for row in rows:
        where, decision = f"{row['source']}, column decision", _decision(row)
        if not decision:
            problems.append(RowError(f"{row['template_id']} is not reviewed", where=where, fix=fix))
        elif decision not in DECISIONS:
            problems.append(RowError(f"unknown decision {row['decision']!r}", where=where, fix=fix))
    return problems


def _unfit(kept: list[_Row]) -> list[RowError]:
    """The problems of the kept texts that cannot be localised."""
    return [
        RowError(what, where=f"{row['source']}, column template", fix=fix)
        for row in kept
        for what, fix in slot_problems(row["template"] or "")
    ]


def _unmergeable(rows: list[_Row], kept: set[str]) -> list[RowError]:
    ids = {row["template_id"] for row in rows}
    problems: list[RowError] = []
    for row in rows:
        where, target = f"{row['source']}, column merge_into", _target(row)
        if _decision(row) != MERGE:
            if target:
                what = f"{target!r} stands beside the decision {_decision(row)!r}"
                problems.append(RowError(what, where=where, fix=f"clear it, or decide {MERGE!r}"))
        elif not target:
            what = f"{row['template_id']} is merged into nothing"
            problems.append(
                RowError(what, where=where, fix="write the id of the question that is kept instead")
            )
        elif target not in kept:
            what = f"{target!r} is not kept" if target in ids else f"no question has the id {target!r}"
            problems.append(RowError(what, where=where, fix="name a question whose decision is 'keep'"))
    return problems


def _template(row: _Row) -> dict[str, Any]:
    text = clean(row["template"])
    template = QuestionTemplate(
        template_id=row["template_id"],
        topic=row["topic"],
        source_locale=row["source_locale"] or None,
        text=text,
        answer_format=format_of(text),
    )
    return {**template.model_dump(mode="json"), "source": row["source"]}


def _finding(row: _Row) -> tuple[str, str, str | None, str, str]:
    merged = _decision(row) == MERGE
    kind = "merged-question" if merged else "dropped-question"
    why = f"the reviewer merged it into {_target(row)}" if merged else "the reviewer dropped it"
    reasons = f" (noticed: {row['reasons']})" if row["reasons"] else ""
    return kind, row["source"], row["source_locale"] or None, row["template_id"], f"{why}{reasons}"
