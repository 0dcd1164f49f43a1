"""The stage *rungs*: natives answer the questions that models are asked, one of them each; the ceiling.

What people say goes to ``blend eval run --answers``, as what another tool's model says.
"""

from collections.abc import Mapping, Sequence
from string import digits
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Reader
from blend.builders.annotation.ui_strings import PageTexts
from blend.schemas.language.locales import Locale

ANSWER = "answer"
"""Name of the control."""

_CONTROLS = {ANSWER: "choices"}


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """The question, and its options with a key each."""
    root = layout.page(locale, texts)
    layout.restyle(root, layout.ENGLISH)
    layout.question(root, english=None)
    part = layout.block(root, "part")
    required = {"required": "true", "requiredMessage": texts.ui_strings["option_needed"]}
    fixed = {"name": ANSWER, "toName": "question", "choice": "single-radio", "value": "$options"}
    layout.add(part, "Choices", {**fixed, **required})
    return layout.xml(root, texts)


def tasks(project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per question that people of the locale are asked."""
    if material.rungs is None:
        return []
    rows = material.rungs.filter(locale=locale.tag)
    if project.templates is not None:
        rows = rows.filter(pl.col("template_id").is_in(project.templates))
    return [
        Task(
            {
                "blend_id": blend_id("rungs", locale.tag, row["id"]),
                "locale": locale.tag,
                "question": row["question"],
                "options": [
                    {"value": text, "alias": reply, "hotkey": key}
                    for key, reply, text in zip(digits[1:], row["replies"], row["options"], strict=False)
                ],
            }
        )
        for row in rows.iter_rows(named=True)
    ]


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Answers, by the task that asks models the same: ``item_id``, ``response`` and ``annotator``.

    Of several people's answers to one question the first counts: each is to be one person's, as a model's is.
    """
    reader = Reader("rungs", _CONTROLS, context)
    answers: dict[tuple[str, str], dict[str, Any]] = {}
    for done in sorted(reader.last_of_each(exported, by="blend_id"), key=lambda done: done.order):
        _, _, task, item_id = str(done.data["blend_id"]).split("/", 3)
        reply = reader.choice(done, ANSWER, [option["alias"] for option in done.data["options"]])
        if reply is None:
            reader.leave_out(done, "empty-annotation", "no option is chosen; left out")
        elif (task, item_id) in answers:
            reader.leave_out(done, "annotated-twice", "another person's earlier answer counts; left out")
        else:
            answers[task, item_id] = {"item_id": item_id, "response": reply, "annotator": done.annotator}
    by_task: dict[str, list[dict[str, Any]]] = {}
    for (task, _), row in sorted(answers.items()):
        by_task.setdefault(task, []).append(row)
    return reader.reading(**by_task)


STAGE = Stage(
    "rungs",
    config,
    tasks,
    read,
    does="answer questions of the rungs themselves, as models are asked them",
    gives="`multiple-choice.jsonl`, `true-false.jsonl` ([rungs.md](rungs.md#people))",
)
