"""Idle verdicts: rows of a recipe's own file of exclusions that change nothing, mostly for a slip in them."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from blend.builders.mcq.answers import LocaleAnswers, TemplateAnswers
from blend.builders.mcq.options import shown, spelled
from blend.builders.mcq.result import FOUND
from blend.builders.mcq.verdicts.exclusions import WRONG
from blend.schemas.base.references import close_to
from blend.schemas.sheets.option_sheets import OK

IDLE = "idle-verdict"
"""Finding: a verdict names no answer that anybody gave to the template, or a locale that is not asked."""

OTHER_ROLE = "verdict-of-other-role"
"""Finding: a verdict for wrong options on a correct one, or for correct ones on what is none there."""

_Found = tuple[str, str, str, str]
"""A row of `FOUND`."""


class IdleVerdicts:
    """Verdicts that change nothing, found template by template.

    Args:
        verdicts: `frame_columns.EXCLUSIONS` in force that are not of the package, as options are shown.
        questions: The questions, `frame_columns.QUESTIONS`.
        fillers: `frame_columns.FILLERS`, which questions show beside answers; null for none.
    """

    def __init__(self, verdicts: pl.DataFrame, questions: pl.DataFrame, fillers: pl.DataFrame | None) -> None:
        asked = set(questions["template_id"])
        self._rows: dict[str, list[dict[str, Any]]] = {}
        for row in verdicts.iter_rows(named=True):
            # One that quotes its question may be of a template that is not built.
            if row["template_id"] in asked:
                self._rows.setdefault(row["template_id"], []).append(row)
        self._fillers: dict[str, set[str]] = {}
        if fillers is not None and self._rows:
            for template_id, option in fillers.select("template_id", "option").iter_rows():
                self._fillers.setdefault(template_id, set()).add(shown(option))
        self._found: list[_Found] = []

    def look(self, answers: TemplateAnswers) -> None:
        """Look at the verdicts on the options of a template."""
        rows = self._rows.pop(answers.template_id, None)
        if rows is None:
            return
        given = {one.locale.tag: _texts(one) for one in answers.locales}
        every = self._fillers.get(answers.template_id, set()).union(*given.values())
        golds = {one.locale.tag: {gold.text for gold in one.golds} for one in answers.locales}
        for row in rows:
            option = spelled(row["option"], answers.answer_format) or row["option"]
            tag, kind = row["locale"], row["kind"]
            if option not in every:
                hint = close_to(option, every)
                self._note(row, IDLE, f"{_named(row)} is no answer that anybody gave{hint}")
            elif tag not in given:
                self._note(row, IDLE, f"{_named(row)} is about a locale that does not answer the question")
            elif kind == WRONG and option not in given[tag]:
                what = "is no answer of the locale; also-right and silly take wrong options away"
                self._note(row, OTHER_ROLE, f"{_named(row)} {what}")
            elif kind not in (WRONG, OK) and option in golds[tag]:
                what = "is a correct answer there, and is asked for all the same; wrong takes it away"
                self._note(row, OTHER_ROLE, f"{_named(row)} {what}")

    def found(self) -> pl.DataFrame:
        """List them, `FOUND`, those on templates that nobody answers last."""
        unanswered = [
            (template_id, row["locale"], IDLE, f"{_named(row)} is on a question that nobody answers")
            for template_id, rows in sorted(self._rows.items())
            for row in rows
        ]
        return pl.DataFrame([*self._found, *unanswered], FOUND, orient="row")

    def _note(self, row: Mapping[str, Any], kind: str, detail: str) -> None:
        self._found.append((row["template_id"], row["locale"], kind, detail))


def _texts(of: LocaleAnswers) -> set[str]:
    """What the people of a locale gave, as options show it."""
    options = (option.text for option in (*of.golds, *of.offered, *of.reserve))
    return {*options, *of.refused, *(one.text for one in of.acceptable if not one.is_verdict)}


def _named(row: Mapping[str, Any]) -> str:
    where = f", {row['source']}" if row["source"] else ""
    return f"{row['option']!r} ({row['kind']}, {row['reviewer']}{where})"
