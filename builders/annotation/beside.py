"""Beside a pull: which of its rows count, by what is asked and by the reviews that people wrote as files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages.model import Reading
from blend.loaders.files.checked import Placed
from blend.loaders.responses import readable_rows
from blend.loaders.responses.links import AskedQuestion
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.rows.frame_columns import FINDINGS
from blend.schemas.rows.published_rows import Review

_Key = tuple[str, str]
_Row = dict[str, Any]

BY_LOCALE = ("responses", "reviews")
"""Kinds of rows with a file per locale, in the folder of their name of the directory of raw responses."""


class Beside(NamedTuple):
    """Contents of the directory of raw responses that no pull writes."""

    questions: Sequence[AskedQuestion]
    """The questions that can be read."""
    asked: frozenset[_Key] | None
    """Template and locale of every question; null where the file of them cannot be read whole."""
    reviews: Mapping[_Key, Placed[Review]]
    """Reviews in files of other names than pulls give."""


def beside(file: ProjectFile) -> Beside:
    """Read what is there as far as it can be read; `check_project` says what is wrong with the rest."""
    pulled = {f"{settings.locale}.jsonl" for settings in file.project.locales}
    rows = readable_rows(file.collected, locales=file.locales, but_reviews=pulled)
    if rows is None:
        return Beside((), None, {})
    questions = [question for _, question in rows.questions.rows]
    asked = frozenset((question.template_id, question.locale) for question in questions)
    # A file without a question is more likely cut off than meant.
    known = asked if rows.questions.is_complete and asked else None
    return Beside(questions, known, {(one.row.template_id, one.row.locale): one for one in rows.reviews.rows})


def that_counts(reading: Reading, tag: str, held: Beside) -> Reading:
    """A reading of questions that are asked, without the reviews of those that another file reviews.

    What is left out stays in the kept export, and comes back with the question, or without the other file.

    Args:
        reading: Of one stage.
        tag: Its locale.
        held: What is beside it.
    """
    findings: list[_Row] = []
    rows = dict(reading.rows)
    for kind in BY_LOCALE:
        if kind in rows:
            rows[kind] = _asked(kind, rows[kind], tag, held, findings)
    if "reviews" in rows:
        rows["reviews"] = [row for row in rows["reviews"] if not _is_elsewhere(row, tag, held, findings)]
    all_findings = pl.concat([reading.findings, pl.DataFrame(findings, schema=FINDINGS)])
    left_out = list({one["template_id"] for one in findings})
    unused = (pl.col("outcome") == "counted") & pl.col("template_id").is_in(left_out)
    work = reading.work.with_columns(outcome=pl.when(unused).then(pl.lit("refused")).otherwise("outcome"))
    return Reading(rows, all_findings, work)


def _asked(kind: str, rows: list[_Row], tag: str, held: Beside, findings: list[_Row]) -> list[_Row]:
    if held.asked is None:
        return rows
    lost = Counter(row["template_id"] for row in rows if (row["template_id"], tag) not in held.asked)
    for template_id, number in sorted(lost.items()):
        detail = (
            f"{pluralise(number, kind.removesuffix('s'))} of {template_id!r}, which is not asked in {tag} any "
            "more; left out, and kept in the pull folder until it is"
        )
        findings.append(_finding("not-asked", kind, tag, template_id, detail))
    return [row for row in rows if row["template_id"] not in lost]


def _is_elsewhere(row: _Row, tag: str, held: Beside, findings: list[_Row]) -> bool:
    """Whether another file holds a review of the question; noted unless it is the same."""
    template_id = row["template_id"]
    other = held.reviews.get((template_id, tag))
    if other is not None and other.row != Review.model_validate({**row, "locale": tag}):
        detail = (
            f"{row['reviewer']} reviewed the question on the server, {other.row.reviewer} in {other.location}, "
            "which counts; left out"
        )
        findings.append(_finding("reviewed-in-a-file", "reviews", tag, template_id, detail))
    return other is not None


def _finding(kind: str, source: str, tag: str, template_id: str, detail: str) -> _Row:
    source = f"{source} of {template_id}"
    return {"kind": kind, "source": source, "locale": tag, "template_id": template_id, "detail": detail}
