"""The guess at a map: what the columns of a table mean, for its user to check."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blend.loaders.files.rows import Cells
from blend.loaders.label_studio.foreign import texts_of_cell
from blend.loaders.responses.import_map import ImportMap
from blend.schemas.errors import InputError
from blend.schemas.texts import fold

_PEOPLE = (
    *("annotator", "annotators", "email", "e mail", "email address", "e mail address", "completed by", "user"),
    *("username", "participant", "participant id", "respondent", "respondent id", "worker", "worker id"),
)
_MACHINE = (
    *("id", "annotation id", "created at", "updated at", "lead time", "timestamp", "time", "date", "agreement"),
    *("draft", "predictions"),
)
_ANSWER = re.compile(r"(answer|response|reply)s?( ?[0-9]+)?")
"""Keys of columns that hold answers, whatever is in them."""


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
    values = {name: [text for row in rows for text in texts_of_cell(row.values.get(name))] for name in columns}
    known: dict[str, str] = {}
    for question in questions:
        for column in ("question", "en_question", "template_id"):
            known.setdefault(_key(question[column]), question["template_id"])
    wide = {column: known[_key(column)] for column in columns if _key(column) in known}
    long = {column: {text for text in values[column] if _key(text) in known} for column in columns}
    asking = max(columns, key=lambda column: len(long[column]))
    common = _common(values, questions, non_answers)
    rest = [name for name in columns if name not in (common["annotator"], common["locale_column"])]
    if len(wide) >= len(long[asking]):
        left = [name for name in rest if name not in wide]
        return Proposed(ImportMap(**common, questions=wide, leave_out=left), len(set(wide.values())))
    rest.remove(asking)
    answers = [name for name in rest if _ANSWER.fullmatch(_key(name)) or _is_answered(rows, asking, name)]
    # Of answer 1, 2 and 3 a person may have filled in the first alone, or all the same.
    series = {_unnumbered(name) for name in answers if name[-1:].isdigit()}
    answers = sorted((name for name in rest if name in answers or _unnumbered(name) in series), key=_natural)
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


def _common(
    values: Mapping[str, Sequence[str]], questions: Sequence[Mapping[str, str]], non_answers: Mapping[str, str]
) -> dict[str, Any]:
    """Who answered, in which locale, and which texts are no answers; null where the table does not tell.

    The texts in a locale's own language tell most; those in English name the country.
    """
    tags = sorted({question["locale"] for question in questions})
    column = next((name for name, texts in values.items() if texts and set(texts) <= {*tags}), None)
    seen = {_key(text) for name, texts in values.items() for text in (name, *set(texts))}
    found = {
        tag: [
            sum(_key(one[text]) in seen for one in questions if one["locale"] == tag)
            for text in ("question", "en_question")
        ]
        for tag in tags
    }
    best = [tag for tag in tags if found[tag] == max(found.values())]
    texts_found = {fold(text): text for texts in values.values() for text in texts}
    return {
        "annotator": next((name for name, texts in values.items() if _names_people(name, texts)), None),
        "locale": best[0] if column is None and len(best) == 1 else None,
        "locale_column": column,
        "non_answers": {
            texts_found[fold(text)]: kind for text, kind in non_answers.items() if fold(text) in texts_found
        },
    }


def _key(text: str) -> str:
    """Return the form in which texts are compared: without case, punctuation and accents."""
    return " ".join("".join(c if c.isalnum() else " " for c in fold(text)).split())


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
    if _key(column) in _MACHINE:
        return False
    seen: dict[str, list[str]] = {}
    for row in rows:
        texts = texts_of_cell(row.values.get(column))
        if isinstance(row.values.get(column), list) or not texts:
            return True
        if seen.setdefault(" ".join(texts_of_cell(row.values.get(asking))), texts) != texts:
            return True
    return False
