"""Importing: responses from somebody else's table, by a map that says what its columns mean.

A *wide* table has a row for every person and a column for every question, as Google Forms saves them; a *long*
one a row for every answer, as Label Studio's exports become (`loaders.label_studio.foreign`). The map is a file
that people check: `import_guess` is a first version, and nothing is imported by it until it is given.
"""

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.builders.annotation.import_guess import Proposed, proposed_map
from blend.builders.annotation.pseudonyms import new_key, pseudonym, read_key
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.rows import Cells
from blend.loaders.files.tables import refuse_rewritten
from blend.loaders.label_studio.foreign import texts_of_cell
from blend.loaders.responses import read_responses
from blend.loaders.responses.import_map import ImportMap, map_text, read_map
from blend.loaders.responses.response_rows import checked_response
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry, registry
from blend.schemas.rows import MAX_ANSWERS, NonAnswer, Response
from blend.schemas.texts import clean, fold

_KINDS = ("idk", "no-answer", "not-applicable")
_KEY_NAME = "annotators.key"


class Written(NamedTuple):
    """A file of responses that was written."""

    path: Path
    responses: int
    people: int


class ImportDone(NamedTuple):
    """Files that an import wrote, and what it left out."""

    written: Sequence[Written] = ()
    """Files; none where a map was proposed."""
    blank: int = 0
    """Questions that somebody left blank; they are no responses."""
    proposed: Proposed | None = None
    """The map that was written to be checked."""


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
        rows: Of the table, with every column; values are texts or lists of texts.
        name: Of its file, for messages.
        map_path: The map. Where it does not exist, a guess is written there, and nothing is imported; one that
            recognises no question leaves out every column, and lists the questions that are asked.
        folder: Directory of raw responses whose questions are answered; ``responses/LOCALE.csv`` is written
            there.
        locales: Known locales; the packaged registry when absent.
        has_people: Whether several rows may be one person's, so that the map must say who answered.

    Raises:
        InputError: If the table has no rows, or the folder or the key of the pseudonyms cannot be read.
        RowError, RowErrors: If the map names columns, questions or locales that are not there, if the table
            holds columns or questions of which the map says nothing, or if a row cannot be a response; names
            every place.
        ConflictError: If a file of responses is there already.
        StorageError: If a file cannot be written.
    """
    known = registry() if locales is None else locales
    questions = read_responses(folder, locales=known, reviewing=True, collecting=True).questions
    if not rows:
        raise InputError(f"{name}: no rows; give the table with people's answers")
    if not os.path.lexists(map_path):
        texts = questions.select(*KEY, "question", "en_question").to_dicts()
        return ImportDone(proposed=_propose(rows, name, map_path, texts, known))
    by = read_map(map_path)
    if has_people and by.annotator is None:
        raise InputError(
            f'{map_path}: does not say who answered in {name}; add annotator = "annotator": '
            "only in a table is every row a person"
        )
    asked: dict[str, list[str]] = {}
    for template_id, locale in questions.select(KEY).iter_rows():
        asked.setdefault(locale, []).append(template_id)
    diagnostics = Diagnostics()
    _check_columns(rows, by, name, diagnostics)
    diagnostics.raise_problems()
    key = None if by.key_file is None else _key_at(map_path.parent / by.key_file)
    given = [
        cells for cells in _given(rows, by, key, diagnostics) if _is_asked(cells, by, asked, known, diagnostics)
    ]
    typed = [cells for cells in given if cells.values["answers"] or cells.values["non_answer"]]
    responses = _responses(typed, known, diagnostics)
    diagnostics.raise_problems()
    return ImportDone(_write_imported(responses, folder), len(given) - len(typed))


def _propose(
    rows: Sequence[Cells],
    name: str,
    map_path: Path,
    questions: Sequence[Mapping[str, str]],
    known: Registry,
) -> Proposed:
    """Write a first version of the map, with what our own pages offer in place of an answer."""
    languages = {known.get(question["locale"]).language for question in questions}
    ui_strings = [ui_strings_of(language) for language in sorted(languages | {"en"})]
    non_answers = {one[kind]: kind for one in ui_strings for kind in _KINDS} | {kind: kind for kind in _KINDS}
    guess = proposed_map(rows, questions, non_answers)
    if guess.map.annotator is not None:
        guess = guess._replace(map=guess.map.model_copy(update={"key_file": _KEY_NAME}))
    templates = {one["template_id"]: one["en_question"] for one in reversed(questions)}
    _write(map_path, map_text(guess.map, name, None if guess.recognised else dict(sorted(templates.items()))))
    return guess


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
    rows: Sequence[Cells], by: ImportMap, key: bytes | None, diagnostics: Diagnostics
) -> Iterator[Cells]:
    """Rows of responses: what each person said to each question, perhaps nothing."""
    kinds = {fold(text): NonAnswer(kind) for text, kind in by.non_answers.items()}
    for row in rows:
        for column in by.columns:
            cell = row.values.get(column)
            if isinstance(cell, str):
                refuse_rewritten(cell, f"{row.location}, column {column}", diagnostics)
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
            # Beside a non-answer, all other texts are answers, which is told.
            reason = next((text for text in texts if fold(text) in kinds), None)
            kind = None if reason is None else kinds[fold(reason)]
            values = {
                "template_id": template_id,
                "locale": by.locale or _one(row, by.locale_column),
                "annotator": who if key is None else pseudonym(who, key),
                "answers": [text for text in texts if text != reason],
                "non_answer": kind,
                "reason": reason if kind is NonAnswer.OTHER else None,
            }
            where = row.location if by.question else f"{row.location}, column {answers[0]}"
            yield Cells(where, values)


def _is_asked(
    cells: Cells,
    by: ImportMap,
    asked: Mapping[str, Sequence[str]],
    locales: Registry,
    diagnostics: Diagnostics,
) -> bool:
    """Whether a question is asked in a locale; what is not is noted."""
    locale, template_id = cells.values["locale"], cells.values["template_id"]
    if locale not in asked:
        where = f"{cells.location}, column {by.locale_column}" if by.locale_column else cells.location
        if locale in locales:
            diagnostics.problems.append(unknown_name("locale", locale, asked, where=where))
        else:
            diagnostics.unknown_locale(locale, locales, where=where)
    elif template_id not in asked[locale]:
        where = f"{cells.location}, column {by.question}" if by.question else cells.location
        problem = unknown_name("question", template_id, asked[locale], where=where)
        fix = "name its template in the map's [questions], or write it into leave_out_questions"
        diagnostics.problem(problem.what, where=where, fix=fix if by.question else problem.fix)
    else:
        return True
    return False


def _responses(rows: Sequence[Cells], known: Registry, diagnostics: Diagnostics) -> dict[str, list[Response]]:
    """The responses by locale; what cannot be one, and a second one of a person, is noted."""
    found: dict[str, list[Response]] = {}
    first: dict[tuple[str, str, str], str] = {}
    for cells in rows:
        if (placed := checked_response(cells, known, diagnostics)) is not None:
            row = placed.row
            before = first.setdefault((row.template_id, row.locale, row.annotator), cells.location)
            if before != cells.location:
                what = f"{row.annotator!r} answers {row.template_id!r} a second time"
                diagnostics.problem(what, where=cells.location, fix=f"delete this row or {before}")
            found.setdefault(row.locale, []).append(row)
    return found


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
    columns = [f"answer_{number}" for number in range(1, MAX_ANSWERS + 1)]
    for locale, path in paths.items():
        text = io.StringIO(newline="")
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["template_id", "annotator", *columns, "non_answer", "reason"])
        for one in sorted(responses[locale], key=lambda one: (one.template_id, one.annotator)):
            answers = [*one.answers, *[""] * (MAX_ANSWERS - len(one.answers))]
            table.writerow([one.template_id, one.annotator, *answers, one.non_answer or "", one.reason or ""])
        _write(path, f"\ufeff{text.getvalue()}")  # by which spreadsheets know UTF-8
    return [
        Written(path, len(responses[locale]), len({one.annotator for one in responses[locale]}))
        for locale, path in paths.items()
    ]


def _key_at(path: Path) -> bytes:
    """The key of the pseudonyms, made where there is none.

    Raises:
        InputError: As `pseudonyms.read_key`.
    """
    if not os.path.lexists(path):
        _write(path, new_key(), mode=0o600)  # for its owner alone
    return read_key(path)


def _write(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a file of an import.

    Raises:
        StorageError: If it cannot be written.
    """
    with storage_errors(path, fix="choose another place or change the permissions"):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, text, mode=mode)
