"""The stage *mcq-review*: natives read every option that questions about their region may show.

A page has one question with all its options: what is shown as correct, and below it what is shown as wrong. Who
reads marks only what must not be shown so; all else is accepted by sending the page. Verdicts come out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from string import ascii_lowercase, digits
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages.model import (
    Material,
    Reading,
    Stage,
    StageContext,
    blend_id,
    still_to_read,
)
from blend.builders.annotation.stages.reading import Done, Reader, quoted
from blend.builders.annotation.ui_strings import UiStrings
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale
from blend.schemas.sheets import ALSO_CORRECT, KEY_ROLE, OK
from blend.schemas.texts import clean

WRONG, UNSURE, RIGHT, SILLY, WHY = "wrong", "unsure", "also_right", "silly", "why"
"""Names of the controls."""

_CONTROLS = {**dict.fromkeys((WRONG, UNSURE, RIGHT, SILLY), "choices"), WHY: "textarea"}
_KINDS = {WRONG: "wrong", UNSURE: None, RIGHT: ALSO_CORRECT, SILLY: "silly"}
"""Verdict on an option that is ticked, by control; none on a key of which somebody is not sure."""

_PARTS = {"keys": (WRONG, UNSURE), "distractors": (RIGHT, SILLY)}
"""Parts of the page and of a task's data, each with its two columns of boxes."""

_KEYS = {"keys": digits[1:], "distractors": ascii_lowercase}
"""A key of the keyboard for each option, with Shift for the second column; those that find none have no key."""


def tasks(project: Project, locale: Locale, material: Material) -> list[WantedTask]:
    """One task per question about the locale that may show options which no native has read.

    Its id holds a digest of the options: when others come in later, they make another task, and the earlier one
    stays as it is for those who have yet to read it.
    """
    if material.options is None:
        return []
    answered = material.answered.filter(locale=locale.tag)
    local = dict(answered.select("template_id", "question").iter_rows())
    worded = _wordings(answered)
    here = material.options.filter(locale=locale.tag).partition_by("template_id", maintain_order=True)
    return [
        _task(rows, local.get(rows[0, "template_id"]), worded, material.ui_strings)
        for rows in here
        if project.templates is None or rows[0, "template_id"] in project.templates
    ]


def _wordings(answered: pl.DataFrame) -> Callable[[str, str], str]:
    """From a template and an option in English to the option with how people worded it, in this order.

    Behind it stands how people answered it to this question, or else to another one. What comes from another
    country and nobody here has ever answered stays English alone.
    """
    local: dict[tuple[str, str], list[str]] = {}
    for row in answered.sort("template_id").iter_rows(named=True):
        for group in row["annotations"]:
            for english in map(str.casefold, group["en_answers"]):
                for question in (row["template_id"], ""):
                    local.setdefault((question, english), group["answers"])

    def worded(template_id: str, option: str) -> str:
        english = option.casefold()
        answers = local.get((template_id, english)) or local.get(("", english), [])
        others = [text for text in answers if text.casefold() != english]
        return f"{option} ({', '.join(others[:_WORDINGS])})" if others else option

    return worded


_WORDINGS = 2
"""Local wordings that are shown of one option."""


def _task(
    rows: pl.DataFrame, local: str | None, worded: Callable[[str, str], str], ui_strings: UiStrings
) -> WantedTask:
    template_id, locale, question = rows.select(*KEY, "question").row(0)
    shown: dict[str, list[str]] = {part: [] for part in _PARTS}
    for option, role in rows.select("option", "role").iter_rows():
        shown["keys" if role == KEY_ROLE else "distractors"].append(option)
    digest = sha256(
        "\0".join([question, *shown["keys"], "", *sorted(shown["distractors"])]).encode()
    ).hexdigest()
    boxes: dict[str, list[dict[str, str]]] = {}
    for part, (first, second) in _PARTS.items():
        texts = [worded(template_id, option) for option in shown[part]]
        boxes[first] = _boxes(shown[part], texts, _KEYS[part])
        boxes[second] = _boxes(shown[part], [ui_strings[second]] * len(texts), _KEYS[part], "shift+")
    return WantedTask(
        {
            "blend_id": blend_id("mcq-review", locale, template_id, digest[:8]),
            "locale": locale,
            "template_id": template_id,
            "question": local or question,
            "en_question": question,
            **boxes,
        }
    )


def _boxes(options: Sequence[str], texts: Iterable[str], keys: str, held: str = "") -> list[dict[str, str]]:
    """Choices as Label Studio takes them from a task: text, what the annotation holds, and key."""
    pairs = zip_longest(zip(options, texts, strict=True), keys[: len(options)])
    return [
        {"value": text, "alias": option, **({"hotkey": held + key} if key else {})}
        for (option, text), key in pairs
    ]


def read(lines: Sequence[Line], context: StageContext) -> Reading:
    """Verdicts, with columns of `frame_columns.VERDICTS`: ``ok`` for what was not ticked.

    Of a person's verdicts on one option the last one counts.
    """
    reader = Reader("mcq-review", _CONTROLS, context)
    verdicts: dict[tuple[str, ...], dict[str, Any]] = {}
    for done in sorted(reader.last_of_each(lines, by="blend_id"), key=lambda done: done.order):
        why = clean("; ".join(reader.texts(done, WHY)))
        for row in _verdicts(done, reader, why):
            verdicts[row["template_id"], row["question"], row["option"], row["reader"]] = row
    return reader.reading(verdicts=[row for _, row in sorted(verdicts.items())])


def _verdicts(done: Done, reader: Reader, why: str) -> Iterator[dict[str, Any]]:
    """The verdict on every option of the page; none where two boxes are ticked, or somebody is not sure."""
    for controls in _PARTS.values():
        options = [box["alias"] for box in done.data[controls[0]]]
        ticked = {control: reader.chosen(done, control, options) for control in controls}
        for option in options:
            kinds = [_KINDS[control] for control in controls if option in ticked[control]] or [OK]
            if len(kinds) > 1:
                detail = f"both boxes of {quoted(option)} are ticked; no verdict is taken"
                reader.note(done, "decided-twice", detail)
            elif kinds[0] is not None:
                yield {
                    "template_id": done.data["template_id"],
                    "locale": done.data["locale"],
                    "question": done.data["en_question"],
                    "option": option,
                    "verdict": kinds[0],
                    "reader": done.annotator,
                    "kind": "native",
                    "date": reader.day(done),
                    "why": "" if kinds[0] == OK else why,
                }


def reading_plan(lines: Sequence[Line], reading: Reading, readers: int) -> dict[str, int]:
    """Plan how many people more are to read the options of a task: one more while verdicts on one are divided.

    See `model.ReadingPlan`.
    """
    given: dict[tuple[str, str], Counter[bool]] = {}
    for row in reading.rows["verdicts"]:
        given.setdefault((row["template_id"], row["option"]), Counter())[row["verdict"] == OK] += 1

    def is_divided(data: Mapping[str, Any]) -> bool:
        options = [box["alias"] for first, _ in _PARTS.values() for box in data[first]]
        found = [given.get((data["template_id"], option), Counter()) for option in options]
        return any(verdicts[True] == verdicts[False] > 0 for verdicts in found)

    return still_to_read(lines, reading, readers, is_divided)


STAGE = Stage(
    "mcq-review",
    tasks,
    read,
    does=(
        "read every option that a question about their region may show: tick a correct one that is wrong, a "
        "wrong one that is right as well, or silly"
    ),
    gives=("`verdicts.jsonl`, which the recipe names ([mcq.md](mcq.md#reading-what-questions-may-show))"),
    readers=lambda project: project.readers,
    by_reviewers=True,
    needs_recipe=True,
    reading_plan=reading_plan,
)
