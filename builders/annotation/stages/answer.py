"""The stage *answer*: natives answer a question, or say why they do not; raw responses come out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Done, Reader
from blend.builders.annotation.ui_strings import PageTexts, is_english
from blend.schemas.language.locales import Locale
from blend.schemas.language.text_comparison import agreeing, clean, pluralise
from blend.schemas.rows.published_rows import MAX_ANSWERS, NonAnswer

ANSWERS, NON_ANSWER, REASON = "answers", "non_answer", "reason"
"""Names of the controls."""

REWORDED = "reworded-question"
"""Kind of the finding about questions that were answered in other words."""

_CONTROLS = {ANSWERS: "textarea", NON_ANSWER: "choices", REASON: "textarea"}


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """The question; a line for up to three answers; below it four reasons not to answer, with keys 1 to 4.

    Who chooses a reason is not asked for answers any more: they disappear, are not sent, and the page says so.
    """
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.question(root, english=english_of(locale))
    unless = layout.unless_chosen(NON_ANSWER)
    answers = layout.block(root, "part", **unless)
    layout.start(answers, ui_strings["start"])
    layout.header(answers, ui_strings["answers"])
    required = {"required": "true", "requiredMessage": ui_strings["answers_needed"]}
    layout.text_field(
        answers, ANSWERS, placeholder=ui_strings["type_answer"], most=MAX_ANSWERS, skipDuplicates="true",
        **required, **unless,
    )  # fmt: skip
    layout.note(root, ui_strings["answers_put_aside"], **layout.while_chosen(NON_ANSWER))
    others = layout.block(root, "part")
    layout.header(others, ui_strings["non_answers"])
    # Boxes, not radio buttons: the same again takes the choice back, by touch as well.
    kinds = {kind.value: ui_strings[kind.value] for kind in NonAnswer}
    layout.choices(others, NON_ANSWER, kinds, choice="single")
    reason = layout.block(root, "part", **layout.while_chosen(NON_ANSWER, NonAnswer.OTHER.value))
    layout.header(reason, ui_strings["reason"])
    layout.text_field(
        reason,
        REASON,
        placeholder=ui_strings["type_reason"],
        required="true",
        requiredMessage=ui_strings["reason"],
    )
    return layout.xml(root, texts)


def english_of(locale: Locale) -> str | None:
    """The line of English below a question; none where the question is English."""
    return None if is_english(locale.language) else "$en_question"


def tasks(project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per question of the locale."""
    return [
        Task(
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
    given = [
        (done, row)
        for done in reader.last_of_each(exported, by="template_id")
        if (row := _response(done, reader))
    ]
    _note_reworded([done for done, _ in given], context, reader)
    return reader.reading(responses=[row for _, row in given])


def _note_reworded(given: Sequence[Done], context: StageContext, reader: Reader) -> None:
    """Note questions that were answered in other words than they have now."""
    found: Counter[tuple[str, str, str]] = Counter()
    for done in given:
        name = done.data["template_id"]
        now = context.asked.get(name, {})
        changed = [
            (reader.shown(str(done.data[key])), reader.shown(text))
            for key, text in now.items()
            if key in done.data and clean(str(done.data[key])) != clean(text)
        ]
        if changed:
            before, after = (" / ".join(dict.fromkeys(texts)) for texts in zip(*changed, strict=True))
            found[name, before, after] += 1
    for (name, before, after), number in found.items():
        what = f"{pluralise(number, 'response')} to {name} answered {before}"
        counts = f"{agreeing(number, 'counts', 'count')} for {after}, as it asks now"
        detail = f"{what}, and {counts}; if that asks for something else, give it an id of its own"
        reader.note_question(name, REWORDED, detail)


def _response(done: Done, reader: Reader) -> dict[str, Any] | None:
    """The response of an annotation, or null where none can be made of it; then a finding says why."""
    answers = reader.texts(done, ANSWERS)
    if len(answers) > MAX_ANSWERS:
        rest = ", ".join(reader.shown(text) for text in answers[MAX_ANSWERS:])
        reader.note(
            done, "too-many-answers", f"{len(answers)} answers; left out, behind the first three: {rest}"
        )
        answers = answers[:MAX_ANSWERS]
    non_answer = reader.choice(done, NON_ANSWER, [kind.value for kind in NonAnswer])
    reasons = reader.texts(done, REASON)
    if answers and non_answer is not None:
        listed = ", ".join(map(reader.shown, answers))
        reader.leave_out(
            done, "answer-and-non-answer", f"{listed}, and the non-answer {non_answer!r}; left out"
        )
        return None
    row = {"template_id": done.data["template_id"], "annotator": done.annotator}
    if answers:
        if reasons:
            detail = f"a reason beside answers, {reader.shown(reasons[0])}; the reason is left out"
            reader.note(done, "reason-without-other", detail)
        return {**row, "answers": answers}
    if non_answer is None:
        reader.leave_out(done, "empty-annotation", "neither an answer nor a non-answer; left out")
        return None
    if non_answer != NonAnswer.OTHER.value:
        if reasons:
            detail = f"a reason beside {non_answer!r}, {reader.shown(reasons[0])}; the reason is left out"
            reader.note(done, "reason-without-other", detail)
        return {**row, "non_answer": non_answer}
    if not reasons:
        reader.leave_out(done, "other-without-reason", "the non-answer 'other' without a reason; left out")
        return None
    return {**row, "non_answer": non_answer, "reason": " ".join(reasons)}


STAGE = Stage(
    "answer",
    config,
    tasks,
    read,
    does="give up to three answers, or one of four reasons not to; *another reason* needs words",
    gives="[`responses/`](responses.md#responses)",
    readers=lambda project: project.wanted,
    reads_questions=True,
)
