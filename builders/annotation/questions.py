"""The stages in which natives say something: *answer*, from which raw responses come, and *collect*.

In *collect* they write questions on a topic, which go to ``blend templates propose``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project, slug
from blend.builders.annotation.stage import (
    Done,
    Material,
    Reader,
    Reading,
    StageContext,
    blend_id,
    listed_texts,
    quoted,
)
from blend.builders.annotation.ui_strings import is_english
from blend.builders.saq.ballots import NEEDS_RESPONSES, collection_status
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.formats import AnswerFormat, format_of
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale
from blend.schemas.rows import MAX_ANSWERS, NonAnswer

ANSWERS, _NON_ANSWER, _REASON = "answers", "non_answer", "reason"
"""Names of the controls."""

_PLAN = ("blend_id", "template_id", "locale", "state", "valid", "idk", "rejected", "still_needed", "open")
"""One row per question: its task, its state (`saq.ballots`), the counts of valid responses, *I don't know*,
and responses of which a review declared every answer invalid; valid ones ``still_needed``; and whether it is
``open``: still asked."""

_ANSWER_CONTROLS = {ANSWERS: "textarea", _NON_ANSWER: "choices", _REASON: "textarea"}


def _answer_tasks(project: Project, locale: Locale, material: Material) -> list[WantedTask]:
    """One task per question of the locale."""
    return [
        WantedTask(shown_of(blend_id("answer", locale.tag, question["template_id"]), question))
        for question in asked_questions(project, locale.tag, material).iter_rows(named=True)
    ]


def shown_of(name: str, question: Mapping[str, Any]) -> dict[str, Any]:
    """A question as the task of an id shows it."""
    return {
        "blend_id": name,
        "template_id": question["template_id"],
        "locale": question["locale"],
        "question": question["question"] or question["en_question"],
        "en_question": question["en_question"],
    }


def asked_questions(project: Project, tag: str, material: Material) -> pl.DataFrame:
    """The questions that the project asks in a locale, `frames.QUESTIONS`, by template."""
    questions = material.questions.filter(locale=tag).sort("template_id")
    for column, names in (("template_id", project.templates), ("topic", project.topics)):
        if names is not None:
            questions = questions.filter(pl.col(column).is_in(list(names)))
    return questions


def _read_answers(lines: Sequence[Line], context: StageContext) -> Reading:
    """Raw responses, exactly as typed, the last one of every person and question."""
    reader = Reader("answer", _ANSWER_CONTROLS, context)
    given = (_response(done, reader) for done in reader.last_of_each(lines, by="template_id"))
    return reader.reading(responses=[row for row in given if row is not None])


def _response(done: Done, reader: Reader) -> dict[str, Any] | None:
    """The response of an annotation, or null where none can be made of it; then a finding says why."""
    answers, reasons = reader.texts(done, ANSWERS), reader.texts(done, _REASON)
    non_answer = reader.choice(done, _NON_ANSWER, [kind.value for kind in NonAnswer])
    if len(answers) > MAX_ANSWERS:
        rest = listed_texts(answers[MAX_ANSWERS:])
        reader.note(
            done, "too-many-answers", f"{len(answers)} answers; left out, behind the first three: {rest}"
        )
        answers = answers[:MAX_ANSWERS]
    if answers and non_answer is not None:
        detail = f"{listed_texts(answers)}, and the non-answer {non_answer!r}; left out"
        reader.leave_out(done, "answer-and-non-answer", detail)
        return None
    if not answers and non_answer is None:
        reader.leave_out(done, "empty-annotation", "neither an answer nor a non-answer; left out")
        return None
    is_other = non_answer == NonAnswer.OTHER.value
    if is_other and not reasons:
        reader.leave_out(done, "other-without-reason", "the non-answer 'other' without a reason; left out")
        return None
    if reasons and not is_other:
        what = "answers" if answers else repr(non_answer)
        detail = f"a reason beside {what}, {quoted(reasons[0])}; the reason is left out"
        reader.note(done, "reason-without-other", detail)
    row = {"template_id": done.data["template_id"], "annotator": done.annotator}
    if answers:
        return {**row, "answers": answers}
    return {**row, "non_answer": non_answer, **({"reason": " ".join(reasons)} if is_other else {})}


# Which questions have enough responses, where more are asked for, and which are dropped.


def collected_so_far(project: Project, material: Material) -> pl.DataFrame:
    """Say how far every question has come: `saq.ballots._CollectionStatus.questions`."""
    return collection_status(
        material.questions, material.responses, material.reviews, project.saq_options()
    ).questions


def collection_plan(project: Project, material: Material) -> pl.DataFrame:
    """Plan where more responses are asked for, by the five-valid rule, and which questions are dropped.

    A question is open until it has ``wanted`` valid responses, or more than ``max_idk`` people do not know. An
    open one wants one further annotation for every valid response that is missing, above all that were given,
    whatever they were.

    Args:
        project: Its ``wanted`` and ``max_idk``, its locales, templates and topics.
        material: Questions, responses and reviews.

    Returns:
        `_PLAN`, by locale and template: the questions that the project asks.

    References:
        Myung et al. (2024), BLEnD, section 3, https://arxiv.org/abs/2406.09948.
    """
    tags = [one.locale for one in project.locales if "answer" in project.stages_of(one.locale)]
    # The empty frame stands for a project without the stage: no frames at all cannot be concatenated.
    asked_in = [material.questions.clear(), *(asked_questions(project, tag, material) for tag in tags)]
    return (
        collected_so_far(project, material)
        .join(pl.concat(asked_in), on=KEY, how="semi")
        .with_columns(
            open=pl.col("state") == NEEDS_RESPONSES,
            blend_id=pl.format("answer/{}/{}", "locale", "template_id"),
        )
        .select(_PLAN)
        .sort("locale", "template_id")
    )


ANSWER = _answer_tasks, _read_answers
"""How a `Stage` makes tasks and reads them."""


# Collecting: questions of natives' own.


_LOCAL, _ENGLISH, _FORM = "local", "in_english", "form"
"""Names of the controls."""

_COLLECT_CONTROLS = {_LOCAL: "textarea", _ENGLISH: "textarea", _FORM: "choices"}

_FORMS = {
    "text": AnswerFormat.TEXT,
    "number": AnswerFormat.INTEGER,
    "time": AnswerFormat.TIME,
    "date": AnswerFormat.DATE,
}
"""What people choose, and the format that it is."""

_HINTS = {
    AnswerFormat.INTEGER: "in Arabic numerals",
    AnswerFormat.TIME: "e.g., HH:MM",
    AnswerFormat.DATE: "e.g., MM/DD",
}
"""What an English question says about its format, as `formats.format_of` reads it."""


def _collect_tasks(project: Project, locale: Locale, _material: Material) -> list[WantedTask]:
    """As many tasks per topic as questions are wanted."""
    return [
        WantedTask(
            {
                "blend_id": blend_id("collect", locale.tag, slug(topic), f"{number:02}"),
                "locale": locale.tag,
                "topic": topic,
                "place": locale.prompt_name
                if is_english(locale.language)
                else f"{locale.native_name or locale.prompt_name} ({locale.prompt_name})",
            }
        )
        for topic in project.topics or ()
        for number in range(1, project.questions_per_topic + 1)
    ]


def _read_questions(lines: Sequence[Line], context: StageContext) -> Reading:
    """Natives' questions as ``blend templates propose`` reads them, and their own wording as a translation.

    Every annotation is a question of its own, also the second one of a task.
    """
    reader = Reader("collect", _COLLECT_CONTROLS, context)
    natives: list[dict[str, Any]] = []
    translations: list[dict[str, Any]] = []
    taken: dict[str, int] = {}
    for done in reader.all_of(lines):
        # ``collect/LOCALE/TOPIC/NUMBER``: `slug` leaves no slash in a topic.
        _, tag, topic, number = str(done.data["blend_id"]).split("/")
        name = f"{topic}-{tag}-{number}"
        # Counted before it is read: one that is not complete any more changes the name of no other.
        taken[name] = taken.get(name, 0) + 1
        name += f"-{taken[name]}" if taken[name] > 1 else ""
        question = _question(done, reader)
        if question is None:
            continue
        local, english = question
        natives.append({"id": name, "topic": str(done.data["topic"]), "locale": tag, "text": english})
        translations.append({"template_id": name, "locale": tag, "question": local})
    return reader.reading(natives=natives, translations=translations)


def _question(done: Done, reader: Reader) -> tuple[str, str] | None:
    """The question in the local language and in English with its format, or null where one is missing."""
    local, english = (" ".join(" ".join(reader.texts(done, name)).split()) for name in (_LOCAL, _ENGLISH))
    chosen = reader.choice(done, _FORM, list(_FORMS))
    for name, text in ((_LOCAL, local), (_ENGLISH, english), (_FORM, chosen)):
        if not text:
            reader.leave_out(done, "incomplete-question", f"a question without {name}; left out")
            return None
    form = _FORMS[str(chosen)]
    if format_of(english) is form:
        return local, english
    if format_of(english) is not AnswerFormat.TEXT:
        detail = f"{quoted(english)} asks for {format_of(english)}, but {chosen} was chosen; left out"
        reader.leave_out(done, "incomplete-question", detail)
        return None
    return local, f"{english} ({_HINTS[form]})"


COLLECT = _collect_tasks, _read_questions
"""Likewise."""
