"""Importing: responses from somebody else's table, by a map that says what its columns mean.

A *wide* table has a row for every person and a column for every question, as Google Forms saves them; a *long*
one a row for every answer, as Label Studio's exports become (`loaders.responses.import_map`). The map is a file
that people complete: a draft of it has the questions that are recognised, and nothing is guessed.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.project import new_key, pseudonym, read_key
from blend.builders.annotation.ui_strings import ui_strings_of
from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.new_files import write_new_files
from blend.loaders.files.rows import Cells, refuse_rewritten
from blend.loaders.responses import read_responses
from blend.loaders.responses.import_map import WHO, ImportMap, map_text, read_map, texts_of_cell
from blend.loaders.responses.response_rows import checked_response
from blend.schemas.errors import InputError, close_to
from blend.schemas.frames import KEY, RESPONSES
from blend.schemas.locales import Registry, registry
from blend.schemas.rows import MAX_ANSWERS, NonAnswer, Response
from blend.schemas.texts import clean, fold

_ANSWER = re.compile(r"(answer|response|reply)s?( ?(?P<number>[0-9]{1,9}))?")
"""Keys of columns that hold answers, whatever is in them."""


class _ImportDone(NamedTuple):
    """Files that an import wrote, and what it left out."""

    written: Mapping[Path, Sequence[Response]] = {}
    """Responses by file; none where a map was proposed."""
    blank: int = 0
    """Questions that somebody left blank; they are no responses."""
    draft: ImportMap | None = None
    """The map that was written to be completed."""
    recognised: int = 0
    """Questions that it names."""
    names_people: bool = True
    """Whether the map says who answered; else every row was taken for a person of its own."""
    key_file: Path | None = None
    """Key of the pseudonyms; null where the table names people by pseudonyms already."""
    unmatched: Sequence[str] = ()
    """Entries of the map that nothing in the table matches, as sentences."""


def import_file(
    rows: Sequence[Cells],
    name: str,
    map_path: Path,
    folder: Path,
    *,
    locales: Registry | None = None,
    has_people: bool = False,
) -> _ImportDone:
    """Import the rows of a table, or draft a map for them where there is none.

    Args:
        rows: Of the table, with every column; values are texts or lists of texts.
        name: Of its file, for messages.
        map_path: The map. Where it does not exist, a draft is written there, and nothing is imported.
        folder: Directory of raw responses whose questions are answered; ``responses/LOCALE.csv`` is written
            there.
        locales: Known locales; the packaged registry when absent.
        has_people: Whether several rows may be one person's, so that the map must say who answered.

    Raises:
        InputError: If the table has no rows, if the folder or the key of the pseudonyms cannot be read, if a
            file of responses is there already, or people whom nobody can tell from those of the table.
        RowError, RowErrors: If the map names columns, questions or locales that are not there, if the table
            holds columns or questions of which the map says nothing, or if a row cannot be a response; names
            every place.
        StorageError: If a file cannot be written.
    """
    known = registry() if locales is None else locales
    before = read_responses(folder, locales=known, reviewing=True, collecting=True)
    questions = before.questions
    if not rows:
        raise InputError(f"{name}: no rows; give the table with people's answers")
    if not os.path.lexists(map_path):
        texts = questions.select(*KEY, "question", "en_question").to_dicts()
        return _draft(rows, name, map_path, texts, known)
    by, diagnostics = read_map(map_path), Diagnostics()
    if by.question is not None:
        # As its cells are read.
        asked_as = {clean(text): template_id for text, template_id in by.questions.items()}
        left_out = tuple(map(clean, by.leave_out_questions))
        by = by.model_copy(update={"questions": asked_as, "leave_out_questions": left_out})
    if by.annotator is None and (has_people or by.question is not None):
        raise InputError(
            f'{map_path}: does not say who answered in {name}; add annotator = "annotator": '
            "only in a table with a column for each question is every row a person"
        )
    _check_columns(rows, by, name, diagnostics)
    diagnostics.raise_problems()
    if by.annotator is None:
        _check_told_apart(before.responses, map_path)
    key_file = None if by.key_file is None else map_path.parent / by.key_file
    key = None if key_file is None else _key_at(key_file)
    asked: dict[str, list[str]] = {}
    for template_id, locale in questions.select(KEY).iter_rows():
        asked.setdefault(locale, []).append(template_id)
    given = [cells for cells in _given(rows, by, key, diagnostics) if _is_asked(cells, by, asked, diagnostics)]
    typed = [cells for cells in given if cells.values["answers"] or cells.values["non_answer"]]
    responses = _responses(typed, known, diagnostics)
    diagnostics.raise_problems()
    written = _write_imported(responses, folder)
    return _ImportDone(
        written,
        len(given) - len(typed),
        names_people=by.annotator is not None,
        key_file=key_file,
        unmatched=list(_unmatched(rows, by)),
    )


def _check_columns(rows: Sequence[Cells], by: ImportMap, name: str, diagnostics: Diagnostics) -> None:
    """Note columns that the map names and the table lacks, and those that it says nothing about."""
    values, where = _by_column(rows), f"{name}:1"
    for column in by.columns:
        if column not in values:
            problem = unknown_name("column", column, list(values), where=where)
            diagnostics.problem(problem.what, where=where, fix=f"correct the map; {problem.fix}")
    for column, texts in values.items():
        if texts and column not in (*by.columns, *by.leave_out):
            fix = "say in the map what it means, or write it into leave_out"
            diagnostics.problem(f"the map says nothing about column {column!r}", where=where, fix=fix)


def _check_told_apart(responses: pl.DataFrame, map_path: Path) -> None:
    """Check that no people are there already whom no table has named: those of this one would be the same.

    Raises:
        InputError: If there are.
    """
    nameless = responses.filter(pl.col("annotator").str.contains(r"^r[0-9]+(-[0-9]+)*$"))
    if not nameless.is_empty():
        who, source = nameless.row(0, named=True)["annotator"], nameless["source"][0].rpartition(":")[0]
        raise InputError(
            f"{map_path}: names no column as annotator, and {source} holds people of a table without names "
            f"({who}), who may be these or others; delete that file and import all rows as one table, or add a "
            "column that says who answered"
        )


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
            texts = _texts(row, answers, by)
            # Beside a non-answer, all other texts are answers, which is told.
            reason = next((text for text in texts if fold(text) in kinds), None)
            kind = None if reason is None else kinds[fold(reason)]
            values = {
                "template_id": template_id,
                "locale": by.locale or _one(row, by.locale_column),
                "annotator": who if key is None or by.annotator is None else pseudonym(who, key),
                "answers": [text for text in texts if reason is None or fold(text) != fold(reason)],
                "non_answer": kind,
                "reason": reason if kind is NonAnswer.OTHER else None,
            }
            where = row.location if by.question else f"{row.location}, column {answers[0]}"
            yield Cells(where, values)


def _texts(row: Cells, columns: Sequence[str], by: ImportMap) -> list[str]:
    """What was typed into some cells of a row, answer by answer."""
    texts = [text for column in columns for text in texts_of_cell(row.values.get(column))]
    if by.separator is not None:
        texts = [part for text in texts for part in text.split(by.separator)]
    return [text.strip() for text in texts if text.strip()]


def _unmatched(rows: Sequence[Cells], by: ImportMap) -> Iterator[str]:
    """Say which non-answers of the map stand in no cell: what was typed instead counts as an answer."""
    typed = {fold(text): text for row in rows for text in _texts(row, by.answers or [*by.questions], by)}
    for text in by.non_answers:
        if fold(text) not in typed:
            yield f"non_answers, {text!r}: nobody typed that{close_to(text, typed.values())}"


def _is_asked(
    cells: Cells,
    by: ImportMap,
    asked: Mapping[str, Sequence[str]],
    diagnostics: Diagnostics,
) -> bool:
    """Whether a question is asked in a locale; what is not is noted."""
    locale, template_id = cells.values["locale"], cells.values["template_id"]
    column = by.question if locale in asked else by.locale_column
    where = f"{cells.location}, column {column}" if column else cells.location
    if locale not in asked:
        diagnostics.problems.append(unknown_name("locale", locale, asked, where=where))
    elif template_id not in asked[locale]:
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


# The draft of a map, for its user to complete.


def _draft(
    rows: Sequence[Cells], name: str, map_path: Path, questions: Sequence[Mapping[str, str]], known: Registry
) -> _ImportDone:
    """Write a first version of the map.

    Columns or rows are recognised as questions by id or text, people by addresses in every row, answers by the
    name of their column, and non-answers by what our own pages say. All other columns stand in ``leave_out``,
    for their user to say what they are.
    """
    values, ids = _by_column(rows), dict[str, str]()
    for question in questions:
        for column in ("question", "en_question", "template_id"):
            ids.setdefault(_key(question[column]), question["template_id"])
    common = _common(values, questions, known)
    rest = [column for column in values if column not in (common["annotator"], common["locale_column"])]
    wide = {column: ids[_key(column)] for column in rest if _key(column) in ids}
    named = {column: {text: ids[_key(text)] for text in values[column] if _key(text) in ids} for column in rest}
    asking = max(rest, key=lambda column: len(named[column]), default="")
    # Wide or long: where more questions are recognised, in the headings or in the cells of one column.
    if len(wide) >= len(named.get(asking, ())):
        recognised = {*wide.values()}
        by = ImportMap(**common, questions=wide, leave_out=[column for column in rest if column not in wide])
    else:
        recognised = {*named[asking].values()}
        rest.remove(asking)
        numbered = {column: found for column in rest if (found := _ANSWER.fullmatch(_key(column)))}
        # No export has the page's order: answer 10 stands behind answer 2.
        answers = sorted(numbered, key=lambda column: int(numbered[column]["number"] or 0))
        by = ImportMap(
            **common,
            question=asking,
            # A cell that holds the id itself needs no entry.
            questions={text: name for text, name in sorted(named[asking].items()) if text != name},
            answers=answers,
            leave_out=[column for column in rest if column not in answers],
            leave_out_questions=sorted(set(values[asking]) - named[asking].keys()),
        )
    # Reversed, so that of a template's locales the first one's English stays.
    templates = {one["template_id"]: one["en_question"] for one in reversed(questions)}
    text = map_text(by, name, None if recognised else dict(sorted(templates.items())))
    write_new_files(map_path.parent, {map_path.name: text}, beside_others=True, parameter="map")
    return _ImportDone(draft=by, recognised=len(recognised))


def _common(
    values: Mapping[str, Sequence[str]], questions: Sequence[Mapping[str, str]], known: Registry
) -> dict[str, Any]:
    """Who answered, in which locale, and which texts are no answers; null where the table does not tell.

    A locale is known by its questions' texts, in its own language or in English, which names the country.
    """
    tags = {question["locale"] for question in questions}
    seen = {_key(text) for name, texts in values.items() for text in (name, *texts)}
    found = Counter(
        one["locale"] for one in questions for text in ("question", "en_question") if _key(one[text]) in seen
    )
    # Several where the texts fit them equally well; then the map names none of them.
    best = [tag for tag, number in found.items() if number == max(found.values())]
    column = next((name for name, texts in values.items() if texts and set(texts) <= tags), None)
    people = [name for name, texts in values.items() if texts and all("@" in text for text in texts)]
    people += [name for name in values if name == WHO]
    typed = {fold(text): text for texts in values.values() for text in texts}
    non_answers = dict[str, str]()
    for language in sorted({known.get(tag).language for tag in tags} | {"en"}):
        for kind in ("idk", "no-answer", "not-applicable"):
            for text in (ui_strings_of(language)[kind], kind):
                if fold(text) in typed:
                    non_answers[typed[fold(text)]] = kind
    return {
        "annotator": next(iter(people), None),
        "key_file": "annotators.key" if people else None,
        "locale": best[0] if column is None and len(best) == 1 else None,
        "locale_column": column,
        "non_answers": non_answers,
    }


def _by_column(rows: Sequence[Cells]) -> dict[str, list[str]]:
    """The texts of every column."""
    columns = dict.fromkeys(column for row in rows for column in row.values)
    return {name: [text for row in rows for text in texts_of_cell(row.values.get(name))] for name in columns}


def _key(text: str) -> str:
    """Return the form in which texts are compared: without case, punctuation and accents."""
    return " ".join("".join(c if c.isalnum() else " " for c in fold(text)).split())


# Files.


def _write_imported(
    responses: Mapping[str, Sequence[Response]], folder: Path
) -> dict[Path, Sequence[Response]]:
    """Write ``responses/LOCALE.csv`` for every locale into a directory of raw responses, replacing nothing."""
    paths = {f"responses/{locale}.csv": rows for locale, rows in responses.items()}
    answers = {f"answer_{n + 1}": pl.col("answers").list.get(n, null_on_oob=True) for n in range(MAX_ANSWERS)}
    contents = {}
    for path, rows in paths.items():
        table = pl.DataFrame([one.model_dump() for one in rows], RESPONSES).with_columns(**answers)
        order = ("template_id", "annotator", *answers, "non_answer", "reason")
        contents[path] = table.sort("template_id", "annotator").select(order).write_csv()
    remedy = (
        "delete it where this is the same table again, or rename it to responses/LOCALE.first.csv, which is "
        "read as well, and import again"
    )
    write_new_files(folder, contents, beside_others=True, parameter="out", remedy=remedy)
    return {folder / path: rows for path, rows in paths.items()}


def _key_at(path: Path) -> bytes:
    """The key of the pseudonyms, made where there is none.

    Raises:
        InputError: As `project.read_key`.
    """
    if not os.path.lexists(path):
        write_new_files(path.parent, {path.name: new_key()}, private=(path.name,), beside_others=True)
    return read_key(path)
