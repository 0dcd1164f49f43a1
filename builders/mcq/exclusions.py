"""Exclusions: what people of a region have turned down is not shown about it again."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from blend.builders.mcq.answers import Acceptable, LocaleAnswers, TemplateAnswers
from blend.builders.mcq.values import shown, values
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.formats import AnswerFormat
from blend.schemas.locales import Registry

WRONG = "wrong"
"""Kind of an exclusion that takes a right answer away; all others take away a distractor."""

_KINDS = ("also-right", "silly", WRONG)


class Exclusions:
    """Options that were turned down, checked.

    Args:
        rows: `schemas.frames.EXCLUSIONS`, or null for none.
        questions: The questions, `schemas.frames.QUESTIONS`.
        locales: Known locales.

    Raises:
        RowError, RowErrors: If a row names an unknown template, locale or kind, or lacks anything but ``why``.
    """

    def __init__(self, rows: pl.DataFrame | None, questions: pl.DataFrame, locales: Registry) -> None:
        self._rows: dict[tuple[str, str], dict[str, set[str]]] = {}
        if rows is None or rows.is_empty():
            return
        templates = set(questions["template_id"])
        problems: list[RowError] = []
        for number, row in enumerate(rows.iter_rows(named=True), start=1):
            where = row["source"] or f"exclusions, row {number}"
            problem = _problem(row, where, templates, locales)
            if problem is not None:
                problems.append(problem)
                continue
            kinds = self._rows.setdefault((row["template_id"], row["locale"]), {})
            kinds.setdefault(row["kind"], set()).add(shown(row["option"]))
        raise_all(problems)

    def applied(self, answers: TemplateAnswers) -> TemplateAnswers:
        """The answers without what was turned down.

        A distractor that was turned down counts as an acceptable answer of the region asked about, so that
        neither it nor what overlaps with it is shown there; elsewhere it may be. A right answer that is none is
        not asked for; a region of which none is left is not asked about, for the reason ``turned-down``.
        """
        if not any((answers.template_id, one.locale.tag) in self._rows for one in answers.locales):
            return answers
        without = (
            self._without(one, self._rows.get((answers.template_id, one.locale.tag), {}), answers.answer_format)
            for one in answers.locales
        )
        return replace(answers, locales=tuple(without))

    def _without(
        self, of: LocaleAnswers, kinds: Mapping[str, set[str]], answer_format: AnswerFormat
    ) -> LocaleAnswers:
        texts = sorted({text for kind, held in kinds.items() if kind != WRONG for text in held})
        more = (Acceptable(text, values(text, answer_format)) for text in texts)
        acceptable = (*of.acceptable, *more)
        wrong = kinds.get(WRONG, set())
        golds = tuple(gold for gold in of.golds if gold.text not in wrong)
        if of.golds and not golds:
            told = ", ".join(repr(gold.text) for gold in of.golds)
            loss = ("turned-down", f"people there say that {told} is wrong")
            return replace(of, golds=golds, acceptable=acceptable, loss=loss)
        return replace(of, golds=golds, acceptable=acceptable)


def _problem(
    row: Mapping[str, str | None], where: str, templates: set[str], locales: Registry
) -> RowError | None:
    """What is wrong with an exclusion, or null."""
    needed = ("template_id", "locale", "option", "kind", "reviewer")
    if missing := [name for name in needed if not (row[name] or "").strip()]:
        what = f"an exclusion without {', '.join(missing)}"
        return RowError(what, where=where, fix="fill it in or delete the row")
    if row["template_id"] not in templates:
        fix = "write the id of a template that is built"
        return RowError(f"unknown template {row['template_id']!r}", where=where, fix=fix)
    if row["kind"] not in _KINDS:
        return RowError(f"unknown kind {row['kind']!r}", where=where, fix=f"the kinds are {', '.join(_KINDS)}")
    try:
        locales.get(str(row["locale"]))
    except UnknownNameError as error:
        what, _, fix = str(error).partition("; ")
        return RowError(what, where=where, fix=fix)
    return None
