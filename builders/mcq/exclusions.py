"""Exclusions: what people of a region or readers of a build have excluded is not shown about it again."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.options import shown
from blend.loaders.responses.shipped import shipped_exclusions
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.language.locales import Locale, Registry
from blend.schemas.rows.frame_columns import EXCLUSIONS, KEY

WRONG = "wrong"
"""Kind of an exclusion that takes a correct answer away; all others take away a distractor."""

Row = Mapping[str, str | None]
"""A row by column."""

_KINDS = ("also-right", "silly", WRONG)


class Excluded(NamedTuple):
    """Options excluded about a template and locale, as options show them."""

    distractors: tuple[str, ...] = ()
    """Not to be shown as wrong, sorted."""
    golds: frozenset[str] = frozenset()
    """Not to be shown as correct."""


class Exclusions:
    """Options that were excluded, checked.

    Args:
        rows: `frame_columns.EXCLUSIONS`, or null for none.
        questions: The questions, `frame_columns.QUESTIONS`.
        locales: Known locales.
        shipped: Whether to add those that come with the package (`loaders.responses.shipped`).

    Raises:
        RowError, RowErrors: If a row names an unknown template, locale or kind, or lacks anything but ``why``.
    """

    def __init__(
        self, rows: pl.DataFrame | None, questions: pl.DataFrame, locales: Registry, *, shipped: bool
    ) -> None:
        own = pl.DataFrame(schema=EXCLUSIONS) if rows is None else rows
        _check(own, questions, locales)
        every = pl.concat([shipped_exclusions(), own]) if shipped else own
        asked = questions.select(*KEY, question="en_question")
        # One that quotes its question counts as long as the question is asked in these words.
        in_its_words = every.join(asked, on=asked.columns, how="semi")
        counting = pl.concat([every.filter(pl.col("question").is_null()), in_its_words])
        found: dict[tuple[str, str], dict[bool, set[str]]] = {}
        for template_id, tag, kind, option in counting.select(*KEY, "kind", "option").iter_rows():
            of_question = found.setdefault((template_id, tag), {True: set(), False: set()})
            of_question[kind == WRONG].add(shown(option))
        self._excluded = {
            asked: Excluded(tuple(sorted(of_question[False])), frozenset(of_question[True]))
            for asked, of_question in found.items()
        }

    def of(self, template_id: str, tag: str) -> Excluded:
        """Find what is not to be shown in a template's questions about a locale."""
        return self._excluded.get((template_id, tag), _NOTHING)


_NOTHING = Excluded()


def _check(rows: pl.DataFrame, questions: pl.DataFrame, locales: Registry) -> None:
    """Check all rows, and raise for every one that names what is not there, or lacks what it needs."""
    templates = set(questions["template_id"])
    problems: list[RowError] = []
    for number, row in enumerate(rows.iter_rows(named=True), start=1):
        try:
            _check_exclusion(row, row["source"] or f"exclusions, row {number}", templates, locales)
        except RowError as error:
            problems.append(error)
    raise_all(problems)


def _check_exclusion(row: Row, where: str, templates: Collection[str], locales: Registry) -> None:
    """Check an exclusion; one that quotes its question may be of a template that is not built."""
    built = templates if row["question"] is None else None
    check_reviewed(row, "an exclusion", ("locale", "option", "kind", "reviewer"), where=where, templates=built)
    if row["kind"] not in _KINDS:
        raise RowError(f"unknown kind {row['kind']!r}", where=where, fix=f"the kinds are {', '.join(_KINDS)}")
    known_locale(locales.get, str(row["locale"]), where=where)


# What all rows that reviewers write must keep to


def check_reviewed(
    row: Row, thing: str, needed: Sequence[str], *, where: str, templates: Collection[str] | None
) -> None:
    """Check that a row has its template and all else that is needed, and that the template is built.

    Args:
        row: The row.
        thing: What it is, in words.
        needed: Columns that must be filled in beside ``template_id``.
        where: Where it stands.
        templates: The templates that are built; null where any will do.

    Raises:
        RowError: If not.
    """
    if missing := [name for name in ("template_id", *needed) if not (row[name] or "").strip()]:
        what = f"{thing} without {', '.join(missing)}"
        raise RowError(what, where=where, fix="fill it in or delete the row")
    if templates is not None and row["template_id"] not in templates:
        fix = "write the id of a template that is built"
        raise RowError(f"unknown template {row['template_id']!r}", where=where, fix=fix)


def known_locale(find: Callable[[str], Locale], name: str, *, where: str) -> Locale:
    """Find the locale that a row names.

    Raises:
        RowError: If there is none; proposes others.
    """
    try:
        return find(name)
    except UnknownNameError as error:
        what, _, fix = str(error).partition("; ")
        raise RowError(what, where=where, fix=fix) from None
