"""Raw responses: what annotators typed and what reviewers decided, from a directory of files.

``docs/responses.md`` describes the directory column by column.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.loaders.files.diagnostics import Diagnostics, Placed, R
from blend.loaders.responses.checks import check_rows
from blend.loaders.responses.odd_texts import on_one_line
from blend.loaders.responses.response_rows import (
    AskedQuestion,
    ResponseRows,
    is_own,
    question_key,
    read_response_rows,
    response_layout,
)
from blend.schemas.errors import BlendError
from blend.schemas.frames import KEY, PROMPT_KEY, PROMPTS, QUESTIONS, RESPONSES, REVIEWS, TEMPLATES
from blend.schemas.locales import Registry, registry
from blend.schemas.rows import Prompt, Review
from blend.schemas.texts import clean

NOT_ASKED, IN_A_FILE = "not-asked", "reviewed-in-a-file"
"""Kinds of the findings about reviews that are passed over."""


class ResponseTables(NamedTuple):
    """Raw responses as frames."""

    questions: pl.DataFrame
    """`frames.QUESTIONS`, ordered by template and locale."""
    responses: pl.DataFrame
    """`frames.RESPONSES`, ordered by template, locale and annotator."""
    reviews: pl.DataFrame
    """`frames.REVIEWS`, ordered by template and locale; without rows when there are no reviews."""
    prompts: pl.DataFrame
    """`frames.PROMPTS`, ordered by locale and id; without rows when there are no prompts."""
    findings: pl.DataFrame
    """`frames.FINDINGS`."""
    templates: pl.DataFrame
    """`frames.TEMPLATES`, in file order."""


def read_responses(
    folder: Path | str,
    *,
    locales: Registry | None = None,
    reviewing: bool = False,
    collecting: bool = False,
) -> ResponseTables:
    """The questions, responses and reviews in a directory of raw responses.

    Args:
        folder: Holds ``templates`` and ``questions`` (one file each: a table, JSON Lines or Parquet),
            ``responses/`` with files of the same kinds, and perhaps ``prompts`` (one file) and
            ``reviews/`` with JSONL or Parquet files.
        locales: Known locales; the packaged registry when absent.
        reviewing: Whether the answers are about to be reviewed; then those pass that are not in the format that
            their question asks for, about which only a reviewer can decide, and so do reviews of answers that
            nobody gives; those of questions that are not asked are passed over.
        collecting: Whether responses are still being collected; then there may be none yet, nor any more where
            something was reviewed.

    Returns:
        The tables. Answers are exactly as typed. The answer format of a question is its template's.

    Raises:
        InputError: If the directory or one of its parts does not exist.
        RowError, RowErrors: If anything in the files breaks its contract; names all places at once.
    """
    known = registry() if locales is None else locales
    folder, diagnostics = Path(folder), Diagnostics()
    files = response_layout(folder, diagnostics, collecting=collecting)
    rows = read_response_rows(files, folder, known, diagnostics)
    rows = _reviews_that_count(rows, diagnostics, reviewing=reviewing)
    check_rows(rows, known, diagnostics, reviewing=reviewing, collecting=collecting)
    diagnostics.raise_problems()
    return response_tables(rows, known, diagnostics)


def _reviews_that_count(rows: ResponseRows, diagnostics: Diagnostics, *, reviewing: bool) -> ResponseRows:
    """Rows without the reviews of questions that are dropped, and with one of two that stand in two files.

    What is left out stays in its file, and counts again with the question, or without the other review. Reviews
    in other files than own ones must be about questions that are asked, unless somebody is ``reviewing``. Of an
    own review and another one the own one counts, unless the other decides on more of the given answers.
    """
    asked = {question_key(row) for _, row in rows.questions.rows} if rows.questions.is_complete else set()
    given = defaultdict[tuple[str, str], set[str]](set)
    for _, response in rows.responses.rows:
        given[question_key(response)].update(map(clean, response.answers))
    left_out: set[str] = set()
    by_question = defaultdict[tuple[str, str], list[Placed[Review]]](list)
    for one in rows.reviews.rows:
        template_id, locale = question_key(one.row)
        # A file without a question is more likely cut off than meant.
        if asked and (template_id, locale) not in asked and (reviewing or is_own(one.location)):
            what = f"review of {template_id!r}, which is not asked in {locale} any more"
            diagnostics.oddity(NOT_ASKED, one, f"{what}; not read, and kept until it is")
            left_out.add(one.location)
        else:
            by_question[template_id, locale].append(one)
    for key, reviews in by_question.items():
        if [is_own(one.location) for one in reviews] not in ([True, False], [False, True]):
            continue
        n_decided = {one: len(given[key].intersection(map(clean, one.row.decided))) for one in reviews}
        counting, other = sorted(reviews, key=lambda one: (-n_decided[one], not is_own(one.location)))
        left_out.add(other.location)
        if other.row != counting.row:
            detail = (
                f"{other.row.reviewer} reviewed the question in {other.location}, {counting.row.reviewer} in "
                f"{counting.location}, which counts; left out"
            )
            diagnostics.oddity(IN_A_FILE, other, detail)
    kept = [one for one in rows.reviews.rows if one.location not in left_out]
    return rows._replace(reviews=rows.reviews._replace(rows=kept))


def readable_rows(folder: Path, *, locales: Registry, besides: Collection[str]) -> ResponseRows | None:
    """The questions and responses of a directory of raw responses, as far as they can be read.

    Args:
        folder: See `read_responses`, which says what is wrong with the rest.
        locales: Known locales.
        besides: Names of files of responses that are left out.

    Returns:
        The rows that are valid by themselves; null where there are no files of templates and questions, or two.
    """
    diagnostics = Diagnostics()
    try:
        files = response_layout(folder, diagnostics, collecting=True)
        responses = [path for path in files.responses if path.name not in besides]
        files = files._replace(templates=[], prompts=[], responses=responses, reviews=[])
        return read_response_rows(files, folder, locales, diagnostics)
    except (OSError, BlendError):
        return None


def response_tables(rows: ResponseRows, known: Registry, diagnostics: Diagnostics) -> ResponseTables:
    """The tables of rows in which `check_rows` has found no problem."""
    templates = {row.template_id: row for _, row in rows.templates.rows}

    def of_template(question: AskedQuestion) -> dict[str, Any]:
        template = templates[question.template_id]
        return {
            **template.model_dump(mode="json", include={"topic", "answer_format", "source_locale"}),
            "source_label": known.get(template.source_locale).label if template.source_locale else "",
            "language": known.get(question.locale).language,
        }

    def language(prompt: Prompt) -> dict[str, Any]:
        return {"language": known.get(prompt.locale).language}

    return ResponseTables(
        questions=_frame(on_one_line(rows.questions.rows, diagnostics), QUESTIONS, of_template).sort(KEY),
        responses=_frame(rows.responses.rows, RESPONSES).sort(*KEY, "annotator"),
        reviews=_frame(rows.reviews.rows, REVIEWS).sort(KEY),
        prompts=_frame(rows.prompts.rows, PROMPTS, language).sort(PROMPT_KEY),
        findings=diagnostics.findings_frame(),
        templates=_frame(rows.templates.rows, TEMPLATES),
    )


def _frame(
    rows: Sequence[Placed[R]], schema: pl.Schema, more: Callable[[R], dict[str, Any]] = lambda _: {}
) -> pl.DataFrame:
    dumped = [{**row.model_dump(mode="json"), **more(row), "source": location} for location, row in rows]
    return pl.DataFrame(dumped, schema=schema)


def response_files(folder: Path) -> list[Path]:
    """The files that `read_responses` reads.

    Raises:
        InputError: If the directory or one of its parts does not exist.
    """
    diagnostics = Diagnostics()
    files = response_layout(folder, diagnostics)
    diagnostics.raise_problems()
    return sorted([*files.templates, *files.questions, *files.prompts, *files.responses, *files.reviews])
