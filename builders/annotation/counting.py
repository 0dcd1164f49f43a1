"""Counting: responses, reviews and all other rows, made of the events and of what is asked now."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import People, project_key
from blend.builders.annotation.stages import StageLocale, stage_locales
from blend.builders.annotation.stages.model import Reading
from blend.builders.annotation.stages.reading import location_of
from blend.builders.saq.answer_sheet import given_part, without_lost
from blend.loaders.files.new_files import EVENTS
from blend.loaders.label_studio.events import Held, Line, counted_lines, held_in, read_events
from blend.loaders.responses import ResponseTables, read_responses, readable_questions
from blend.loaders.responses.reviews import IN_A_FILE, NOT_ASKED
from blend.schemas.frames import FINDINGS
from blend.schemas.locales import Registry
from blend.schemas.sheets import ANSWER_SHEET
from blend.schemas.texts import clean, escape_controls, pluralise

BY_LOCALE = ("responses", "reviews")
"""Kinds of rows with a file per locale, in the folder of their name of the directory of raw responses."""


class StageReading(NamedTuple):
    """What the events say of a stage in a locale."""

    stage_locale: StageLocale
    held: Mapping[str, Held]
    lines: Sequence[Line]
    """Annotations that count."""
    reading: Reading
    let_go: pl.DataFrame
    """`WORK` that the lead has let go of: nothing is taken from it, and it was done."""

    @property
    def gone(self) -> list[Held]:
        """Annotations that count although the server has them no more, or only in an older version."""
        return [held for held in self.held.values() if held.is_gone]


def readings(file: ProjectFile) -> list[StageReading]:
    """Read what was pulled so far, with what a project file says of people now.

    Stages of which nothing was seen are left out.

    Raises:
        InputError: If there is no key, or the events are damaged.
    """
    return counting(file, read_events(file.pulled / EVENTS))


def counting(file: ProjectFile, lines: Sequence[Line], *, also: Collection[str] = ()) -> list[StageReading]:
    """Make responses, reviews and all other rows of the events: the only rule of what counts.

    Questions count that are asked, and reviews decide only on answers that are still given. Each stage is read
    after those that it is about.

    Args:
        file: The project.
        lines: Of the events.
        also: Names of stages to read even where nothing was seen of them.
    """
    people, asked = People(project_key(file)), _asked_now(file)
    found: list[StageReading] = []
    for stage_locale in stage_locales(file):
        held = held_in(lines, stage_locale.slug)
        if not held and stage_locale.name not in also:
            continue
        current, tag = counted_lines(held), stage_locale.locale.tag
        context = stage_locale.stage.context(file.project, stage_locale.locale, people)
        reading = stage_locale.stage.read(current, replace(context, given=_given_in(tag, found) or None))
        changed = pl.DataFrame(list(_changed_by_others(current, tag)), FINDINGS)
        reading = reading._replace(findings=pl.concat([reading.findings, changed]))
        let_go = stage_locale.stage.read([one.version for one in held.values() if one.is_let_go], context).work
        found.append(StageReading(stage_locale, held, current, reading, let_go))
    if asked is not None:
        found = [one._replace(reading=_of_asked(one, asked)) for one in found]
    return [one._replace(reading=_without_lost_answers(one, _responses_in(found))) for one in found]


def _responses_in(found: Sequence[StageReading]) -> dict[str, list[dict[str, Any]]]:
    """The responses of readings, by locale."""
    return {
        one.stage_locale.locale.tag: one.reading.rows["responses"]
        for one in found
        if "responses" in one.reading.rows
    }


def _asked_now(file: ProjectFile) -> set[tuple[str, str]] | None:
    """Template and locale of all questions that are asked now.

    Null where the file of them cannot be read whole, or holds none: it is more likely cut off than meant.
    """
    questions = readable_questions(file.collected, locales=file.locales)
    if questions is None or not questions.is_complete:
        return None
    return {(question.template_id, question.locale) for _, question in questions.rows} or None


def _given_in(tag: str, found: Sequence[StageReading]) -> Mapping[str, int]:
    """Count the people behind each answer in a locale, by the id that reviews show."""
    return Counter(
        ANSWER_SHEET.mark(row["template_id"], tag, answer)
        for row in _responses_in(found).get(tag, ())
        for answer in {clean(typed) for typed in row.get("answers", ())}
    )


def _changed_by_others(lines: Sequence[Line], locale: str) -> Iterator[dict[str, Any]]:
    """Annotations whose version that counts another account has made, which everybody on a server can do."""
    for line in lines:
        if line["changed_by"] is not None:
            detail = (
                f"{line['annotator']} gave it, and {line['changed_by']} has changed it since; what it says now "
                f"counts. {EVENTS} holds the versions that were pulled: ask both"
            )
            source = location_of(line)
            yield _finding("changed-by-another", source, locale, line["data"].get("template_id"), detail)


def _of_asked(one: StageReading, asked: Collection[tuple[str, str]]) -> Reading:
    """A reading without rows of questions that are not asked any more; they come back with the question."""
    reading, tag = one.reading, one.stage_locale.locale.tag
    rows, findings = dict(reading.rows), []
    for kind in BY_LOCALE:
        unasked = [row["template_id"] for row in rows.get(kind, ()) if (row["template_id"], tag) not in asked]
        for template_id, number in sorted(Counter(unasked).items()):
            what = f"{pluralise(number, kind.removesuffix('s'))} of {template_id!r}"
            left_out = "left out, and kept in the pull folder until it is"
            detail = f"{what}, which is not asked in {tag} any more; {left_out}"
            findings.append(_finding(NOT_ASKED, f"{kind} of {template_id}", tag, template_id, detail))
        if unasked:
            rows[kind] = [row for row in rows[kind] if row["template_id"] not in unasked]
    return reading._replace(rows=rows, findings=pl.concat([reading.findings, pl.DataFrame(findings, FINDINGS)]))


def _without_lost_answers(one: StageReading, responses: Mapping[str, Sequence[Mapping[str, Any]]]) -> Reading:
    """A reading whose reviews decide only on answers that are still given; others stay as they are.

    Whoever corrects an answer after it was reviewed, or asks to be forgotten, leaves a decision about nothing,
    which a build would refuse. Groups that become empty go, and so do reviews that decide nothing any more.
    """
    reading, tag = one.reading, one.stage_locale.locale.tag
    if "reviews" not in reading.rows or tag not in responses:
        return reading
    given: dict[str, set[str]] = {}
    for row in responses[tag]:
        given.setdefault(row["template_id"], set()).update(map(clean, row.get("answers", ())))
    kept, findings = [], []
    for review in reading.rows["reviews"]:
        template_id = review["template_id"]
        left, lost = given_part(review, given.get(template_id, set()))
        if lost:
            listed = ", ".join(f"'{escape_controls(answer)}'" for answer in lost)
            detail = f"the review decides on {listed}, which nobody answers any more; left out of it"
            findings.append(_finding("lost-answer", f"review of {template_id}", tag, template_id, detail))
        if left is not None:
            kept.append(left)
    all_findings = pl.concat([reading.findings, pl.DataFrame(findings, FINDINGS)])
    return Reading({**reading.rows, "reviews": kept}, all_findings, reading.work)


def _finding(kind: str, source: str, tag: str, template_id: str, detail: str) -> dict[str, Any]:
    return {"kind": kind, "source": source, "locale": tag, "template_id": template_id, "detail": detail}


# The directory of raw responses, in which reviews that people wrote as files stand beside pulled ones.


class Collected(NamedTuple):
    """A directory of raw responses while responses are being collected."""

    tables: ResponseTables
    """Reviews decide on answers that are given, and on nothing else."""
    passed_over: Sequence[str]
    """What is passed over in reviews, and what to do about it."""


_ALONE = "; delete that review, which decides on nothing else"
_AGAIN = ", until `blend reviews propose` and `blend reviews accept --update` review the question again"


def read_collected(folder: Path, locales: Registry) -> Collected:
    """Read a directory of raw responses, whatever has become of reviewed questions and answers.

    Raises:
        InputError, RowError, RowErrors: As `loaders.responses.read_responses`.
    """
    tables = read_responses(folder, locales=locales, reviewing=True, collecting=True)
    reviews, lost = without_lost(tables.reviews, tables.responses)
    of_reviews = tables.findings.filter(pl.col("kind").is_in([NOT_ASKED, IN_A_FILE]))
    passed_over = [f"{source}: {detail}" for source, detail in of_reviews.select("source", "detail").rows()]
    passed_over += [
        f"{one.source}: decides on {', '.join(map(repr, one.answers))}, which nobody answers any more; passed "
        f"over{_ALONE if one.is_all else _AGAIN}"
        for one in lost
    ]
    return Collected(tables._replace(reviews=reviews), passed_over)
