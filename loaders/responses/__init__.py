"""Raw responses: what annotators typed and what reviewers decided, from a directory of files.

``docs/responses.md`` describes the directory column by column.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple

import polars as pl

from blend.loaders.files.checked import Checked, Placed, R, checked
from blend.loaders.files.content import location_of
from blend.loaders.files.diagnostics import Diagnostics, unknown_name
from blend.loaders.files.rows import SUFFIXES, Cells, Columns, read_rows
from blend.loaders.files.tables import only_named
from blend.loaders.responses.characters import find_hidden_characters
from blend.loaders.responses.countries import check_countries
from blend.loaders.responses.links import AskedQuestion, check_links, check_prompts
from blend.schemas.errors import InputError, RowError
from blend.schemas.language.answer_formats import format_of
from blend.schemas.language.locales import Registry, registry
from blend.schemas.rows.frame_columns import KEY, PROMPT_KEY, PROMPTS, QUESTIONS, RESPONSES, REVIEWS
from blend.schemas.rows.published_rows import MAX_ANSWERS, NonAnswer, Prompt, QuestionTemplate, Response, Review

_HIDDEN = (".", "~$")  # with the second, a spreadsheet marks files that are open in it
_REVIEW_SUFFIXES = (".jsonl", ".parquet")  # lists of groups have no place in CSV

_ANSWER_COLUMNS = tuple(f"answer_{number}" for number in range(1, MAX_ANSWERS + 1))
_ONE_TOO_MANY = f"answer_{MAX_ANSWERS + 1}"
"""Column that is read as well, so that a fourth answer is an error of its row."""


class ResponseTables(NamedTuple):
    """Raw responses as frames."""

    questions: pl.DataFrame
    """`frame_columns.QUESTIONS`, ordered by template and locale."""
    responses: pl.DataFrame
    """`frame_columns.RESPONSES`, ordered by template, locale and annotator."""
    reviews: pl.DataFrame
    """`frame_columns.REVIEWS`, ordered by template and locale; without rows when there are no reviews."""
    prompts: pl.DataFrame
    """`frame_columns.PROMPTS`, ordered by locale and id; without rows when there are no prompts."""
    findings: pl.DataFrame
    """`frame_columns.FINDINGS`."""


def read_responses(
    folder: Path | str,
    *,
    locales: Registry | None = None,
    reviewing: bool = False,
    collecting: bool = False,
    encoding: str | None = None,
) -> ResponseTables:
    """The questions, responses and reviews in a directory of raw responses.

    Args:
        folder: Holds ``templates`` and ``questions`` (one file each: a table, JSON Lines or Parquet),
            ``responses/`` with files of the same kinds, and perhaps ``prompts`` (one file) and
            ``reviews/`` with JSONL or Parquet files.
        locales: Known locales; the packaged registry when absent.
        reviewing: Whether the answers are about to be reviewed; then those pass that are not in the format that
            their question asks for, about which only a reviewer can decide.
        collecting: Whether responses are still being collected; then there may be none yet.
        encoding: Of tables; see `loaders.files.encodings.read_text`.

    Returns:
        The tables. Answers are exactly as typed. The answer format of a question is its template's.

    Raises:
        InputError: If the directory or one of its parts does not exist.
        RowError, RowErrors: If anything in the files breaks its contract; names all places at once.
    """
    known = registry() if locales is None else locales
    folder, diagnostics = Path(folder), Diagnostics()
    files = _layout(folder, diagnostics, collecting=collecting)
    all_read = not diagnostics.problems
    templates = _table(_TEMPLATES, files["templates"], folder, known, diagnostics, encoding)
    questions = _table(_QUESTIONS, files["questions"], folder, known, diagnostics, encoding)
    responses = _table(_RESPONSES, files["responses"], folder, known, diagnostics, encoding)
    reviews = _table(_REVIEWS, files["reviews"], folder, known, diagnostics, encoding)
    prompts = _table(_PROMPTS, files["prompts"], folder, known, diagnostics, encoding)
    if not all_read:  # rows stand where nobody reads them, so nothing can be said to be missing
        responses, reviews = responses._replace(is_complete=False), reviews._replace(is_complete=False)
    check_links(templates, questions, responses, reviews, diagnostics, reviewing=reviewing)
    check_prompts(prompts, questions, diagnostics)
    if templates.is_complete:
        check_countries(questions.rows, templates.rows, known, diagnostics)
    diagnostics.raise_problems()
    find_hidden_characters(
        templates.rows, questions.rows, responses.rows, reviews.rows, prompts.rows, known, diagnostics
    )
    return ResponseTables(
        questions=_question_frame(questions.rows, templates.rows, known),
        responses=_frame(responses.rows, RESPONSES).sort(*KEY, "annotator"),
        reviews=_frame(reviews.rows, REVIEWS).sort(KEY),
        prompts=_prompt_frame(prompts.rows, known),
        findings=diagnostics.findings_frame(),
    )


def response_files(folder: Path) -> list[Path]:
    """The files that `read_responses` reads.

    Raises:
        InputError: If the directory or one of its parts does not exist.
    """
    diagnostics = Diagnostics()
    files = _layout(folder, diagnostics)
    diagnostics.raise_problems()
    return sorted(path for paths in files.values() for path in paths)


def _layout(folder: Path, diagnostics: Diagnostics, *, collecting: bool = False) -> dict[str, list[Path]]:
    """The files of a directory of raw responses, by what they hold."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; give a directory of raw responses")
    _check_overlooked(folder, diagnostics)
    files = {
        "templates": [_single_file(folder, "templates")],
        "questions": [_single_file(folder, "questions")],
        "prompts": [] if (prompts := only_named(folder, "prompts", SUFFIXES)) is None else [prompts],
        "responses": _files(folder, "responses", SUFFIXES, diagnostics),
        "reviews": _files(folder, "reviews", _REVIEW_SUFFIXES, diagnostics),
    }
    if not files["responses"] and not diagnostics.problems and not collecting:
        raise InputError(
            f"{folder}: no files in its folder 'responses'; add them as docs/responses.md describes"
        )
    return files


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
            if kind.named_for_locale:
                cells = _with_locale(cells, file, folder, known)
            rows += [row for row in (_row(kind, row, known, own) for row in cells) if row is not None]
    diagnostics.problems.extend(own.problems)
    return Checked(rows, is_complete=not own.problems)


def _row(kind: _Kind[R], cells: Cells, known: Registry, diagnostics: Diagnostics) -> Placed[R] | None:
    with diagnostics.collected():
        values = kind.values(cells)
        tag = values[kind.locale_column]
        if isinstance(tag, str) and tag not in known:
            where = f"{cells.location}, column {kind.locale_column}"
            raise unknown_name("locale", tag, known.tags, where=where)
        return checked(kind.model, values, cells.location, diagnostics)
    return None


def _with_locale(rows: Sequence[Cells], file: Path, folder: Path, known: Registry) -> list[Cells]:
    """The rows, those without a locale with the one that their file is named for."""
    location, name = location_of(file, folder), file.stem
    if name not in known and not all(cells.values.get("locale") for cells in rows):
        error = unknown_name("locale", name, known.tags, where=location)
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


def _check_overlooked(folder: Path, diagnostics: Diagnostics) -> None:
    """Note what nobody would read because of its name: ``Reviews/``, ``review/``, ``reviews.jsonl``."""
    for path in sorted(folder.iterdir()):
        base = path.name.partition(".")[0].casefold()
        for name in ("responses", "reviews"):
            meant = base in (name, name.removesuffix("s"))
            # A file system without regard for case finds the folder under the right name as well.
            if meant and path.name != name and not _is_same(path, folder / name):
                fix = f"the files belong into the folder {name!r}, one per locale; move or rename it"
                diagnostics.problem("nothing of that name is read", where=path.name, fix=fix)


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _single_file(folder: Path, name: str) -> Path:
    found = only_named(folder, name, SUFFIXES)
    if found is None:
        endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError(f"{folder}: no file {name}{endings}; add one as docs/responses.md describes")
    return found


def _files(folder: Path, name: str, suffixes: tuple[str, ...], diagnostics: Diagnostics) -> list[Path]:
    """The files in a folder, by name; one of another kind is a problem, a hidden one is not."""
    part = folder / name
    if not os.path.lexists(part):
        return []
    try:
        # Not `glob`, for which a folder that may not be read is an empty one.
        files = sorted(path for path in part.iterdir() if not path.name.startswith(_HIDDEN))
    except OSError as error:
        fix = "make it a folder that may be read"
        diagnostics.problem(f"cannot be read as a folder ({error.strerror})", where=name, fix=fix)
        return []
    for path in files:
        if path.suffix.lower() not in suffixes:
            fix = f"write it as {' or '.join(suffixes)}, or keep it elsewhere"
            diagnostics.problem("not a file of rows", where=location_of(path, folder), fix=fix)
    return [path for path in files if path.suffix.lower() in suffixes]


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
    answers = _answers(cells)
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
    Columns(("template_id", "topic", "source_locale", "text")),
    values=_template_values,
    locale_column="source_locale",
)
_QUESTIONS = _Kind(
    AskedQuestion,
    Columns(("template_id", "locale", "question", "en_question")),
    values=_question_values,
    locale_column="locale",
)
_PROMPTS = _Kind(
    Prompt,
    Columns(("prompt_id", "locale", "prompt", "en_prompt")),
    values=_prompt_values,
    locale_column="locale",
)
_RESPONSES = _Kind(
    Response,
    Columns(
        ("template_id", "annotator"),
        optional=(*_ANSWER_COLUMNS, "answers", "non_answer", "reason", "locale"),
        tolerated=(_ONE_TOO_MANY,),
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


def _question_frame(
    questions: Sequence[Placed[AskedQuestion]], templates: Sequence[Placed[QuestionTemplate]], known: Registry
) -> pl.DataFrame:
    by_id = {template.row.template_id: template.row for template in templates}
    rows = []
    for location, question in questions:
        template = by_id[question.template_id]
        rows.append(
            {
                **template.model_dump(mode="json", include={"topic", "answer_format", "source_locale"}),
                **question.model_dump(),
                "source_label": _label(template.source_locale, known),
                "language": known.get(question.locale).language,
                "source": location,
            }
        )
    return pl.DataFrame(rows, schema=QUESTIONS).sort(KEY)


def _prompt_frame(prompts: Sequence[Placed[Prompt]], known: Registry) -> pl.DataFrame:
    rows = [
        {**prompt.model_dump(), "language": known.get(prompt.locale).language, "source": location}
        for location, prompt in prompts
    ]
    return pl.DataFrame(rows, schema=PROMPTS).sort(PROMPT_KEY)


def _label(tag: str | None, known: Registry) -> str:
    """A locale as upstream's ``Source`` column names it, ``Korean (South Korea)``; empty for none."""
    if tag is None:
        return ""
    locale = known.get(tag)
    return f"{locale.language_name} ({locale.region_name})"


def _frame(rows: Sequence[Placed[R]], schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(
        [{**row.model_dump(mode="json"), "source": location} for location, row in rows], schema=schema
    )
