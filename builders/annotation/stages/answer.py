"""The stage *answer*: natives answer a question, or say why they do not; raw responses come out."""

from collections.abc import Mapping, Sequence
from typing import Any

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, blend_id
from blend.builders.annotation.stages.reading import Done, Reader, listed_texts, quoted
from blend.loaders.label_studio.plan import WantedTask
from blend.schemas.locales import Locale
from blend.schemas.rows import MAX_ANSWERS, NonAnswer

ANSWERS, NON_ANSWER, REASON = "answers", "non_answer", "reason"
"""Names of the controls."""

_CONTROLS = {ANSWERS: "textarea", NON_ANSWER: "choices", REASON: "textarea"}


def tasks(project: Project, locale: Locale, material: Material) -> list[WantedTask]:
    """One task per question of the locale."""
    return [
        WantedTask(
            {
                "blend_id": blend_id("answer", locale.tag, question["template_id"]),
                "template_id": question["template_id"],
                "locale": locale.tag,
                **words_of(question),
            },
        )
        for question in asked(project, locale, material)
    ]


def words_of(question: Mapping[str, Any]) -> dict[str, str]:
    """The words of a question as tasks show them."""
    return {
        "question": question["question"] or question["en_question"],
        "en_question": question["en_question"],
    }


def asked(project: Project, locale: Locale, material: Material) -> list[dict[str, Any]]:
    """The questions that the project asks in a locale: rows of `frame_columns.QUESTIONS`, by template."""
    return [
        question
        for question in material.questions.sort("template_id", "locale").iter_rows(named=True)
        if question["locale"] == locale.tag
        and (project.templates is None or question["template_id"] in project.templates)
        and (project.topics is None or question["topic"] in project.topics)
    ]


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Raw responses, exactly as typed, the last one of every person and question."""
    reader = Reader("answer", _CONTROLS, context)
    given = (_response(done, reader) for done in reader.last_of_each(exported, by="template_id"))
    return reader.reading(responses=[row for row in given if row is not None])


def _response(done: Done, reader: Reader) -> dict[str, Any] | None:
    """The response of an annotation, or null where none can be made of it; then a finding says why."""
    answers, reasons = reader.texts(done, ANSWERS), reader.texts(done, REASON)
    non_answer = reader.choice(done, NON_ANSWER, [kind.value for kind in NonAnswer])
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


STAGE = Stage(
    "answer",
    tasks,
    read,
    does="give up to three answers, or one of four reasons not to; *another reason* needs words",
    gives="[`responses/`](responses.md#responses)",
    readers=lambda project: project.wanted,
    reads_questions=True,
)
