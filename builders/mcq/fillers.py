"""Fillers: reviewed distractors for questions that are short of them. Nothing is ever invented here."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from blend.builders.mcq.answers import NAMES_REGION, TemplateAnswers
from blend.builders.mcq.board import Board, are_apart
from blend.builders.mcq.options import Option, as_option
from blend.builders.mcq.variants import Picks
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.locales import Locale, Registry

FillerUse = tuple[str, str | None, str, str, str, str]
"""A row of `mcq_build.FILLERS_USED`."""


class Fillers:
    """Reviewed fillers, checked.

    Args:
        rows: `schemas.frames.FILLERS`, or null for none.
        questions: The questions, `schemas.frames.QUESTIONS`.
        locales: Known locales.

    Raises:
        RowError, RowErrors: If a row names an unknown template, locale or region, or lacks option, region or
            reviewer.
    """

    def __init__(self, rows: pl.DataFrame | None, questions: pl.DataFrame, locales: Registry) -> None:
        self._rows: dict[str, list[tuple[str | None, str, Locale, str]]] = {}
        self._locales = locales
        if rows is None or rows.is_empty():
            return
        templates = set(questions["template_id"])
        problems: list[RowError] = []
        for number, row in enumerate(rows.iter_rows(named=True), start=1):
            where = row["source"] or f"fillers, row {number}"
            try:
                origin = _checked(row, where, templates, locales)
            except RowError as error:
                problems.append(error)
                continue
            entry = (row["locale"], row["option"], origin, row["reviewer"])
            self._rows.setdefault(row["template_id"], []).append(entry)
        raise_all(problems)

    def concern(self, answers: TemplateAnswers, asked: Locale) -> bool:
        """Whether there are fillers for a question."""
        return bool(self._of(answers, asked))

    def options(self, answers: TemplateAnswers, asked: Locale) -> list[Option]:
        """The fillers for a question that can be options, by text and region."""
        read = (self._option(answers, asked, text, origin) for text, origin, _ in self._of(answers, asked))
        return [option for option in read if isinstance(option, Option)]

    def uses(
        self,
        answers: TemplateAnswers,
        board: Board,
        available: Mapping[str, Sequence[int]],
        picks: Picks,
    ) -> list[FillerUse]:
        """What became of the fillers for the one target of a board, given what each region offers to it."""
        (target,) = board.targets
        asked = target.answers.locale
        used = {board.options[i] for i in np.unique(picks[:, 1:]).tolist()}
        offered = {board.options[i] for numbers in available.values() for i in numbers}
        refused = {board.options[i] for i in board.fillers} - offered
        own = {i for numbers in available.values() for i in numbers} - board.fillers
        answering = {board.options[i].locale.region for i in own}
        uses: list[FillerUse] = []
        for text, origin, reviewer in self._of(answers, asked):
            option = self._option(answers, asked, text, origin)
            if isinstance(option, str):
                outcome = option
            else:
                is_refused = option in refused or option.locale.region in answering
                outcome = "used" if option in used else "refused" if is_refused else "not-needed"
            uses.append((answers.template_id, asked.tag, text, origin.region, reviewer, outcome))
        return uses

    def unneeded(self, uses: Iterable[FillerUse]) -> list[FillerUse]:
        """The fillers for which no question was short; their locale is null where they are for any."""
        met = {(template_id, text, origin, reviewer) for template_id, _, text, origin, reviewer, _ in uses}
        return [
            (template_id, tag, text, origin.region, reviewer, "not-needed")
            for template_id, rows in sorted(self._rows.items())
            for tag, text, origin, reviewer in rows
            if (template_id, text, origin.region, reviewer) not in met
        ]

    def _of(self, answers: TemplateAnswers, asked: Locale) -> list[tuple[str, Locale, str]]:
        rows = self._rows.get(answers.template_id, [])
        found = ((text, origin, reviewer) for tag, text, origin, reviewer in rows if tag in (None, asked.tag))
        return sorted(found, key=lambda row: (row[0], row[1].tag, row[2]))

    def _option(self, answers: TemplateAnswers, asked: Locale, text: str, origin: Locale) -> Option | str:
        if not are_apart(origin, asked):
            return "own-region"
        option = as_option([text], answers.answer_format, origin, 0, locales=self._locales)
        return NAMES_REGION if isinstance(option, Option) and option.names_region else option


def _checked(row: dict[str, str | None], where: str, templates: set[str], locales: Registry) -> Locale:
    """The locale that a filler comes from.

    Raises:
        RowError: If anything is missing or unknown.
    """
    missing = [
        name for name in ("template_id", "option", "region", "reviewer") if not (row[name] or "").strip()
    ]
    if missing:
        raise RowError(
            f"a filler without {', '.join(missing)}", where=where, fix="fill it in or delete the row"
        )
    if row["template_id"] not in templates:
        fix = "write the id of a template that is built"
        raise RowError(f"unknown template {row['template_id']!r}", where=where, fix=fix)
    try:
        if row["locale"] is not None:
            locales.get(row["locale"])
        return locales.find(row["region"] or "")
    except UnknownNameError as error:
        what, _, choices = str(error).partition("; ")
        raise RowError(what, where=where, fix=choices) from None
