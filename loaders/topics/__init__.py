"""Topics: what readers are to be told about, and the templates that ask for it, from a directory of TSV files.

A directory has one folder per kind of text (``qa``, ``stories``), and in each ``topics.tsv`` or, as published,
``concepts.tsv`` (category, topic) and ``templates.tsv`` (name, language, template), both without a header; any
other kind of table may stand in place of TSV. What comes in is that directory; what goes out are frames whose
rows know their place. Nothing here knows of nationalities.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.loaders.files.content import instead_of_directory
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.tables import Line, named_table, read_headless
from blend.schemas.errors import InputError
from blend.schemas.languages import is_language
from blend.schemas.prompts import ANY_SLOT
from blend.schemas.rows import ARTICLE_SLOTS, NATIONALITY_SLOTS, TOPIC_SLOTS
from blend.schemas.texts import forbidden_in, pluralise

_TOPICS = ("topics", "concepts")
"""Names of a file of topics, without its ending; the second is the published one."""

_TEMPLATES = "templates"

TOPICS = pl.Schema({"kind": pl.String(), "category": pl.String(), "topic": pl.String(), "source": pl.String()})
"""One row per line of a file of topics, in its order; the kinds by name."""

TEMPLATES = pl.Schema(
    {
        "kind": pl.String(),
        "template_id": pl.String(),
        "language": pl.String(),
        "template": pl.String(),
        "source": pl.String(),
    }
)
"""One row per template."""

FORMS = pl.Schema(
    {
        "language": pl.String(),
        "demonym": pl.String(),
        "form": pl.String(),
        "article": pl.String(),
        "source": pl.String(),
    }
)
"""What a nationality is called in another language, and the article before it; null where there is none."""

_KIND = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_BLANK = "_"
"""How the published files write that there is nothing to say."""


@dataclass(frozen=True, slots=True)
class TopicTables:
    """Tables of a directory of topics."""

    topics: pl.DataFrame
    """`TOPICS`."""
    templates: pl.DataFrame
    """`TEMPLATES`."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS` of reading it."""


def topic_files(folder: Path) -> list[Path]:
    """The files that are read of a directory of topics, by path."""
    return sorted(
        path
        for kind in _kinds(folder)
        for name in (*_TOPICS, _TEMPLATES)
        if (path := named_table(kind, name)) is not None
    )


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
    kinds = _kinds(folder)
    topics, templates = [], []
    for kind in kinds:
        with diagnostics.collected():
            topics += _topics(kind, folder, diagnostics)
        with diagnostics.collected():
            templates += _templates(kind, folder, diagnostics)
    diagnostics.raise_problems()
    return TopicTables(
        pl.DataFrame(topics, schema=TOPICS, orient="row"),
        pl.DataFrame(templates, schema=TEMPLATES, orient="row"),
        diagnostics.findings_frame(),
    )


def read_forms(path: Path) -> pl.DataFrame:
    """Read what nationalities are called in other languages.

    A table of language, English demonym, form and article.

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
    for location, cells in _lines(path, path.parent, diagnostics, 4):
        if len(cells) not in (3, 4):
            diagnostics.problem(
                f"{pluralise(len(cells), 'cell')}, but three or four are expected",
                where=location,
                fix="write language, English demonym, form and perhaps article, with tabs between them",
            )
            continue
        language, demonym, form, *article = (cell.strip() for cell in cells)
        if not (demonym and form):
            diagnostics.problem(
                "demonym or form is blank", where=location, fix="fill it in, or delete the line"
            )
        _check_language(language, location, diagnostics)
        if (language, demonym) in rows:
            diagnostics.problem(
                f"a second form of {demonym!r} in {language!r}",
                where=location,
                fix=f"delete this line or {rows[language, demonym][-1]}",
            )
        rows.setdefault(
            (language, demonym), (language, demonym, form, (article[0] or None) if article else None, location)
        )
    diagnostics.raise_problems()
    return pl.DataFrame(list(rows.values()), schema=FORMS, orient="row")


def _kinds(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(
            f"source topics: {instead_of_directory(folder)}: {folder}; give the path of a directory with one "
            "folder per kind of text, each with topics.tsv and templates.tsv"
        )
    found = sorted(path for path in folder.iterdir() if path.is_dir() and named_table(path, _TEMPLATES))
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


def _topics(kind: Path, root: Path, diagnostics: Diagnostics) -> list[tuple[str, str, str, str]]:
    path = next((found for name in _TOPICS if (found := named_table(kind, name)) is not None), None)
    if path is None:
        diagnostics.problem(
            "no file topics.tsv", where=kind.name, fix="add it, with category and topic per line"
        )
        return []
    rows = []
    lines = _lines(path, root, diagnostics, 2)
    for location, cells in lines:
        if len(cells) != 2:
            diagnostics.problem(
                f"{pluralise(len(cells), 'cell')}, but two are expected",
                where=location,
                fix="write category and topic with a tab between them",
            )
            continue
        category, topic = (cell.strip() for cell in cells)
        if not (category and topic):
            diagnostics.problem(
                "category or topic is blank", where=location, fix="fill it in, or delete the line"
            )
        rows.append((kind.name, category, topic, location))
    if not lines:
        diagnostics.problem("no topics", where=f"{kind.name}/{path.name}", fix="add one line per topic")
    return rows


def _templates(kind: Path, root: Path, diagnostics: Diagnostics) -> list[tuple[str, str, str, str, str]]:
    rows: list[tuple[str, str, str, str, str]] = []
    path = named_table(kind, _TEMPLATES)
    assert path is not None  # what makes a folder a kind
    lines = _lines(path, root, diagnostics, 3)
    for location, cells in lines:
        if len(cells) != 3:
            diagnostics.problem(
                f"{pluralise(len(cells), 'cell')}, but three are expected",
                where=location,
                fix="write name, language and template with tabs between them, '_' for a name and for English",
            )
            continue
        name, language, template = (cell.strip() for cell in cells)
        name = f"t{len(rows) + 1}" if name == _BLANK else name
        language = "en" if language == _BLANK else language
        _check_language(language, location, diagnostics)
        _check_template(template, location, diagnostics)
        if name in {row[1] for row in rows}:
            diagnostics.problem(
                f"a second template {name!r}", where=location, fix="give each a name of its own"
            )
        rows.append((kind.name, name, language, template, location))
    if not lines:
        diagnostics.problem("no templates", where=f"{kind.name}/{path.name}", fix="add one line per template")
    return rows


def _check_language(language: str, location: str, diagnostics: Diagnostics) -> None:
    if not is_language(language):
        diagnostics.problem(
            f"{language!r} is not a language", where=location, fix="write a BCP 47 tag such as 'en' or 'pt-BR'"
        )


def _check_template(template: str, location: str, diagnostics: Diagnostics) -> None:
    found = ANY_SLOT.findall(template)
    known = (*TOPIC_SLOTS, *ARTICLE_SLOTS, *NATIONALITY_SLOTS)
    for slot in sorted({*found} - {*known}):
        diagnostics.problem(f"unknown slot {slot}", where=location, fix=f"the slots are {', '.join(known)}")
    for slots, what in ((TOPIC_SLOTS, "topic"), (NATIONALITY_SLOTS, "nationality")):
        if not {*found} & {*slots}:
            diagnostics.problem(
                f"no slot for the {what}", where=location, fix=f"write {slots[0]} where it stands"
            )


def _lines(path: Path, root: Path, diagnostics: Diagnostics, width: int) -> list[Line]:
    """The lines of a table without header that are not blank, each with its place."""
    lines = read_headless(path, root, diagnostics, width=width)
    for line in lines:
        for held in forbidden_in(" ".join(line.cells)):
            diagnostics.problem(f"the line holds {held}", where=line.location, fix="delete it")
    return lines
