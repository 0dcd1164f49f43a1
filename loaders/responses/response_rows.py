"""Files and rows of raw responses: which files there are, and their rows, each checked against its model.

Whether the rows of several files fit together is not asked here; see `checks`.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple

from rapidfuzz import fuzz

from blend.loaders.files.content import location_of
from blend.loaders.files.diagnostics import Checked, Diagnostics, Placed, R, checked, unknown_locale
from blend.loaders.files.rows import SUFFIXES, TABLE_SUFFIXES, Cells, Columns, only_named, read_rows
from blend.schemas.errors import InputError, RowError
from blend.schemas.formats import format_of
from blend.schemas.locales import Registry
from blend.schemas.models import Row, Text
from blend.schemas.rows import (
    LONGEST_ANSWER,
    MAX_ANSWERS,
    Prompt,
    QuestionTemplate,
    Response,
    Review,
)
from blend.schemas.texts import clean

HIDDEN = (".", "~$", "__", "Thumbs.db", "desktop.ini", "Icon\r")
"""How names begin that are passed over: a spreadsheet's mark of an open file, and what desktops leave."""
_SINGLE = ("templates", "questions", "prompts")
"""Names of the files of which there is one of each."""
_FOLDERS = ("responses", "reviews")
"""Names of the folders with a file for each locale."""
PARTS: Mapping[str, Sequence[str]] = {**dict.fromkeys(_SINGLE, SUFFIXES), **dict.fromkeys(_FOLDERS, ("",))}
"""What is read in a directory of raw responses: names, and how they may end."""
_READ_BY_PEOPLE = ("README", "LICENSE")
_LEAST_ALIKE = 80
"""Likeness, of 100, from which a name is one of these by mistake; ``exclusions`` and ``questions`` have 63."""
_LOCALE_FILE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)+(\.\w+)?\.(csv|tsv|jsonl|parquet|xlsx)")
_REVIEW_SUFFIXES = (".jsonl", ".parquet")  # lists of groups have no place in CSV


class ResponseFiles(NamedTuple):
    """Files of raw responses by what they hold."""

    templates: Sequence[Path]
    questions: Sequence[Path]
    prompts: Sequence[Path]
    responses: Sequence[Path]
    reviews: Sequence[Path]
    unread: frozenset[str] = frozenset()
    """Parts of which something stands where nobody reads it."""


def response_layout(folder: Path, diagnostics: Diagnostics, *, collecting: bool = False) -> ResponseFiles:
    """The files of a directory of raw responses; whatever would be overlooked is a problem.

    Raises:
        InputError: If the directory or one of its parts does not exist.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give a directory of raw responses")
    files = optional_files(folder, folder, diagnostics)
    missing = [
        f"no file {name}{SUFFIXES[0]}" for name in ("templates", "questions") if not getattr(files, name)
    ]
    if not files.responses and not diagnostics.problems and not collecting:
        missing.append("no files in its folder 'responses'")
    if missing:
        raise InputError(f"{folder}: {' and '.join(missing)}; add what docs/responses.md describes")
    return files


def optional_files(
    folder: Path,
    root: Path,
    diagnostics: Diagnostics,
    *,
    known: Mapping[str, Sequence[str]] = PARTS,
    is_strict: bool = False,
) -> ResponseFiles:
    """The files of a folder that holds some parts of raw responses; see `response_layout`.

    Args:
        folder: Any part may be missing.
        root: Folder that locations are relative to.
        diagnostics: Takes problems.
        known: What is read, as of `note_unread`.
        is_strict: Whether nothing else may be there.
    """
    own = diagnostics.part()
    overlooked = note_unread(sorted(folder.iterdir()), root, diagnostics, known, is_strict=is_strict)
    single = {name: only_named(folder / name, root, SUFFIXES, diagnostics) for name in _SINGLE}
    present = {name: [] if path is None else [path] for name, path in single.items()}
    responses = _files(folder / "responses", root, SUFFIXES, own)
    reviews = _files(folder / "reviews", root, _REVIEW_SUFFIXES, own)
    diagnostics.problems.extend(own.problems)
    unread = frozenset(_FOLDERS if own.problems or overlooked else ())
    return ResponseFiles(**present, responses=responses, reviews=reviews, unread=unread)


def note_unread(
    paths: Iterable[Path],
    root: Path,
    diagnostics: Diagnostics,
    known: Mapping[str, Sequence[str]],
    *,
    is_strict: bool,
) -> bool:
    """Note what nobody reads because of its name: ``prompt.csv``, ``Reviews/``, ``reviews.jsonl``.

    Args:
        paths: Files and folders beside each other.
        root: Folder that locations are relative to.
        diagnostics: Takes a problem for each that may hold what is read, by its name, and a finding for others.
        known: What is read: names, and how they may end.
        is_strict: Whether others are problems as well.

    Returns:
        Whether responses or reviews may be among it.
    """
    overlooked = False
    read = ", ".join(name + (endings[0] or "/") for name, endings in known.items())
    for path in paths:
        stem, dot, ending = path.name.partition(".")
        if dot + ending.lower() in known.get(stem, ()) or path.name.startswith((*HIDDEN, *_READ_BY_PEOPLE)):
            continue
        where = location_of(path, root)
        is_alike = max(fuzz.ratio(stem.casefold(), name) for name in known) >= _LEAST_ALIKE
        of_locales = any(_LOCALE_FILE.fullmatch(one.name) for one in (path, *path.glob("*")))
        if is_alike or of_locales or is_strict:
            fix = f"rename or move it, or keep it elsewhere; what is read here: {read}"
            diagnostics.problem("nothing of that name is read", where=where, fix=fix)
            overlooked |= is_alike or of_locales
        elif path.is_dir() or (path.suffix.lower() in SUFFIXES and path.suffix.lower() != ".txt"):
            diagnostics.finding("not-read", where, f"what is read here is {read}; not read")
    return overlooked


def _files(part: Path, root: Path, suffixes: tuple[str, ...], diagnostics: Diagnostics) -> list[Path]:
    """The files in a folder, by name; one of another kind is a problem, a hidden one is not."""
    if not os.path.lexists(part):
        return []
    try:
        # Not `glob`, for which a folder that may not be read is an empty one.
        files = sorted(path for path in part.iterdir() if not path.name.startswith(HIDDEN))
    except OSError as error:
        what, where = f"cannot be read as a folder ({error.strerror})", location_of(part, root)
        diagnostics.problem(what, where=where, fix="make it a folder that may be read")
        return []
    for path in files:
        if path.suffix.lower() not in suffixes:
            sheet = "; `blend reviews accept` reads a reviewed sheet" if suffixes == _REVIEW_SUFFIXES else ""
            fix = f"write it as {' or '.join(suffixes)}, or keep it elsewhere{sheet}"
            diagnostics.problem("not a file of rows", where=location_of(path, root), fix=fix)
    return [path for path in files if path.suffix.lower() in suffixes]


OWN = ".own"
"""Ending of the stem of files of own reviews: ``ko-KR.own.jsonl`` beside ``ko-KR.jsonl``."""


def is_own(location: str) -> bool:
    """Whether the file of a review is one of own reviews.

    Args:
        location: Of the row, ``reviews/ko-KR.own.jsonl:3``.
    """
    return Path(location.rpartition(":")[0]).stem.endswith(OWN)


class AskedQuestion(Row):
    """A template in one locale, as the file of questions holds it."""

    template_id: Text
    """Id of the question's template."""
    locale: Text
    """Locale in which it is asked."""
    question: Text
    """The question in the local language, country named."""
    en_question: Text
    """The question in English, country named."""


def question_key(row: AskedQuestion | Response | Review) -> tuple[str, str]:
    """The question that a row is about: template and locale."""
    return row.template_id, row.locale


_ANSWER_COLUMNS = tuple(f"answer_{number}" for number in range(1, MAX_ANSWERS + 1))


class ResponseRows(NamedTuple):
    """Rows of raw responses, each valid by itself."""

    templates: Checked[QuestionTemplate]
    questions: Checked[AskedQuestion]
    responses: Checked[Response]
    reviews: Checked[Review]
    prompts: Checked[Prompt]


KEYS: Mapping[str, tuple[str, ...]] = {
    "templates": ("template_id",),
    "questions": ("template_id", "locale"),
    "responses": ("template_id", "locale", "annotator"),
    "reviews": ("template_id", "locale"),
    "prompts": ("prompt_id", "locale"),
}
"""By table, the columns in which no two rows are alike."""
CALLED: Mapping[str, str] = {
    "templates": "template {0.template_id!r}",
    "questions": "question {0.template_id!r} in {0.locale}",
    "responses": "response of {0.annotator!r} to {0.template_id!r} in {0.locale}",
    "reviews": "review of {0.template_id!r} in {0.locale}",
    "prompts": "prompt {0.prompt_id!r} of {0.locale}",
}
"""By table, how a message calls a row."""


def read_response_rows(
    files: ResponseFiles, root: Path, known: Registry, diagnostics: Diagnostics
) -> ResponseRows:
    """The valid rows of all files; whatever is wrong with others is noted.

    Args:
        files: What is read.
        root: Folder that locations are relative to.
        known: Known locales.
        diagnostics: Takes problems and findings.
    """
    tables = {
        name: _table(kind, getattr(files, name), root, known, diagnostics) for name, kind in _KINDS.items()
    }
    # Rows stand where nobody reads them, so nothing can be said to be missing.
    tables |= {name: tables[name]._replace(is_complete=False) for name in files.unread}
    return ResponseRows(**tables)


class _Kind(NamedTuple, Generic[R]):
    """A kind of file: its columns, and how its rows become models."""

    model: type[R]
    columns: Columns
    values: Callable[[Cells], dict[str, Any]] = lambda cells: cells.values
    """From the cells of a row to the fields of the model."""


def _table(
    kind: _Kind[R],
    files: Sequence[Path],
    folder: Path,
    known: Registry,
    diagnostics: Diagnostics,
) -> Checked[R]:
    """The valid rows of all files of a kind; whatever is wrong with others is noted."""
    own = diagnostics.part()
    rows: list[Placed[R]] = []
    for file in files:
        with own.collected():
            where = location_of(file, folder)
            cells = [_without_outer_blanks(row) for row in read_rows(file, folder, own, kind.columns)]
            if kind.model in (Review, Prompt) and not cells:
                what = f"the file holds no {kind.model.__name__.lower()}"
                own.problem(what, where=where, fix="restore it, or delete it if there is none")
            if kind.model is Response and file.suffix.lower() in TABLE_SUFFIXES:
                _check_answer_columns(cells, where)
            if "locale" in kind.columns.optional:
                cells = _with_locale(cells, file.stem, where, known)
            rows += [row for row in (_row(kind, row, known, own) for row in cells) if row is not None]
    diagnostics.problems.extend(own.problems)
    return Checked(rows, is_complete=not own.problems)


_NAMES = ("template_id", "prompt_id", "locale", "source_locale", "annotator", "reviewer", "non_answer")
"""Columns of names, around which a blank says nothing; one that is nothing but blanks stays, and is refused."""


def _without_outer_blanks(row: Cells) -> Cells:
    """The row as if nobody had typed a blank before or behind a name."""
    texts = {name: row.values[name] for name in _NAMES if isinstance(row.values.get(name), str)}
    stripped = {name: text.strip() or text for name, text in texts.items() if text != text.strip()}
    return row._replace(values=row.values | stripped) if stripped else row


def _check_answer_columns(rows: Sequence[Cells], where: str) -> None:
    """Raise once for a table without a column of answers, and not for each of its rows."""
    if rows and not {"answer_1", "answers"} & rows[0].values.keys():
        there = ", ".join(map(repr, rows[0].values))
        fix = f"name the column of (first) answers so; there are {there}"
        raise RowError("column 'answer_1' is missing", where=where, fix=fix)


def _row(kind: _Kind[R], cells: Cells, known: Registry, diagnostics: Diagnostics) -> Placed[R] | None:
    with diagnostics.collected():
        values = kind.values(cells)
        column = "source_locale" if kind.model is QuestionTemplate else "locale"
        tag = values[column]
        # A blank is told as in any other column.
        if isinstance(tag, str) and tag.strip() and tag not in known:
            diagnostics.unknown_locale(tag, known, where=f"{cells.location}, column {column}")
            return None
        return checked(kind.model, values, cells.location, diagnostics)
    return None


def checked_response(cells: Cells, known: Registry, diagnostics: Diagnostics) -> Placed[Response] | None:
    """The response in a row of a table of another form; null where it is none, which is noted.

    Args:
        cells: With all fields of a response.
        known: Known locales.
        diagnostics: Takes problems.
    """
    return _row(_KINDS["responses"], cells, known, diagnostics)


def _with_locale(rows: Sequence[Cells], stem: str, where: str, known: Registry) -> list[Cells]:
    """The rows, those without a locale with the one that their file is named for."""
    before_dot = stem.partition(".")[0]
    name = before_dot if before_dot in known else stem
    placed = [
        Cells(cells.location, {**cells.values, "locale": cells.values.get("locale") or name}) for cells in rows
    ]
    if name not in known and not all(cells.values.get("locale") for cells in rows):
        error = unknown_locale(name, known, where=where)
        fix = f"name the file for its locale, or add column locale; {error.fix}"
        raise RowError(error.what, where=where, fix=fix)
    for cells in placed if name in known else ():
        if cells.values["locale"] != name:
            what = f"a row of {cells.values['locale']!r} in the file of {name!r}"
            fix = "move the row to that locale's file, or rename the file"
            raise RowError(what, where=f"{cells.location}, column locale", fix=fix)
    return placed


def _template_values(cells: Cells) -> dict[str, Any]:
    values = cells.values
    topic = values["topic"]
    return {
        **values,
        "topic": clean(topic) if isinstance(topic, str) else topic,  # blanks around it would make it another
        "source_locale": values["source_locale"] or None,
        "answer_format": format_of(str(values["text"])),
    }


def _review_values(cells: Cells) -> dict[str, Any]:
    # A column of a Parquet file may be null where a line of JSONL has no key.
    return {name: value for name, value in cells.values.items() if value is not None}


def _response_values(cells: Cells) -> dict[str, Any]:
    answers = _answers(cells)
    if isinstance(answers, list) and len(answers) > MAX_ANSWERS:
        what = f"{len(answers)} answers, but an annotator gives up to {MAX_ANSWERS}"
        raise RowError(what, where=cells.location, fix=f"keep the first {MAX_ANSWERS}")
    for number, answer in enumerate(answers if isinstance(answers, list) else (), start=1):
        if len(str(answer)) > LONGEST_ANSWER:
            what = f"an answer of {len(answer):,} characters, {answer[:20] + '…'!r}"
            fix = f"write the answer alone, in at most {LONGEST_ANSWER:,} characters"
            raise RowError(what, where=f"{cells.location}, column answer_{number}", fix=fix)
    given = {name: cells.values.get(name) or None for name in ("non_answer", "reason")}
    return {**{name: cells.values[name] for name in KEYS["responses"]}, "answers": answers, **given}


def _answers(cells: Cells) -> Any:
    """The answers from the list in column ``answers``, or from the columns of single answers."""
    listed = cells.values.get("answers")
    given = {name: cells.values.get(name) for name in _ANSWER_COLUMNS}
    filled = {name: answer for name, answer in given.items() if answer is not None and str(answer).strip()}
    if filled and listed is not None:
        what = f"answers both in answers and in {', '.join(filled)}"
        raise RowError(what, where=cells.location, fix="use one of the two")
    return [*filled.values()] if listed is None else listed


_KINDS: Mapping[str, _Kind[Any]] = {
    "templates": _Kind(
        QuestionTemplate,
        Columns(("template_id", "topic", "source_locale", "text"), typed=True),
        _template_values,
    ),
    "questions": _Kind(
        AskedQuestion, Columns(("template_id", "locale", "question", "en_question"), typed=True)
    ),
    "responses": _Kind(
        Response,
        Columns(
            ("template_id", "annotator"),
            optional=(*_ANSWER_COLUMNS, "answers", "non_answer", "reason", "locale"),
            typed=True,
            instead="; or let `blend responses import` read a form with a column per question",
        ),
        _response_values,
    ),
    "reviews": _Kind(
        Review,
        Columns(("template_id", "reviewer"), optional=("invalid", "reasons", "groups", "locale")),
        _review_values,
    ),
    "prompts": _Kind(Prompt, Columns(("prompt_id", "locale", "prompt", "en_prompt"), typed=True)),
}
"""The kinds of files. Those in which the locale is optional are named for it."""
