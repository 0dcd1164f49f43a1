"""Beside a pull: which of its rows count, by what is asked and by the reviews that people wrote as files."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages.model import Reading
from blend.builders.saq.lost_answers import parted, without_lost
from blend.loaders.files.diagnostics import Placed
from blend.loaders.responses import ResponseTables, read_responses, readable_rows
from blend.loaders.responses.links import AskedQuestion
from blend.loaders.responses.response_rows import HIDDEN
from blend.loaders.responses.reviews import (
    IN_A_FILE,
    NOT_ASKED,
    further_decided,
    not_asked_now,
    why_it_counts,
)
from blend.schemas.frames import FINDINGS
from blend.schemas.locales import Registry
from blend.schemas.rows import Review
from blend.schemas.texts import clean, escape_controls, pluralise

_Key = tuple[str, str]
_Row = dict[str, Any]

LOST_IN_A_FILE = "lost-answer-in-a-file"
"""Kind of the finding about what people have to review again, since no pull writes where they reviewed it."""

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
    rows = readable_rows(file.collected, locales=file.locales, but_reviews=_pulled(file))
    if rows is None:
        return Beside((), None, {})
    questions = [question for _, question in rows.questions.rows]
    asked = frozenset((question.template_id, question.locale) for question in questions)
    # A file without a question is more likely cut off than meant.
    known = asked if rows.questions.is_complete and asked else None
    return Beside(questions, known, {(one.row.template_id, one.row.locale): one for one in rows.reviews.rows})


def reviews_beside(file: ProjectFile) -> list[Path]:
    """The files of reviews that no pull writes, but for Parquet."""
    files = sorted((file.collected / "reviews").glob("*.jsonl"))
    return [path for path in files if path.name not in _pulled(file) and not path.name.startswith(HIDDEN)]


def _pulled(file: ProjectFile) -> set[str]:
    """Names of the files of reviews that pulls write."""
    tags = [settings.locale for settings in file.project.locales]
    return {f"{tag}.jsonl" for tag in tags if "review" in file.project.stages_of(tag)}


class Collected(NamedTuple):
    """A directory of raw responses while responses are being collected."""

    tables: ResponseTables
    """Reviews decide on answers that are given, and on nothing else."""
    findings: Sequence[str]
    """What is passed over in reviews, and what to do about it."""


def read_collected(folder: Path, locales: Registry) -> Collected:
    """Read a directory of raw responses, whatever has become of reviewed questions and answers.

    Raises:
        InputError, RowError, RowErrors: As `loaders.responses.read_responses`.
    """
    tables = read_responses(folder, locales=locales, reviewing=True, collecting=True)
    reviews, lost = without_lost(tables.reviews, tables.responses)
    dropped = tables.findings.filter(kind=NOT_ASKED).select("source", "detail").iter_rows()
    findings = [
        *(f"{source}: {detail}" for source, detail in dropped),
        *(_to_review_again(one.source, one.answers, is_all=one.is_all) for one in lost),
    ]
    return Collected(tables._replace(reviews=reviews), findings)


def passed_over(
    held: Beside, responses: Mapping[str, Sequence[_Row]], reviewed: Collection[_Key] = ()
) -> pl.DataFrame:
    """`frame_columns.FINDINGS` about the reviews in files that no pull writes.

    Args:
        held: What is beside the pull.
        responses: Rows that were pulled, by locale.
        reviewed: The questions of which a pulled review counts.
    """
    findings = []
    for (template_id, tag), (location, review) in sorted(held.reviews.items()):
        if held.asked is not None and (template_id, tag) not in held.asked:
            detail = not_asked_now(template_id, tag)
            findings.append(_row(NOT_ASKED, location, tag, template_id, detail))
        elif tag in responses and (template_id, tag) not in reviewed:
            left, lost = parted(review.model_dump(), _given(template_id, responses[tag]))
            if lost:
                detail = _to_review_again(location, lost, is_all=left is None)
                findings.append(_row(LOST_IN_A_FILE, location, tag, template_id, detail))
    return pl.DataFrame(findings, schema=FINDINGS)


def that_counts(reading: Reading, tag: str, held: Beside, responses: Mapping[str, Sequence[_Row]]) -> Reading:
    """A reading of questions that are asked, without the reviews of those that another file reviews as far.

    What is left out stays in the kept export, and comes back with the question, or without the other file.

    Args:
        reading: Of one stage.
        tag: Its locale.
        held: What is beside it.
        responses: Rows that were pulled, by locale.
    """
    findings: list[_Row] = []
    rows = dict(reading.rows)
    for kind in BY_LOCALE:
        if kind in rows:
            rows[kind] = _asked(kind, rows[kind], tag, held, findings)
    if "reviews" in rows:
        given = responses.get(tag)
        rows["reviews"] = [row for row in rows["reviews"] if _counts(row, tag, held, given, findings)]
    all_findings = pl.concat([reading.findings, pl.DataFrame(findings, schema=FINDINGS)])
    left_out = list({one["template_id"] for one in findings})
    unused = (pl.col("outcome") == "counted") & pl.col("template_id").is_in(left_out)
    work = reading.work.with_columns(outcome=pl.when(unused).then(pl.lit("refused")).otherwise("outcome"))
    return Reading(rows, all_findings, work)


def without_lost_answers(reading: Reading, tag: str, responses: Mapping[str, Sequence[_Row]]) -> Reading:
    """A reading whose reviews decide only on answers that are still given; others stay as they are.

    Whoever corrects an answer after it was reviewed, or asks to be forgotten, leaves a decision about nothing,
    which a build would refuse. Groups that become empty go, and so do reviews that decide nothing any more.
    """
    if "reviews" not in reading.rows or tag not in responses:
        return reading
    kept, findings = [], []
    for review in reading.rows["reviews"]:
        template_id = review["template_id"]
        left, lost = parted(review, _given(template_id, responses[tag]))
        if lost:
            listed = ", ".join(f"'{escape_controls(answer)}'" for answer in lost)
            detail = f"the review decides on {listed}, which nobody answers any more; left out of it"
            findings.append(_row("lost-answer", f"review of {template_id}", tag, template_id, detail))
        if left is not None:
            kept.append(left)
    all_findings = pl.concat([reading.findings, pl.DataFrame(findings, schema=FINDINGS)])
    return Reading({**reading.rows, "reviews": kept}, all_findings, reading.work)


def _asked(kind: str, rows: list[_Row], tag: str, held: Beside, findings: list[_Row]) -> list[_Row]:
    if held.asked is None:
        return rows
    lost = Counter(row["template_id"] for row in rows if (row["template_id"], tag) not in held.asked)
    for template_id, number in sorted(lost.items()):
        detail = (
            f"{pluralise(number, kind.removesuffix('s'))} of {template_id!r}, which is not asked in {tag} any "
            "more; left out, and kept in the pull folder until it is"
        )
        findings.append(_finding(NOT_ASKED, kind, tag, template_id, detail))
    return [row for row in rows if row["template_id"] not in lost]


def _counts(row: _Row, tag: str, held: Beside, responses: Sequence[_Row] | None, findings: list[_Row]) -> bool:
    """Whether a review from the server counts beside another file; noted unless both are the same."""
    template_id = row["template_id"]
    other = held.reviews.get((template_id, tag))
    if other is None:
        return True
    review = Review.model_validate({**row, "locale": tag})
    if other.row == review:
        return False
    given = None if responses is None else _given(template_id, responses)
    further = further_decided(review, other.row, given)
    here, there = f"{review.reviewer} {{}}on the server", f"{other.row.reviewer} {{}}in {other.location}"
    loser, counting = (there, here) if further > 0 else (here, there)
    what = f"{loser.format('reviewed the question ')}, {counting.format('')}, which counts"
    detail = f"{what}{why_it_counts(abs(further))}"
    findings.append(_finding(IN_A_FILE, "reviews", tag, template_id, detail))
    return further > 0


def _given(template_id: str, responses: Sequence[_Row]) -> set[str]:
    own = (row for row in responses if row["template_id"] == template_id)
    return {clean(answer) for row in own for answer in row.get("answers", ())}


def _to_review_again(location: str, lost: Sequence[str], *, is_all: bool) -> str:
    """Say what is passed over in a review, and how it is put right."""
    answers = ", ".join(map(repr, lost))
    end = (
        "; delete that review, which decides on nothing else"
        if is_all
        else ", until `blend reviews propose` and `blend reviews accept --update` review the question again"
    )
    return f"{location}: decides on {answers}, which nobody answers any more; passed over{end}"


def _finding(kind: str, source: str, tag: str, template_id: str, detail: str) -> _Row:
    return _row(kind, f"{source} of {template_id}", tag, template_id, detail)


def _row(kind: str, source: str, tag: str, template_id: str, detail: str) -> _Row:
    return {"kind": kind, "source": source, "locale": tag, "template_id": template_id, "detail": detail}
