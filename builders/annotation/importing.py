"""Importing: responses from somebody else's table, by a map that says what its columns mean.

A *wide* table has a row for every person and a column for every question, as Google Forms saves them; a *long*
one a row for every answer, as Label Studio's exports become (`loaders.label_studio.foreign`). The map is a file
that people check: `proposed_map` is a first version, and nothing is imported by it until it is given.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from blend.loaders.files.diagnostics import Diagnostics, checked, unknown_name
from blend.loaders.files.rows import Cells, text_of
from blend.loaders.files.tables import refuse_rewritten
from blend.loaders.files.toml import ImportMap
from blend.schemas.errors import InputError, RowError
from blend.schemas.locales import Registry
from blend.schemas.rows import MAX_ANSWERS, NonAnswer, Response
from blend.schemas.texts import clean, fold, pluralise

_Named = Callable[[str], str]


class Imported(NamedTuple):
    """Responses and findings that a table became."""

    responses: dict[str, list[Response]]
    """By locale, in the order of the file."""
    blank: int
    """Questions that somebody left blank; they are no responses."""


class _Source(NamedTuple):
    """Texts of a person for one question, and their location."""

    location: str
    template_id: str
    locale: str
    annotator: str
    texts: list[str]


def import_responses(
    rows: Sequence[Cells],
    by: ImportMap,
    *,
    asked: Mapping[str, Sequence[str]],
    locales: Registry,
    named: _Named,
    name: str,
) -> Imported:
    """The responses in a table.

    Args:
        rows: Of the table, with every column; values are texts or lists of texts.
        by: What its columns mean.
        asked: Ids of the templates that are asked, by locale.
        locales: Known locales.
        named: From what the table calls a person to a pseudonym.
        name: What messages call the file.

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
    for given in _given(rows, by, named, diagnostics):
        if not _is_asked(given, by, asked, locales, diagnostics):
            continue
        if not given.texts:
            blank += 1
            continue
        with diagnostics.collected():
            response = checked(Response, _values(given, by), given.location, diagnostics)
            if response is None:
                continue
            key = (given.template_id, given.locale, given.annotator)
            if key in first:
                what = f"{given.annotator!r} answers {given.template_id!r} a second time"
                raise RowError(what, where=given.location, fix=f"delete this row or {first[key]}")
            first[key] = given.location
            found.setdefault(given.locale, []).append(response.row)
    diagnostics.raise_problems()
    return Imported(found, blank)


def _check_columns(rows: Sequence[Cells], by: ImportMap, name: str, diagnostics: Diagnostics) -> None:
    """Note columns that the map names and the table lacks, and those that it says nothing about."""
    present = list(dict.fromkeys(column for row in rows for column in row.values))
    used = [*by.columns, *by.leave_out]
    where = f"{name}:1"
    for column in by.columns:
        if column not in present:
            problem = unknown_name("column", column, present, where=where)
            diagnostics.problem(problem.what, where=where, fix=f"correct the map; {problem.fix}")
    for column in present:
        if column not in used and any(_texts(row.values.get(column)) for row in rows):
            fix = "say in the map what it means, or write it into leave_out"
            diagnostics.problem(f"the map says nothing about column {column!r}", where=where, fix=fix)


def _given(rows: Sequence[Cells], by: ImportMap, named: _Named, diagnostics: Diagnostics) -> Iterator[_Source]:
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
        who = named(who)
        if by.question is not None:
            asked = _one(row, by.question)
            if asked in by.leave_out_questions:
                continue
            template_id = by.questions.get(asked, asked)
            yield _Source(row.location, template_id, locale, who, _all(row, by.answers, by.separator))
            continue
        for template_id, columns in by.columns_by_template.items():
            yield _Source(row.location, template_id, locale, who, _all(row, columns, by.separator))


def _is_asked(
    given: _Source,
    by: ImportMap,
    asked: Mapping[str, Sequence[str]],
    locales: Registry,
    diagnostics: Diagnostics,
) -> bool:
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


def _values(given: _Source, by: ImportMap) -> dict[str, Any]:
    """The fields of a response."""
    kinds = {fold(text): NonAnswer(kind) for text, kind in by.non_answers.items()}
    reasons = [text for text in given.texts if fold(text) in kinds]
    values: dict[str, Any] = {
        "template_id": given.template_id,
        "locale": given.locale,
        "annotator": given.annotator,
        "answers": [text for text in given.texts if fold(text) not in kinds],
        "non_answer": None,
        "reason": None,
    }
    if reasons:
        if len(given.texts) > 1:
            what = (
                f"{reasons[0]!r}, which is a non-answer, beside {pluralise(len(given.texts) - 1, 'other text')}"
            )
            raise RowError(what, where=given.location, fix="keep the one or the other")
        kind = kinds[fold(reasons[0])]
        values["non_answer"], values["reason"] = kind, reasons[0] if kind is NonAnswer.OTHER else None
    if len(values["answers"]) > MAX_ANSWERS:
        n = len(values["answers"])
        what = f"{n} answers to {given.template_id!r}, but an annotator gives up to {MAX_ANSWERS}"
        raise RowError(what, where=given.location, fix=f"keep the first {MAX_ANSWERS}")
    return values


def _texts(value: Any) -> list[str]:
    """The texts of a cell."""
    listed = value if isinstance(value, list) else [value]
    return [text_of(text) for text in listed if text is not None and str(text).strip()]


def _one(row: Cells, column: str | None) -> str:
    return clean(" ".join(_texts(row.values.get(column)))) if column is not None else ""


def _all(row: Cells, columns: Sequence[str], separator: str | None) -> list[str]:
    texts = [text for column in columns for text in _texts(row.values.get(column))]
    if separator is not None:
        texts = [part for text in texts for part in text.split(separator)]
    return [text.strip() for text in texts if text.strip()]


def response_table(responses: Sequence[Response]) -> list[list[str]]:
    """Responses as the lines of a file of responses, with its header."""
    columns = [f"answer_{number}" for number in range(1, MAX_ANSWERS + 1)]
    lines = [["template_id", "annotator", *columns, "non_answer", "reason"]]
    for one in sorted(responses, key=lambda one: (one.template_id, one.annotator)):
        answers = [*one.answers, *[""] * (MAX_ANSWERS - len(one.answers))]
        lines.append([one.template_id, one.annotator, *answers, one.non_answer or "", one.reason or ""])
    return lines


class Proposed(NamedTuple):
    """A first version of a map."""

    map: ImportMap
    recognised: int
    """Questions that it imports."""


def proposed_map(
    rows: Sequence[Cells], questions: Sequence[Mapping[str, str]], non_answers: Mapping[str, str]
) -> Proposed:
    """A first version of the map of a table, for its user to check.

    Columns and questions are recognised by id or text, people by the name of their column or by addresses in
    it, answers by the name of their column or since they differ; what is not recognised stands in
    ``leave_out``.

    Args:
        rows: Of the table, with every column.
        questions: ``template_id``, ``locale``, ``question`` and ``en_question`` of those that are asked.
        non_answers: Texts that say that there is no answer, and what kind they are.

    Raises:
        InputError: If the table has no rows.
    """
    if not rows:
        raise InputError("the table has no rows; give the one with people's answers")
    columns = list(dict.fromkeys(column for row in rows for column in row.values))
    values = {column: [text for row in rows for text in _texts(row.values.get(column))] for column in columns}
    known: dict[str, str] = {}
    for question in questions:
        for column in ("question", "en_question", "template_id"):
            known.setdefault(_key(question[column]), question["template_id"])
    wide = {column: known[_key(column)] for column in columns if _key(column) in known}
    long = {column: {text for text in values[column] if _key(text) in known} for column in columns}
    asking = max(columns, key=lambda column: len(long[column]), default=None)
    texts_found = {fold(text): text for texts in values.values() for text in texts}
    person = next((column for column in columns if _names_people(column, values[column])), None)
    common: dict[str, Any] = {
        **_proposed_locale(values, questions),
        "annotator": person,
        "non_answers": {
            texts_found[fold(text)]: kind for text, kind in non_answers.items() if fold(text) in texts_found
        },
    }
    if asking is None or not (wide or long[asking]):
        rest = [name for name in columns if name not in (person, common["locale_column"])]
        return Proposed(ImportMap(**common, leave_out=rest), 0)
    if len(wide) >= len(long[asking]):
        rest = [name for name in columns if name not in (*wide, person, common["locale_column"])]
        return Proposed(ImportMap(**common, questions=wide, leave_out=rest), len(set(wide.values())))
    rest = [name for name in columns if name not in (asking, person, common["locale_column"])]
    answers = [
        name
        for name in rest
        if _ANSWER.fullmatch(_key(name)) or (_is_answered(rows, asking, name) and _key(name) not in _MACHINE)
    ]
    # Of answer 1, 2 and 3 a person may have filled in the first alone, or all the same.
    series = {_unnumbered(name) for name in answers if name[-1:].isdigit()}
    answers = [name for name in rest if name in answers or _unnumbered(name) in series]
    answers.sort(key=_natural)
    chosen = {text: known[_key(text)] for text in sorted(long[asking])}
    by = ImportMap(
        **common,
        question=asking,
        questions={text: template_id for text, template_id in chosen.items() if text != template_id},
        answers=answers,
        leave_out=[name for name in rest if name not in answers],
        leave_out_questions=sorted(set(values[asking]) - chosen.keys()),
    )
    return Proposed(by, len(set(chosen.values())))


def _proposed_locale(
    values: Mapping[str, Sequence[str]], questions: Sequence[Mapping[str, str]]
) -> dict[str, str | None]:
    """``locale`` or ``locale_column`` of a map; both null where the table does not tell the locale.

    The texts in the locale's own language tell most; those in English name the country.
    """
    tags = sorted({question["locale"] for question in questions})
    column = next((name for name, texts in values.items() if texts and set(texts) <= {*tags}), None)
    seen = {_key(text) for name, texts in values.items() for text in (name, *set(texts))}
    found = {
        tag: tuple(
            sum(_key(one[text]) in seen for one in questions if one["locale"] == tag)
            for text in ("question", "en_question")
        )
        for tag in tags
    }
    best = max(found.values())
    tied = [tag for tag in tags if found[tag] == best]
    return {"locale": tied[0] if column is None and len(tied) == 1 else None, "locale_column": column}


_PEOPLE = (
    *("annotator", "annotators", "email", "e mail", "email address", "e mail address", "completed by", "user"),
    *("username", "participant", "participant id", "respondent", "respondent id", "worker", "worker id"),
)
_MACHINE = (
    *("id", "annotation id", "created at", "updated at", "lead time", "timestamp", "time", "date", "agreement"),
    *("draft", "predictions"),
)


def _key(text: str) -> str:
    """Return the form in which texts are compared: without case, punctuation and accents."""
    return " ".join("".join(c if c.isalnum() else " " for c in fold(text)).split())


_ANSWER = re.compile(r"(answer|response|reply)s?( ?[0-9]+)?")
"""Keys of columns that hold answers, whatever is in them."""


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what answers are sorted by, ``answer_2`` before ``answer_10``; no export has the page's order."""
    parts = re.split(r"0*([0-9]+)", name)
    return [(len(part) if number % 2 else 0, part) for number, part in enumerate(parts)]


def _unnumbered(name: str) -> str:
    return name.rstrip("0123456789")


def _names_people(column: str, texts: Sequence[str]) -> bool:
    return _key(column) in _PEOPLE or (bool(texts) and all("@" in text for text in texts))


def _is_answered(rows: Sequence[Cells], asking: str, column: str) -> bool:
    """Whether a column holds answers: lists, blanks, or several things for one question.

    What a task shows is in all its rows, and the same there.
    """
    seen: dict[str, list[str]] = {}
    for row in rows:
        texts = _texts(row.values.get(column))
        if isinstance(row.values.get(column), list) or not texts:
            return True
        if seen.setdefault(_one(row, asking), texts) != texts:
            return True
    return False
