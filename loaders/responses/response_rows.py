"""Rows of raw responses: what every kind of file holds, each row checked against its model.

Whether the rows of several files fit together is not asked here; see `links`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple

from blend.loaders.files.checked import Checked, Placed, R, checked
from blend.loaders.files.content import location_of
from blend.loaders.files.diagnostics import Diagnostics, unknown_locale
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.files.tables import TABLE_SUFFIXES
from blend.loaders.responses.links import AskedQuestion
from blend.loaders.responses.response_files import ResponseFiles
from blend.schemas.errors import RowError
from blend.schemas.language.answer_formats import format_of
from blend.schemas.language.locales import Registry
from blend.schemas.rows.published_rows import (
    LONGEST_ANSWER,
    MAX_ANSWERS,
    NonAnswer,
    Prompt,
    QuestionTemplate,
    Response,
    Review,
)

_ANSWER_COLUMNS = tuple(f"answer_{number}" for number in range(1, MAX_ANSWERS + 1))
_ONE_TOO_MANY = f"answer_{MAX_ANSWERS + 1}"
"""Column that is read as well, so that a fourth answer is an error of its row."""


class ResponseRows(NamedTuple):
    """Rows of raw responses, each valid by itself."""

    templates: Checked[QuestionTemplate]
    questions: Checked[AskedQuestion]
    responses: Checked[Response]
    reviews: Checked[Review]
    prompts: Checked[Prompt]


def read_response_rows(
    files: ResponseFiles, root: Path, known: Registry, diagnostics: Diagnostics, *, encoding: str | None
) -> ResponseRows:
    """The valid rows of all files; whatever is wrong with others is noted.

    Args:
        files: What is read.
        root: Folder that locations are relative to.
        known: Known locales.
        diagnostics: Takes problems and findings.
        encoding: Of tables; see `loaders.files.encodings.read_text`.
    """
    rows = ResponseRows(
        _table(_TEMPLATES, files.templates, root, known, diagnostics, encoding),
        _table(_QUESTIONS, files.questions, root, known, diagnostics, encoding),
        _table(_RESPONSES, files.responses, root, known, diagnostics, encoding),
        _table(_REVIEWS, files.reviews, root, known, diagnostics, encoding),
        _table(_PROMPTS, files.prompts, root, known, diagnostics, encoding),
    )
    # Rows stand where nobody reads them, so nothing can be said to be missing.
    return rows._replace(**{part: getattr(rows, part)._replace(is_complete=False) for part in files.unread})


@dataclass(frozen=True, slots=True)
class _Kind(Generic[R]):
    """A kind of file: its columns, and how its rows become models."""

    model: type[R]
    columns: Columns
    values: Callable[[Cells], dict[str, Any]]
    """From the cells of a row to the fields of the model."""
    locale_column: str
    """Column that holds a locale."""
    named_for_locale: bool = False
    """Whether a file without the locale column is named for its locale."""


def _table(
    kind: _Kind[R],
    files: Sequence[Path],
    folder: Path,
    known: Registry,
    diagnostics: Diagnostics,
    encoding: str | None,
) -> Checked[R]:
    """The valid rows of all files of a kind; whatever is wrong with others is noted."""
    own = diagnostics.part()
    rows: list[Placed[R]] = []
    for file in files:
        with own.collected():
            cells = read_rows(file, folder, own, kind.columns, encoding=encoding)
            if kind.model is Review and not cells:
                fix = "restore it, or delete it if nobody has reviewed anything"
                own.problem("the file holds no review", where=location_of(file, folder), fix=fix)
            if kind.model is Prompt and not cells:
                fix = "write prompts, or delete the file if no model is to be asked"
                own.problem("the file holds no prompt", where=location_of(file, folder), fix=fix)
            if kind.model is Response and file.suffix.lower() in TABLE_SUFFIXES:
                _check_answer_columns(cells, location_of(file, folder))
            if kind.named_for_locale:
                cells = _with_locale(cells, file, folder, known)
            rows += [row for row in (_row(kind, row, known, own) for row in cells) if row is not None]
    diagnostics.problems.extend(own.problems)
    return Checked(rows, is_complete=not own.problems)


def _check_answer_columns(rows: Sequence[Cells], where: str) -> None:
    """Raise once for a table without a column of answers, and not for each of its rows."""
    if rows and not {"answer_1", "answers"} & rows[0].values.keys():
        there = ", ".join(map(repr, rows[0].values))
        fix = f"name the column of (first) answers so; there are {there}"
        raise RowError("column 'answer_1' is missing", where=where, fix=fix)


def _row(kind: _Kind[R], cells: Cells, known: Registry, diagnostics: Diagnostics) -> Placed[R] | None:
    with diagnostics.collected():
        values = kind.values(cells)
        tag = values[kind.locale_column]
        # A blank is told as in any other column.
        if isinstance(tag, str) and tag.strip() and tag not in known:
            where = f"{cells.location}, column {kind.locale_column}"
            diagnostics.unknown_locale(tag, known, where=where)
            return None
        return checked(kind.model, values, cells.location, diagnostics)
    return None


def _with_locale(rows: Sequence[Cells], file: Path, folder: Path, known: Registry) -> list[Cells]:
    """The rows, those without a locale with the one that their file is named for."""
    location, stem = location_of(file, folder), file.stem
    before_dot = stem.partition(".")[0]
    name = before_dot if before_dot in known else stem
    if name not in known and not all(cells.values.get("locale") for cells in rows):
        error = unknown_locale(name, known, where=location)
        fix = f"name the file for its locale, or add column locale; {error.fix}"
        raise RowError(error.what, where=location, fix=fix)
    for cells in rows:
        given = cells.values.get("locale") or name
        if name in known and given != name:
            where = f"{cells.location}, column locale"
            fix = "move the row to that locale's file, or rename the file"
            raise RowError(f"a row of {given!r} in the file of {name!r}", where=where, fix=fix)
    return [
        Cells(cells.location, {**cells.values, "locale": cells.values.get("locale") or name}) for cells in rows
    ]


def _template_values(cells: Cells) -> dict[str, Any]:
    values = cells.values
    answer_format = format_of(str(values["text"]))
    return {**values, "source_locale": values["source_locale"] or None, "answer_format": answer_format}


def _question_values(cells: Cells) -> dict[str, Any]:
    return cells.values


def _prompt_values(cells: Cells) -> dict[str, Any]:
    return cells.values


def _review_values(cells: Cells) -> dict[str, Any]:
    # A column of a Parquet file may be null where a line of JSONL has no key.
    return {name: value for name, value in cells.values.items() if value is not None}


def _response_values(cells: Cells) -> dict[str, Any]:
    if not str(cells.values["annotator"] or "").strip():
        fix = "write who answered, or delete the row if it is none of a person's, such as a total"
        raise RowError("the value is blank", where=f"{cells.location}, column annotator", fix=fix)
    answers = _answers(cells)
    for number, answer in enumerate(answers if isinstance(answers, list) else (), start=1):
        if len(str(answer)) > LONGEST_ANSWER:
            what = f"an answer of {len(answer):,} characters, {answer[:20] + '…'!r}"
            fix = f"write the answer alone, in at most {LONGEST_ANSWER:,} characters"
            raise RowError(what, where=f"{cells.location}, column answer_{number}", fix=fix)
    non_answer, reason = cells.values.get("non_answer") or None, cells.values.get("reason") or None
    if contradiction := _contradiction(answers, non_answer, reason):
        what, fix = contradiction
        raise RowError(what, where=cells.location, fix=fix)
    keys = {name: cells.values[name] for name in ("template_id", "locale", "annotator")}
    return {**keys, "answers": answers, "non_answer": non_answer, "reason": reason}


def _contradiction(answers: Any, non_answer: Any, reason: Any) -> tuple[str, str] | None:
    """Say what is wrong with answers, non-answer and reason together, and what to do about it."""
    if isinstance(answers, list) and len(answers) > MAX_ANSWERS:
        what = f"{len(answers)} answers, but an annotator gives up to {MAX_ANSWERS}"
        return what, f"keep the first {MAX_ANSWERS}"
    if non_answer not in (None, *NonAnswer) and reason in tuple(NonAnswer):
        what = f"column reason holds the non-answer {reason!r}, column non_answer {non_answer!r}"
        return what, "exchange the two, or their names in the header"
    if non_answer is None and reason in tuple(NonAnswer):
        return f"column reason holds the non-answer {reason!r}", "move it to column non_answer"
    if answers and non_answer is not None:
        return f"answers and the non-answer {non_answer!r}", "keep the one or the other"
    if not answers and non_answer is None:
        return "neither an answer nor a non-answer", f"fill in one; the non-answers are {', '.join(NonAnswer)}"
    if non_answer == NonAnswer.OTHER and reason is None:
        return "the non-answer 'other' without a reason", "write the annotator's own words in column reason"
    if non_answer != NonAnswer.OTHER and reason is not None:
        return "a reason without the non-answer 'other'", "remove the reason, or write non-answer 'other'"
    return None


def _answers(cells: Cells) -> Any:
    """The answers from the list in column ``answers``, or from the columns of single answers."""
    listed = cells.values.get("answers")
    columns = (*_ANSWER_COLUMNS, _ONE_TOO_MANY)
    filled = [(name, answer) for name in columns if (answer := cells.values.get(name)) not in (None, "")]
    if listed is None:
        for column, answer in filled:
            if not str(answer).strip():
                fix = "empty the cell, or write the answer"
                raise RowError("the answer is blank", where=f"{cells.location}, column {column}", fix=fix)
        return [answer for _, answer in filled]
    if filled:
        names = ", ".join(name for name, _ in filled)
        raise RowError(
            f"answers both in answers and in {names}", where=cells.location, fix="use one of the two"
        )
    if isinstance(listed, str):
        fix = "write single answers to answer_1, answer_2 and answer_3"
        raise RowError("text in place of a list", where=f"{cells.location}, column answers", fix=fix)
    return listed


_TEMPLATES = _Kind(
    QuestionTemplate,
    Columns(("template_id", "topic", "source_locale", "text"), typed=True),
    values=_template_values,
    locale_column="source_locale",
)
_QUESTIONS = _Kind(
    AskedQuestion,
    Columns(("template_id", "locale", "question", "en_question"), typed=True),
    values=_question_values,
    locale_column="locale",
)
_PROMPTS = _Kind(
    Prompt,
    Columns(("prompt_id", "locale", "prompt", "en_prompt"), typed=True),
    values=_prompt_values,
    locale_column="locale",
)
_RESPONSES = _Kind(
    Response,
    Columns(
        ("template_id", "annotator"),
        optional=(*_ANSWER_COLUMNS, "answers", "non_answer", "reason", "locale"),
        tolerated=(_ONE_TOO_MANY,),
        typed=True,
        instead="; or let `blend responses import` read a form with a column per question",
    ),
    values=_response_values,
    locale_column="locale",
    named_for_locale=True,
)
_REVIEWS = _Kind(
    Review,
    Columns(("template_id", "reviewer"), optional=("invalid", "reasons", "groups", "locale")),
    values=_review_values,
    locale_column="locale",
    named_for_locale=True,
)
