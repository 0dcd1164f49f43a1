"""Importing: responses from somebody else's table, by a map that says what its columns mean.

A *wide* table has a row for every person and a column for every question, as Google Forms saves them; a *long*
one a row for every answer, as Label Studio's exports become (`loaders.label_studio.foreign`). The map is a file
that people check: `import_guess` is a first version, and nothing is imported by it until it is given.
"""

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from blend.builders.annotation.import_guess import Proposed, proposed_map
from blend.builders.annotation.pseudonyms import new_key, pseudonym, read_key
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.diagnostics import Diagnostics, checked, unknown_name
from blend.loaders.files.rows import Cells
from blend.loaders.files.tables import refuse_rewritten
from blend.loaders.files.toml import ImportMap, map_text, read_map
from blend.loaders.label_studio.foreign import texts_of_cell
from blend.loaders.responses import read_responses
from blend.schemas.errors import ConflictError, InputError, RowError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry, registry
from blend.schemas.rows import MAX_ANSWERS, NonAnswer, Response
from blend.schemas.texts import clean, fold, pluralise

_KINDS = ("idk", "no-answer", "not-applicable")
_KEY_NAME = "annotators.key"
_TemplateIds = Mapping[str, Sequence[str]]
"""Ids of the templates that are asked, by locale."""


class Imported(NamedTuple):
    """Responses and findings that a table became."""

    responses: dict[str, list[Response]]
    """By locale, in the order of the file."""
    blank: int
    """Questions that somebody left blank; they are no responses."""


class Written(NamedTuple):
    """A file of responses that was written."""

    path: Path
    responses: int
    people: int


class ImportDone(NamedTuple):
    """Files that an import wrote, and what it left out."""

    written: Sequence[Written]
    """Files; none where a map was proposed."""
    blank: int
    """Questions that somebody left blank."""
    proposed: Proposed | None
    """The map that was written to be checked."""


class _Given(NamedTuple):
    """Texts of a person for one question, and their location."""

    location: str
    template_id: str
    locale: str
    annotator: str
    texts: list[str]


def import_file(
    rows: Sequence[Cells],
    name: str,
    map_path: Path,
    folder: Path,
    *,
    locales: Registry | None = None,
    has_people: bool = False,
) -> ImportDone:
    """Import the rows of a table, or propose a map for them where there is none.

    Args:
        rows: Of the table.
        name: Of its file, for messages.
        map_path: The map. Where it does not exist, a guess is written there, and nothing is imported; one that
            recognises no question leaves out every column, and lists the questions that are asked.
        folder: Directory of raw responses whose questions are answered; ``responses/LOCALE.csv`` is written
            there.
        locales: Known locales; the packaged registry when absent.
        has_people: Whether several rows may be one person's, so that the map must say who answered.

    Raises:
        InputError, RowError, RowErrors: As `importing.import_responses`, or if the folder or the key of the
            pseudonyms cannot be read.
        ConflictError: If a file of responses is there already.
        StorageError: If a file cannot be written.
    """
    known = registry() if locales is None else locales
    questions = read_responses(folder, locales=known, reviewing=True, collecting=True).questions
    if not os.path.lexists(map_path):
        asked_texts = questions.select(*KEY, "question", "en_question").to_dicts()
        languages = {known.get(tag).language for tag in questions["locale"]}
        guess = proposed_map(rows, asked_texts, _non_answer_texts(languages))
        if guess.map.annotator is not None:
            guess = guess._replace(map=guess.map.model_copy(update={"key_file": _KEY_NAME}))
        templates = {one["template_id"]: one["en_question"] for one in reversed(asked_texts)}
        listed = None if guess.recognised else dict(sorted(templates.items()))
        _write_beside(map_path, map_text(guess.map, name, listed))
        return ImportDone((), 0, guess)
    by = read_map(map_path)
    if has_people and by.annotator is None:
        raise InputError(
            f'{map_path}: does not say who answered in {name}; add annotator = "annotator": '
            "only in a table is every row a person"
        )
    asked: dict[str, list[str]] = {}
    for template_id, locale in questions.select(KEY).iter_rows():
        asked.setdefault(locale, []).append(template_id)
    key = None if by.key_file is None else _key_at(map_path.parent / by.key_file)
    imported = import_responses(rows, by, asked=asked, locales=known, name=name, key=key)
    return ImportDone(_write_imported(imported.responses, folder), imported.blank, None)


def _non_answer_texts(languages: set[str]) -> dict[str, str]:
    """Texts that our own pages offer in place of an answer, in some languages and in English."""
    ui_strings = [ui_strings_of(language) for language in sorted(languages | {"en"})]
    return {one[kind]: kind for one in ui_strings for kind in _KINDS} | {kind: kind for kind in _KINDS}


def import_responses(
    rows: Sequence[Cells],
    by: ImportMap,
    *,
    asked: _TemplateIds,
    locales: Registry,
    name: str,
    key: bytes | None = None,
) -> Imported:
    """The responses in a table.

    Args:
        rows: Of the table, with every column; values are texts or lists of texts.
        by: What its columns mean.
        asked: Ids of the templates that are asked, by locale.
        locales: Known locales.
        name: What messages call the file.
        key: Of the pseudonyms; the table names people by pseudonyms when absent.

    Raises:
        InputError: If the table has no rows.
        RowError, RowErrors: If the map names columns, questions or locales that are not there, if the table
            holds columns or questions of which the map says nothing, or if a row cannot be a response; names
            every place.
    """
    diagnostics = Diagnostics()
    if not rows:
        raise InputError(f"{name}: no rows; give the table with people's answers")
    _check_columns(rows, by, name, diagnostics)
    diagnostics.raise_problems()
    found: dict[str, list[Response]] = {}
    first: dict[tuple[str, str, str], str] = {}
    blank = 0
    for given in _given(rows, by, lambda who: who if key is None else pseudonym(who, key), diagnostics):
        if not _is_asked(given, by, asked, locales, diagnostics):
            continue
        if not given.texts:
            blank += 1
            continue
        with diagnostics.collected():
            response = checked(Response, _values(given, by), given.location, diagnostics)
            if response is None:
                continue
            before = first.setdefault((given.template_id, given.locale, given.annotator), given.location)
            if before != given.location:
                what = f"{given.annotator!r} answers {given.template_id!r} a second time"
                raise RowError(what, where=given.location, fix=f"delete this row or {before}")
            found.setdefault(given.locale, []).append(response.row)
    diagnostics.raise_problems()
    return Imported(found, blank)


def _check_columns(rows: Sequence[Cells], by: ImportMap, name: str, diagnostics: Diagnostics) -> None:
    """Note columns that the map names and the table lacks, and those that it says nothing about."""
    present = list(dict.fromkeys(column for row in rows for column in row.values))
    where = f"{name}:1"
    for column in by.columns:
        if column not in present:
            problem = unknown_name("column", column, present, where=where)
            diagnostics.problem(problem.what, where=where, fix=f"correct the map; {problem.fix}")
    for column in present:
        is_used = column in (*by.columns, *by.leave_out)
        if not is_used and any(texts_of_cell(row.values.get(column)) for row in rows):
            fix = "say in the map what it means, or write it into leave_out"
            diagnostics.problem(f"the map says nothing about column {column!r}", where=where, fix=fix)


def _given(
    rows: Sequence[Cells], by: ImportMap, named: Callable[[str], str], diagnostics: Diagnostics
) -> Iterator[_Given]:
    for row in rows:
        for column in by.columns:
            cell = row.values.get(column)
            if isinstance(cell, str):
                refuse_rewritten(cell, f"{row.location}, column {column}", diagnostics)
        locale = by.locale or _one(row, by.locale_column)
        number = "-".join(re.findall(r"[0-9]+", row.location.rpartition(":")[2]))
        who = f"r{number}" if by.annotator is None else _one(row, by.annotator)
        if not who:
            where = f"{row.location}, column {by.annotator}"
            diagnostics.problem("nobody is named", where=where, fix="say who answered, or delete the row")
            continue
        columns = by.columns_by_template
        if by.question is not None:
            asked = _one(row, by.question)
            if asked in by.leave_out_questions:
                continue
            columns = {by.questions.get(asked, asked): list(by.answers)}
        for template_id, answers in columns.items():
            texts = [text for column in answers for text in texts_of_cell(row.values.get(column))]
            if by.separator is not None:
                texts = [part for text in texts for part in text.split(by.separator)]
            texts = [text.strip() for text in texts if text.strip()]
            yield _Given(row.location, template_id, locale, named(who), texts)


def _is_asked(
    given: _Given, by: ImportMap, asked: _TemplateIds, locales: Registry, diagnostics: Diagnostics
) -> bool:
    """Whether a question is asked in a locale; what is not is noted."""
    if given.locale not in asked:
        where = f"{given.location}, column {by.locale_column}" if by.locale_column else given.location
        if given.locale in locales:
            diagnostics.problems.append(unknown_name("locale", given.locale, asked, where=where))
        else:
            diagnostics.unknown_locale(given.locale, locales, where=where)
        return False
    if given.template_id not in asked[given.locale]:
        where = f"{given.location}, column {by.question}" if by.question else given.location
        problem = unknown_name("question", given.template_id, asked[given.locale], where=where)
        fix = "name its template in the map's [questions], or write it into leave_out_questions"
        diagnostics.problem(problem.what, where=where, fix=fix if by.question else problem.fix)
        return False
    return True


def _values(given: _Given, by: ImportMap) -> dict[str, Any]:
    """The fields of a response."""
    kinds = {fold(text): NonAnswer(kind) for text, kind in by.non_answers.items()}
    reasons = [text for text in given.texts if fold(text) in kinds]
    answers = [text for text in given.texts if fold(text) not in kinds]
    if reasons and len(given.texts) > 1:
        others = pluralise(len(given.texts) - 1, "other text")
        what = f"{reasons[0]!r}, which is a non-answer, beside {others}"
        raise RowError(what, where=given.location, fix="keep the one or the other")
    if len(answers) > MAX_ANSWERS:
        what = f"{len(answers)} answers to {given.template_id!r}, but an annotator gives up to {MAX_ANSWERS}"
        raise RowError(what, where=given.location, fix=f"keep the first {MAX_ANSWERS}")
    kind = kinds[fold(reasons[0])] if reasons else None
    return {
        "template_id": given.template_id,
        "locale": given.locale,
        "annotator": given.annotator,
        "answers": answers,
        "non_answer": kind,
        "reason": reasons[0] if kind is NonAnswer.OTHER else None,
    }


def _one(row: Cells, column: str | None) -> str:
    return "" if column is None else clean(" ".join(texts_of_cell(row.values.get(column))))


# Files.


def _write_imported(responses: Mapping[str, Sequence[Response]], folder: Path) -> list[Written]:
    """Write ``responses/LOCALE.csv`` for every locale into a directory of raw responses.

    Raises:
        ConflictError: If one is there already; nothing is written then.
        StorageError: If one cannot be written.
    """
    paths = {locale: folder / "responses" / f"{locale}.csv" for locale in responses}
    for path in paths.values():
        if os.path.lexists(path):
            raise ConflictError(
                f"{path}: exists, and nothing is replaced; move it away, or give another folder with the "
                "questions"
            )
    for locale, path in paths.items():
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(_table(responses[locale]))
        _write_beside(path, f"\ufeff{text.getvalue()}")  # by which spreadsheets know UTF-8
    return [
        Written(path, len(responses[locale]), len({one.annotator for one in responses[locale]}))
        for locale, path in paths.items()
    ]


def _table(responses: Sequence[Response]) -> Iterator[list[str]]:
    columns = [f"answer_{number}" for number in range(1, MAX_ANSWERS + 1)]
    yield ["template_id", "annotator", *columns, "non_answer", "reason"]
    for one in sorted(responses, key=lambda one: (one.template_id, one.annotator)):
        answers = [*one.answers, *[""] * (MAX_ANSWERS - len(one.answers))]
        yield [one.template_id, one.annotator, *answers, one.non_answer or "", one.reason or ""]


def _key_at(path: Path) -> bytes:
    """The key of the pseudonyms, made where there is none.

    Raises:
        InputError: As `pseudonyms.read_key`.
    """
    if not os.path.lexists(path):
        _write_beside(path, new_key(), mode=0o600)  # for its owner alone
    return read_key(path)


def _write_beside(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a file of an import.

    Raises:
        StorageError: If it cannot be written.
    """
    with storage_errors(path, fix="choose another place or change the permissions"):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, text, mode=mode)
