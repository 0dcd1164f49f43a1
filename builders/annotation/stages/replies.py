"""The stage *replies*: natives say whether models' replies to questions about their region are correct.

The sheet comes from ``blend eval judge-sheet``; what people say goes back to ``blend eval judged``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.mcq_review import still_to_read
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Reader
from blend.builders.annotation.ui_strings import PageTexts
from blend.schemas.language.locales import Locale
from blend.schemas.sheets.reply_sheets import REPLY_VERDICTS

VERDICT, UNKNOWN = "verdict", "idk"
"""Name of the control, and what people choose who do not know."""

_CONTROLS = {VERDICT: "choices"}


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """The question, a reply to it, and five keys."""
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.restyle(root, _STYLE)
    layout.question(root, english=None)
    reply = layout.block(root, "reply")
    layout.header(reply, ui_strings["reply"])
    layout.add(reply, "Text", {"name": "reply", "value": "$reply", "selectionEnabled": "false"})
    verdict = layout.block(root, "part")
    names = {name: ui_strings[f"reply_{name}"] for name in REPLY_VERDICTS} | {UNKNOWN: ui_strings[UNKNOWN]}
    required = {"required": "true", "requiredMessage": ui_strings["reply_needed"]}
    layout.choices(verdict, VERDICT, names, keys="12340", **required)
    return layout.xml(root, texts)


_STYLE = """\
.blend-reply .lsf-richtext__line { font-size: 1.4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def tasks(_project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per row of the sheet that is of the locale."""
    if material.replies is None:
        return []
    return [
        Task(
            {
                "blend_id": blend_id("replies", locale.tag, row["id"]),
                "locale": locale.tag,
                "question": row["question"],
                "reply": row["reply"],
            }
        )
        for row in material.replies.filter(locale=locale.tag).sort("id").iter_rows(named=True)
    ]


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Verdicts, one per person and reply: ``id``, ``annotator`` and ``verdict``.

    On a reply of which somebody does not know whether it is correct there is none.
    """
    reader = Reader("replies", _CONTROLS, context)
    rows = []
    for done in reader.last_of_each(exported, by="blend_id"):
        verdict = reader.choice(done, VERDICT, (*REPLY_VERDICTS, UNKNOWN))
        if verdict is None:
            reader.leave_out(done, "empty-annotation", "no verdict; left out")
        elif verdict != UNKNOWN:
            rows.append({"id": _id(done.data), "annotator": done.annotator, "verdict": verdict})
    return reader.reading(verdicts=rows)


def _id(data: Mapping[str, Any]) -> str:
    return str(data["blend_id"]).split("/", 2)[2]


def reading_plan(
    tasks: Iterable[Mapping[str, Any]], reading: Reading, readers: int
) -> dict[str, dict[str, Any]]:
    """Plan how many people more are to judge a reply: one more while two verdicts have as many as each other.

    See `mcq_review.reading_plan` for arguments and result; in place of a template stands the id of the reply.
    """
    given: dict[str, Counter[str]] = {}
    for row in reading.rows["verdicts"]:
        given.setdefault(row["id"], Counter())[row["verdict"]] += 1

    def is_divided(data: Mapping[str, Any]) -> bool:
        votes = [n for _, n in given.get(_id(data), Counter()).most_common(2)]
        return len(votes) == 2 and votes[0] == votes[1]

    return still_to_read(tasks, reading, readers, is_divided, _id)


STAGE = Stage(
    "replies",
    config,
    tasks,
    read,
    does="say whether a model's reply to a question about their region is correct, without knowing the model",
    gives="`verdicts.jsonl` ([short-answers.md](short-answers.md#what-natives-say-of-replies))",
    readers=lambda project: project.readers,
    reading_plan=reading_plan,
)
