"""The stage *collect*: natives write questions on a topic; they go to ``blend templates propose``."""

from collections.abc import Sequence
from typing import Any

from blend.builders.annotation.project import Project, slug
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, blend_id
from blend.builders.annotation.stages.reading import Done, Reader, quoted
from blend.builders.annotation.ui_strings import is_english
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.formats import AnswerFormat, format_of
from blend.schemas.locales import Locale

LOCAL, ENGLISH, FORM = "local", "in_english", "form"
"""Names of the controls."""

_CONTROLS = {LOCAL: "textarea", ENGLISH: "textarea", FORM: "choices"}

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
"""What an English question says about its format, as `answer_formats.format_of` reads it."""


def tasks(project: Project, locale: Locale, _material: Material) -> list[WantedTask]:
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


def read(lines: Sequence[Line], context: StageContext) -> Reading:
    """Natives' questions as ``blend templates propose`` reads them, and their own wording as a translation.

    Every annotation is a question of its own, also the second one of a task.
    """
    reader = Reader("collect", _CONTROLS, context)
    natives: list[dict[str, Any]] = []
    translations: list[dict[str, Any]] = []
    taken: dict[str, int] = {}
    for done in reader.all_of(lines):
        question = _question(done, reader)
        if question is None:
            continue
        local, english = question
        _, tag, topic, number = str(done.data["blend_id"]).split("/")
        name = f"{topic}-{tag}-{number}"
        taken[name] = taken.get(name, 0) + 1
        name += f"-{taken[name]}" if taken[name] > 1 else ""
        natives.append({"id": name, "topic": str(done.data["topic"]), "locale": tag, "text": english})
        translations.append({"template_id": name, "locale": tag, "question": local})
    return reader.reading(natives=natives, translations=translations)


def _question(done: Done, reader: Reader) -> tuple[str, str] | None:
    """The question in the local language and in English with its format, or null where one is missing."""
    local, english = (" ".join(" ".join(reader.texts(done, name)).split()) for name in (LOCAL, ENGLISH))
    chosen = reader.choice(done, FORM, list(_FORMS))
    for name, text in ((LOCAL, local), (ENGLISH, english), (FORM, chosen)):
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


STAGE = Stage(
    "collect",
    tasks,
    read,
    does="write questions on a topic: in their language, in English, and what kind of answer it wants",
    gives="`natives.jsonl`, `translations.jsonl` for [`blend templates`](templates.md)",
)
