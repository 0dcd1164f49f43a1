"""Topics: what readers are to be told about, and the templates that ask for it, from a directory of TSV files.

A directory has one folder per kind of text (``qa``, ``stories``), and in each ``topics.tsv`` or, as published,
``concepts.tsv`` (category, topic) and ``templates.tsv`` (name, language, template), both without a header. What
comes in is that directory; what goes out are frames whose rows know their place. Nothing here knows of
nationalities.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from blend.loaders.files.content import instead_of_directory, location_of, read_text
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import csv_records
from blend.schemas.errors import InputError
from blend.schemas.frames import text_columns
from blend.schemas.languages import is_language
from blend.schemas.prompts import ANY_SLOT
from blend.schemas.rows import ARTICLE_SLOTS, NATIONALITY_SLOTS, TOPIC_SLOTS
from blend.schemas.texts import forbidden_in, pluralise

_TOPICS = ("topics.tsv", "concepts.tsv")
"""Names of a file of topics; the second is the published one."""

_TEMPLATES = "templates.tsv"

TOPICS = pl.Schema(text_columns("kind", "category", "topic", "source"))
"""One row per line of a file of topics, in its order; the kinds by name."""

TEMPLATES = pl.Schema(text_columns("kind", "template_id", "language", "template", "source"))
"""One row per template."""

FORMS = pl.Schema(text_columns("language", "demonym", "form", "article", "source"))
"""What a nationality is called in another language, and the article before it; null where there is none."""

_KIND = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_BLANK = "_"
"""How the published files write that there is nothing to say."""


class TopicTables(NamedTuple):
    """Tables of a directory of topics."""

    topics: pl.DataFrame
    """`TOPICS`."""
    templates: pl.DataFrame
    """`TEMPLATES`."""


def topic_files(folder: Path) -> list[Path]:
    """The files that are read of a directory of topics, by path."""
    named = (kind / name for kind in _kinds(folder) for name in (*_TOPICS, _TEMPLATES))
    return sorted(path for path in named if path.exists())


def read_topics(folder: Path) -> TopicTables:
    """Topics and templates from a directory.

    Args:
        folder: The directory.

    Raises:
        InputError: If it is not there, or holds no kind of text.
        RowError, RowErrors: If a file is missing, has lines of other than the expected cells, blank cells, an
            unknown slot or language, or if a template lacks the slot of topic or nationality.
    """
    diagnostics = Diagnostics()
    topics, templates = [], []
    for kind in _kinds(folder):
        path = next((found for name in _TOPICS if (found := kind / name).exists()), kind / _TOPICS[0])
        with diagnostics.collected():
            lines = _lines(path, folder, diagnostics, ("category", "topic"))
            topics += [(kind.name, *cells, location) for location, cells in lines]
        with diagnostics.collected():
            templates += _templates(kind / _TEMPLATES, folder, diagnostics)
    diagnostics.raise_problems()
    return TopicTables(
        pl.DataFrame(topics, schema=TOPICS, orient="row"),
        pl.DataFrame(templates, schema=TEMPLATES, orient="row"),
    )


def read_forms(path: Path) -> pl.DataFrame:
    """Read what nationalities are called in other languages.

    Args:
        path: TSV of language, English demonym, form and perhaps article, without a header.

    Returns:
        `FORMS`, in the order of the file. The article is left blank in languages without one.

    Raises:
        InputError: If there is no such file.
        RowError, RowErrors: If a line has other cells, a blank one, no language, or a second form.
    """
    if not path.is_file():
        raise InputError(f"recipe, key cultural.forms: no such file: {path}; correct the path")
    diagnostics = Diagnostics()
    rows: dict[tuple[str, str], tuple[str, str, str, str | None, str]] = {}
    names = ("language", "demonym", "form", "article")
    for location, cells in _lines(path, path.parent, diagnostics, names, optional=1):
        language, demonym, form, article = cells
        _check_language(language, location, diagnostics)
        row = (language, demonym, form, article or None, location)
        if (first := rows.setdefault((language, demonym), row)) is not row:
            fix = f"delete this line or {first[-1]}"
            diagnostics.problem(f"a second form of {demonym!r} in {language!r}", where=location, fix=fix)
    diagnostics.raise_problems()
    return pl.DataFrame(list(rows.values()), schema=FORMS, orient="row")


def _kinds(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(
            f"source topics: {instead_of_directory(folder)}: {folder}; give the path of a directory with one "
            "folder per kind of text, each with topics.tsv and templates.tsv"
        )
    found = sorted(path.parent for path in folder.glob(f"*/{_TEMPLATES}"))
    if not found:
        raise InputError(
            f"source topics: {folder}: no folder with a file templates.tsv; make one per kind of text, "
            "for example qa/templates.tsv and qa/topics.tsv"
        )
    for path in found:
        if not _KIND.fullmatch(path.name):
            raise InputError(
                f"source topics: {path.name!r} cannot be the name of a split; "
                "name the folder in small letters, digits and underscores"
            )
    return found


def _templates(path: Path, root: Path, diagnostics: Diagnostics) -> list[tuple[str, str, str, str, str]]:
    rows: list[tuple[str, str, str, str, str]] = []
    names = ("name or _", "language or _", "template")
    for location, (name, language, template) in _lines(path, root, diagnostics, names):
        name = f"t{len(rows) + 1}" if name == _BLANK else name
        language = "en" if language == _BLANK else language
        _check_language(language, location, diagnostics)
        _check_template(template, location, diagnostics)
        if name in {row[1] for row in rows}:
            fix = "give each a name of its own"
            diagnostics.problem(f"a second template {name!r}", where=location, fix=fix)
        rows.append((path.parent.name, name, language, template, location))
    return rows


def _check_language(language: str, location: str, diagnostics: Diagnostics) -> None:
    if not is_language(language):
        fix = "write a BCP 47 tag such as 'en' or 'pt-BR'"
        diagnostics.problem(f"{language!r} is not a language", where=location, fix=fix)


def _check_template(template: str, location: str, diagnostics: Diagnostics) -> None:
    found = {*ANY_SLOT.findall(template)}
    known = (*TOPIC_SLOTS, *ARTICLE_SLOTS, *NATIONALITY_SLOTS)
    for slot in sorted(found.difference(known)):
        diagnostics.problem(f"unknown slot {slot}", where=location, fix=f"the slots are {', '.join(known)}")
    for slots, what in ((TOPIC_SLOTS, "topic"), (NATIONALITY_SLOTS, "nationality")):
        if found.isdisjoint(slots):
            fix = f"write {slots[0]} where it stands"
            diagnostics.problem(f"no slot for the {what}", where=location, fix=fix)


def _lines(
    path: Path, root: Path, diagnostics: Diagnostics, names: Sequence[str], *, optional: int = 0
) -> list[tuple[str, list[str]]]:
    """The lines that are not blank, each with its place and a cell for each name.

    Args:
        path: The file.
        root: Folder that places are relative to.
        diagnostics: Takes the problems of lines; those with other cells are left out.
        names: What the cells hold.
        optional: How many of the last ones may be blank or missing.
    """
    text, location = read_text(path, root), location_of(path, root)
    fix = f"write {', '.join(names)} with tabs between them"
    found, is_empty = [], True
    for number, record in enumerate(csv_records(text, location, separator="\t"), start=1):
        cells, where = [cell.strip() for cell in record], f"{location}:{number}"
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        is_empty = False
        # Nothing is added where there are too many, which is told below.
        cells += [""] * (len(names) - len(cells))
        needed = zip(names, cells[: len(names) - optional], strict=False)
        blank = next((name for name, cell in needed if not cell), None)
        if blank is not None or len(cells) > len(names):
            what = pluralise(len(cells), "cell") if blank is None else f"{blank} is blank"
            diagnostics.problem(what, where=where, fix=fix)
            continue
        for held in forbidden_in(" ".join(cells)):
            diagnostics.problem(f"the line holds {held}", where=where, fix="delete it")
        found.append((where, cells))
    if is_empty:
        diagnostics.problem("no line holds anything", where=location, fix=fix)
    return found
