"""Exclusions: what people of a region or readers of a build have turned down is not shown about it again."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import polars as pl

from blend.builders.mcq.values import shown
from blend.loaders.responses.turned_down import shipped_turned_down
from blend.schemas.errors import RowError, UnknownNameError, raise_all
from blend.schemas.locales import Registry

WRONG = "wrong"
"""Kind of an exclusion that takes a right answer away; all others take away a distractor."""

_KINDS = ("also-right", "silly", WRONG)


class Excluded(NamedTuple):
    """What was turned down about a template and locale, as options show it."""

    distractors: tuple[str, ...] = ()
    """Not to be shown as wrong, sorted."""
    golds: frozenset[str] = frozenset()
    """Not to be shown as right."""


class Exclusions:
    """Options that were turned down, checked.

    Args:
        rows: `schemas.frames.EXCLUSIONS`, or null for none.
        questions: The questions, `schemas.frames.QUESTIONS`.
        locales: Known locales.
        shipped: Whether to add what was turned down by the readers of BLEnD's regions, for questions in their
            words (`loaders.responses.turned_down`).

    Raises:
        RowError, RowErrors: If a row names an unknown template, locale or kind, or lacks anything but ``why``.
    """

    def __init__(
        self, rows: pl.DataFrame | None, questions: pl.DataFrame, locales: Registry, *, shipped: bool
    ) -> None:
        found: dict[tuple[str, str], dict[bool, set[str]]] = {}
        of_readers = _shipped(questions) if shipped else ()
        for template_id, tag, kind, option in (*of_readers, *_own(rows, questions, locales)):
            of_question = found.setdefault((template_id, tag), {True: set(), False: set()})
            of_question[kind == WRONG].add(shown(option))
        self._excluded = {
            asked: Excluded(tuple(sorted(of_question[False])), frozenset(of_question[True]))
            for asked, of_question in found.items()
        }

    def of(self, template_id: str, tag: str) -> Excluded:
        """What is not to be shown in a template's questions about a locale."""
        return self._excluded.get((template_id, tag), _NOTHING)


_NOTHING = Excluded()

_Row = tuple[str, str, str, str]
"""Template, locale, kind and option."""


def _shipped(questions: pl.DataFrame) -> Iterator[_Row]:
    shipped = shipped_turned_down()
    for asked in questions.select("template_id", "locale", "en_question").iter_rows():
        for option, kind in shipped.get(asked, ()):
            yield asked[0], asked[1], kind, option


def _own(rows: pl.DataFrame | None, questions: pl.DataFrame, locales: Registry) -> list[_Row]:
    if rows is None:
        return []
    templates = set(questions["template_id"])
    numbered = enumerate(rows.iter_rows(named=True), start=1)
    told = (_problem(row, f"exclusions, row {number}", templates, locales) for number, row in numbered)
    raise_all([problem for problem in told if problem is not None])
    return list(rows.select("template_id", "locale", "kind", "option").iter_rows())


def _problem(
    row: Mapping[str, str | None], place: str, templates: set[str], locales: Registry
) -> RowError | None:
    """What is wrong with an exclusion, or null; ``place`` says where it stands if the row does not."""
    where = row["source"] or place
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
