"""The stage *review*: a person drags all answers to a question into groups, and writes their English."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.questions import asked_questions, collected_so_far, shown_of
from blend.builders.annotation.stage import (
    Done,
    Material,
    Reader,
    Reading,
    StageContext,
    blend_id,
    listed_texts,
)
from blend.builders.saq.answer_sheet import answer_sheet
from blend.builders.saq.ballots import NEEDS_RESPONSES
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.loaders.responses.response_rows import is_own
from blend.schemas.locales import Locale
from blend.schemas.sheets import ANSWER_SHEET, parted
from blend.schemas.texts import clean, fold

GROUPS, ITEMS, WHY_INVALID = "groups", "answers", "reason"
"""Names of the controls, and of the list of answers."""

INVALID, _UNSORTED = "invalid", "_"
"""Where answers lie that are none, and (by Label Studio's name for it) those that nobody has moved."""


def review_tasks(project: Project, locale: Locale, material: Material) -> list[WantedTask]:
    """One task per question that has as many responses as wanted, or too many who do not know.

    None where an own review decides on every answer: what somebody did on its page would not count.

    Its id holds a digest of its answers: when others come in later, they make another task, in which what was
    decided is prefilled; the earlier one stays as it is.
    """
    questions, responses, reviews = (
        rows.filter(locale=locale.tag) for rows in (material.questions, material.responses, material.reviews)
    )
    states = collected_so_far(project, Material(questions, responses, reviews))
    ready = set(states.filter(states["state"] != NEEDS_RESPONSES)["template_id"])
    sheet = answer_sheet(questions, responses, reviews, everything=True)
    rows: dict[str, list[dict[str, str]]] = {}
    for row in sheet.iter_rows(named=True):
        rows.setdefault(row["template_id"], []).append(row)
    decided = _decided_in_files(reviews)
    return [
        _task(project, question, rows[question["template_id"]])
        for question in asked_questions(project, locale.tag, material).iter_rows(named=True)
        if (template_id := question["template_id"]) in ready and template_id in rows
        if not decided.get(template_id, frozenset()) >= {row["answer"] for row in rows[template_id]}
    ]


def _decided_in_files(reviews: pl.DataFrame) -> dict[str, set[str]]:
    """The answers on which own reviews of a locale decide, by template."""
    return {
        row["template_id"]: {
            clean(answer) for answer in chain(row["invalid"], *(g["answers"] for g in row["groups"]))
        }
        for row in reviews.iter_rows(named=True)
        if is_own(row["source"])
    }


def _task(project: Project, question: Mapping[str, Any], rows: Sequence[Mapping[str, str]]) -> WantedTask:
    key = question["template_id"], question["locale"]
    items = [{"id": _item(key, row), "title": row["answer"], "body": f"× {row['annotators']}"} for row in rows]
    data = shown_of(task_id(*key, {row["answer"] for row in rows}), question)
    return WantedTask({**data, ITEMS: items}, proposal=list(_proposal(project, key, rows)))


def task_id(template_id: str, locale: str, answers: Iterable[str]) -> str:
    """The id of the task in which these answers to a question are reviewed."""
    # Sorted: the same answers give the same task, in whatever order they came in.
    digest = sha256("\0".join(sorted(answers)).encode()).hexdigest()[:8]
    return blend_id("review", locale, template_id, digest)


def _item(key: tuple[str, str], row: Mapping[str, str]) -> str:
    return ANSWER_SHEET.mark(*key, row["answer"])


def _proposal(
    project: Project, key: tuple[str, str], rows: Sequence[Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    """The groups and their English as `answer_sheet` proposes them; those that find no room stay unsorted."""
    columns: dict[str, list[str]] = {f"g{number}": [] for number in range(1, project.review_groups + 1)}
    columns |= {INVALID: [], _UNSORTED: []}
    english: dict[str, list[str]] = {}
    for row in rows:
        column = INVALID if row["invalid"] else f"g{row['group']}"
        column = column if column in columns else _UNSORTED
        columns[column].append(_item(key, row))
        if column not in (INVALID, _UNSORTED):
            english.setdefault(column, []).extend(parted(row["english"]))
    yield _result(GROUPS, ITEMS, "ranker", {"ranker": columns})
    for column, texts in english.items():
        if texts:
            yield _result(f"english_{column[1:]}", "question", "textarea", {"text": list(dict.fromkeys(texts))})
    if reason := next((row["reason"] for row in rows if row["reason"]), ""):
        yield _result(WHY_INVALID, "question", "textarea", {"text": [reason]})


def _result(name: str, to: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"blend-{name}", "from_name": name, "to_name": to, "type": kind, "value": value}


def _read_reviews(lines: Sequence[Line], context: StageContext) -> Reading:
    """Reviews: of every question the one whose page shows most of the answers that are given now.

    Of several such the last one. Whatever else was decided is told, unless it came before more answers.
    Answers that nobody moved into a group are told and left to the rules of grouping, like answers that came
    later.
    """
    fields = {f"english_{number}": "textarea" for number in range(1, context.project.review_groups + 1)}
    reader = Reader("review", {GROUPS: "ranker", WHY_INVALID: "textarea", **fields}, context)
    found: dict[str, list[tuple[int, Done, dict[str, Any]]]] = {}
    for done in reader.last_of_each(lines, by="blend_id"):
        if (row := _review(done, reader, context.project)) is not None:
            found.setdefault(row["template_id"], []).append((_given_on(done, context), done, row))
    rows = []
    for _, reviews in sorted(found.items()):
        # The last one counts: its page shows most of the answers that are given now; of equal ones the latest.
        *others, (most, counting, row) = sorted(reviews, key=lambda review: (review[0], review[1].order))
        for number, done, _ in others:
            if number == most or done.order > counting.order:
                # Not `leave_out`: it was work, and is paid, whoever reviewed the question again.
                detail = f"what {counting.annotator} decided in {counting.location} counts; left out"
                reader.note(done, "reviewed-twice", detail)
        rows.append(row)
    return reader.reading(reviews=rows)


def _given_on(done: Done, context: StageContext) -> int:
    """How many answers that are given now the page shows on which somebody decided."""
    answers = [clean(item["title"]) for item in done.data.get("answers") or []]
    if context.given is None:
        return len(answers)
    return len({*answers} & {*context.given.get(done.data["template_id"], ())})


def _review(done: Done, reader: Reader, project: Project) -> dict[str, Any] | None:
    """The review that an annotation holds, or null where nothing was decided; then a finding says why."""
    answers = {item["id"]: clean(item["title"]) for item in done.data.get("answers") or []}
    columns = _columns(done, answers, project)
    sorted_out = {*chain.from_iterable(columns.values())}
    if not sorted_out:
        reader.leave_out(done, "empty-annotation", "no answer was moved into a group; left out")
        return None
    if unsorted := [text for item, text in answers.items() if item not in sorted_out]:
        what = f"{listed_texts(unsorted)} in no column; left to the rules of grouping"
        reader.note(done, "unsorted-answer", what)
    invalid = [answers[item] for item in columns.get(INVALID, [])]
    reason = "; ".join(reader.texts(done, WHY_INVALID))
    row: dict[str, Any] = {"template_id": done.data["template_id"], "reviewer": done.annotator}
    if invalid:
        row["invalid"] = invalid
        if reason:
            # The page has one field for all of them, and a review a reason for each.
            row["reasons"] = [reason] * len(invalid)
    row["groups"] = list(_groups(done, reader, columns, answers, project))
    return row


def _columns(done: Done, answers: Collection[str], project: Project) -> dict[str, list[str]]:
    """The ids of the answers in every column that the page has now."""
    columns: dict[str, list[str]] = {}
    for value in done.results.get(GROUPS, []):
        for name in (*(f"g{number}" for number in range(1, project.review_groups + 1)), INVALID):
            columns.setdefault(name, []).extend(one for one in value["ranker"].get(name, ()) if one in answers)
    return columns


def _groups(
    done: Done,
    reader: Reader,
    columns: Mapping[str, Sequence[str]],
    answers: Mapping[str, str],
    project: Project,
) -> Iterator[dict[str, Any]]:
    """The groups that hold answers, in the order of their columns, with their English."""
    first: dict[str, int] = {}
    for number in range(1, project.review_groups + 1):
        english = [clean(text) for text in reader.texts(done, f"english_{number}")]
        if items := columns.get(f"g{number}", []):
            for text in english:
                if (other := first.setdefault(fold(text), number)) != number:
                    what = f"{text!r} beside the groups {other} and {number}; kept as two answers"
                    reader.note(done, "same-english", what)
            group = {"answers": [answers[item] for item in items]}
            yield {**group, "en_answers": list(dict.fromkeys(english))} if english else group
        elif english:
            what = f"{listed_texts(english)} beside the empty group {number}; left out"
            reader.note(done, "english-without-group", what)


REVIEW = review_tasks, _read_reviews
"""How a `Stage` makes tasks and reads them."""
