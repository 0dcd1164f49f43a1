"""Fillers: reviewed distractors for questions that are short of them. Nothing is ever invented here."""

from collections.abc import Collection, Iterable

import polars as pl

from blend.builders.mcq.answers import NAMES_REGION, TemplateAnswers
from blend.builders.mcq.choice import Chosen
from blend.builders.mcq.offers import Target
from blend.builders.mcq.options import Option, are_apart, as_option
from blend.builders.mcq.verdicts.exclusions import Row, check_reviewed, known_locale
from blend.schemas.errors import RowError, raise_all
from blend.schemas.locales import Locale, Registry

FillerUse = tuple[str, str | None, str, str, str, str]
"""A row of `result.FILLERS_USED`."""


class Fillers:
    """Reviewed fillers, checked.

    Args:
        rows: `frame_columns.FILLERS`, or null for none.
        questions: The questions, `frame_columns.QUESTIONS`.
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

    def options(self, answers: TemplateAnswers, asked: Locale) -> list[Option]:
        """List the fillers for a question that can be options, by text and region."""
        read = (self._option(answers, asked, text, origin) for text, origin, _ in self._of(answers, asked))
        return [option for option in read if isinstance(option, Option)]

    def uses(self, answers: TemplateAnswers, target: Target, chosen: Chosen | None) -> list[FillerUse]:
        """Say what became of the fillers for a locale, if its question is short without them.

        Args:
            answers: What the locales bring to the template.
            target: The locale, and what may be shown about it.
            chosen: Its question; null where there is none.
        """
        asked = target.answers.locale
        shown = () if chosen is None else chosen.distractors
        # Fillers have no votes. Where none is shown, the question is short all the same, or never was.
        if chosen is not None and all(option.votes for option in shown):
            return []
        offered = [one.option for one in target.offered] if chosen is not None else []
        uses: list[FillerUse] = []
        for text, origin, reviewer in self._of(answers, asked):
            outcome = self._option(answers, asked, text, origin)
            if not isinstance(outcome, str):
                outcome = "used" if outcome in shown else "not-needed" if outcome in offered else "refused"
            uses.append((answers.template_id, asked.tag, text, origin.region, reviewer, outcome))
        return uses

    def unneeded(self, uses: Iterable[FillerUse]) -> list[FillerUse]:
        """List the fillers for which no question was short; their locale is null where they are for any."""
        # Without the locale: a filler for any locale is met wherever one question was short.
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


def _checked(row: Row, where: str, templates: Collection[str], locales: Registry) -> Locale:
    """Check a filler, and find the locale that it comes from.

    Raises:
        RowError: If anything is missing or unknown.
    """
    check_reviewed(row, "a filler", ("option", "region", "reviewer"), where=where, templates=templates)
    if row["locale"] is not None:
        known_locale(locales.get, row["locale"], where=where)
    return known_locale(locales.find, str(row["region"]), where=where)
