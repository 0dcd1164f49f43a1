"""The stage *mcq-review*: natives read every option that questions about their region may show.

A page has one question with all its options: what is shown as correct, and below it what is shown as wrong. Who
reads marks only what must not be shown so; all else is accepted by sending the page. Verdicts and reviewed
fillers come out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from string import ascii_lowercase, digits
from typing import Any
from xml.etree.ElementTree import Element

import polars as pl

from blend.builders.annotation.project import Project
from blend.builders.annotation.stages import layout
from blend.builders.annotation.stages.answer import english_of
from blend.builders.annotation.stages.model import Material, Reading, Stage, StageContext, Task, blend_id
from blend.builders.annotation.stages.reading import Done, Reader
from blend.builders.annotation.ui_strings import PageTexts, UiStrings
from blend.builders.saq.collection import COMPLETE
from blend.schemas.errors import UnknownNameError
from blend.schemas.language.locales import Locale
from blend.schemas.language.text_comparison import clean, pluralise
from blend.schemas.rows.frame_columns import KEY
from blend.schemas.sheets.option_sheets import KEY_ROLE, OK

WRONG, UNSURE, RIGHT, SILLY = "wrong", "unsure", "also_right", "silly"
FILLER, REGION, WHY = "filler", "filler_region", "why"
"""Names of the controls."""

_CONTROLS = {
    **dict.fromkeys((WRONG, UNSURE, RIGHT, SILLY), "choices"),
    **dict.fromkeys((FILLER, REGION, WHY), "textarea"),
}
_KINDS = {WRONG: "wrong", UNSURE: None, RIGHT: "also-right", SILLY: "silly"}
"""Verdict on an option that is ticked, by control; none on a key of which somebody is not sure."""

_PARTS = {"keys": (WRONG, UNSURE), "distractors": (RIGHT, SILLY)}
"""Parts of the page and of a task's data, each with its two columns of boxes."""

_KEYS = {"keys": digits[1:], "distractors": ascii_lowercase}
"""A key of the keyboard for each option, with Shift for the second column; those that find none have no key."""


def config(_project: Project, locale: Locale, texts: PageTexts) -> str:
    """The question; its keys, its distractors, two boxes for each; lines for a filler and for reasons."""
    ui_strings = texts.ui_strings
    root = layout.page(locale, texts)
    layout.restyle(root, _STYLE)
    layout.question(root, english=english_of(locale))
    for part, controls in _PARTS.items():
        _options(root, ui_strings[f"shown_{part}"], controls)
    filler = layout.block(root, "part")
    layout.header(filler, ui_strings["filler"])
    layout.text_field(filler, FILLER, placeholder=ui_strings["filler_text"])
    layout.text_field(filler, REGION, placeholder=ui_strings["filler_region"])
    why = layout.block(root, "part")
    layout.header(why, ui_strings["why"])
    layout.text_field(why, WHY, placeholder=ui_strings["type_reason"])
    return layout.xml(root, texts)


def _options(root: Element, header: str, controls: Iterable[str]) -> None:
    part = layout.block(root, "part")
    layout.header(part, header)
    table = layout.block(part, "options")
    for control in controls:
        fixed = {"name": control, "toName": "question", "choice": "multiple"}
        layout.add(table, "Choices", {**fixed, "value": f"${control}"})


# Both columns are one grid: the first boxes fill it row by row, the second ones the cells beside them.
_STYLE = """\
.blend-options { display: grid; grid-auto-flow: row dense; justify-content: start; column-gap: 2rem; \
grid-template-columns: minmax(0, max-content) max-content; }
.blend-options .lsf-choices { display: contents; }
.blend-options .lsf-choices .lsf-choice { grid-column: 1; margin: 0.15rem 0; }
.blend-options .lsf-choices:last-child .lsf-choice { grid-column: 2; }
"""


def tasks(project: Project, locale: Locale, material: Material) -> list[Task]:
    """One task per question about the locale that may show options which no native has read.

    Its id holds a digest of the options: when others come in later, they make another task, and the earlier one
    stays as it is for those who have yet to read it.
    """
    if material.options is None:
        return []
    answered = material.answered.filter(locale=locale.tag)
    local = dict(answered.select("template_id", "question").iter_rows())
    wordings = _Wordings(answered)
    here = material.options.filter(locale=locale.tag).partition_by("template_id", maintain_order=True)
    return [
        _task(rows, local.get(rows[0, "template_id"]), wordings, material.ui_strings)
        for rows in here
        if project.templates is None or rows[0, "template_id"] in project.templates
    ]


class _Wordings:
    """Local wordings of options that stand in English.

    Args:
        answered: Of the locale; see `Material.answered`.
    """

    def __init__(self, answered: pl.DataFrame) -> None:
        self._of_question: dict[tuple[str, str], list[str]] = {}
        self._of_any: dict[str, list[str]] = {}
        for row in answered.sort("template_id").iter_rows(named=True):
            for group in row["annotations"]:
                for english in map(str.casefold, group["en_answers"]):
                    self._of_question.setdefault((row["template_id"], english), group["answers"])
                    self._of_any.setdefault(english, group["answers"])

    def of(self, template_id: str, option: str) -> str:
        """The option, and behind it how people answered it to this question, or else to another one.

        What comes from another country and nobody here has ever answered stays English alone.
        """
        english = option.casefold()
        answers = self._of_question.get((template_id, english)) or self._of_any.get(english, [])
        local = [text for text in answers if text.casefold() != english]
        return f"{option} ({', '.join(local[:_WORDINGS])})" if local else option


_WORDINGS = 2
"""Local wordings that are shown of one option."""


def _task(rows: pl.DataFrame, local: str | None, wordings: _Wordings, ui_strings: UiStrings) -> Task:
    template_id, locale, question = rows.select(*KEY, "question").row(0)
    shown: dict[str, list[str]] = {part: [] for part in _PARTS}
    for option, role in rows.select("option", "role").iter_rows():
        shown["keys" if role == KEY_ROLE else "distractors"].append(option)
    digest = sha256(
        "\0".join([question, *shown["keys"], "", *sorted(shown["distractors"])]).encode()
    ).hexdigest()
    boxes: dict[str, list[dict[str, str]]] = {}
    for part, (first, second) in _PARTS.items():
        texts = [wordings.of(template_id, option) for option in shown[part]]
        boxes[first] = _boxes(shown[part], texts, _KEYS[part])
        boxes[second] = _boxes(shown[part], [ui_strings[second]] * len(texts), _KEYS[part], "shift+")
    return Task(
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


def read(exported: Sequence[Mapping[str, Any]], context: StageContext) -> Reading:
    """Verdicts and fillers.

    A verdict is on one option of a question: ``template_id``, ``locale``, ``question`` (in English),
    ``option``, ``kind`` (``ok`` for what was not ticked), ``reviewer``, ``native``, ``when``, ``why`` (of what
    is not ok). Of a person's verdicts on one option the last one counts; fillers that several propose are
    there once.
    """
    reader = Reader("mcq-review", _CONTROLS, context)
    verdicts: dict[tuple[str, ...], dict[str, Any]] = {}
    fillers: dict[tuple[str, ...], dict[str, Any]] = {}
    for done in sorted(reader.last_of_each(exported, by="blend_id"), key=lambda done: done.order):
        why = clean("; ".join(reader.texts(done, WHY)))
        for row in _verdicts(done, reader, why):
            verdicts[row["template_id"], row["question"], row["option"], row["reviewer"]] = row
        for row in _fillers(done, reader, context, why):
            fillers.setdefault((row["template_id"], row["option"]), row)
    ordered = [row for _, row in sorted(verdicts.items())]
    return reader.reading(exclusions=ordered, fillers=list(fillers.values()))


def _verdicts(done: Done, reader: Reader, why: str) -> Iterator[dict[str, Any]]:
    """The verdict on every option of the page; none where two boxes are ticked, or somebody is not sure."""
    for controls in _PARTS.values():
        options = [box["alias"] for box in done.data[controls[0]]]
        ticked = {control: reader.letters(done, control, options) for control in controls}
        for option in options:
            kinds = [_KINDS[control] for control in controls if option in ticked[control]] or [OK]
            if len(kinds) > 1:
                detail = f"both boxes of {reader.shown(option)} are ticked; no verdict is taken"
                reader.note(done, "decided-twice", detail)
            elif kinds[0] is not None:
                yield {
                    "template_id": done.data["template_id"],
                    "locale": done.data["locale"],
                    "question": done.data["en_question"],
                    "option": option,
                    "kind": kinds[0],
                    "reviewer": done.annotator,
                    "native": "yes",
                    "when": reader.day(done),
                    "why": "" if kinds[0] == OK else why,
                }


def _fillers(done: Done, reader: Reader, context: StageContext, why: str) -> Iterator[dict[str, Any]]:
    """The wrong option that was proposed, if any, with the region that it comes from."""
    options, regions = (list(map(clean, reader.texts(done, name))) for name in (FILLER, REGION))
    if not options and not regions:
        return
    if len(options) != 1 or len(regions) != 1:
        proposed = f"{pluralise(len(options), 'proposed option')} and {pluralise(len(regions), 'region')}"
        detail = f"{proposed}, not one of each; left out"
        reader.note(done, "incomplete-filler", detail)
        return
    try:
        region = context.locales.called(regions[0])[0].split
    except UnknownNameError:
        detail = f"{reader.shown(options[0])} from the unknown region {reader.shown(regions[0])}; left out"
        reader.note(done, "incomplete-filler", detail)
        return
    yield {
        "template_id": done.data["template_id"],
        "option": options[0],
        "region": region,
        "reviewer": done.annotator,
        "locale": done.data["locale"],
        "why": why,
    }


NEEDS_READERS = "needs-readers"
"""State of a question whose options are to be read by more people."""


def reading_plan(
    tasks: Iterable[Mapping[str, Any]], reading: Reading, readers: int
) -> dict[str, dict[str, Any]]:
    """Plan how many people more are to read the options of a task.

    Args:
        tasks: As they were exported.
        reading: What was read from them.
        readers: People wanted for every task; one more while as many accept an option as refuse it.

    Returns:
        By id of the task, what `collecting.PLAN` says of it, as far as top-ups need it.
    """
    given: dict[tuple[str, str], Counter[bool]] = {}
    for row in reading.rows["exclusions"]:
        given.setdefault((row["template_id"], row["option"]), Counter())[row["kind"] == OK] += 1

    def is_divided(data: Mapping[str, Any]) -> bool:
        options = [box["alias"] for first, _ in _PARTS.values() for box in data[first]]
        found = [given.get((data["template_id"], option), Counter()) for option in options]
        return any(verdicts[True] == verdicts[False] > 0 for verdicts in found)

    return still_to_read(tasks, reading, readers, is_divided, lambda data: str(data["template_id"]))


def still_to_read(
    tasks: Iterable[Mapping[str, Any]],
    reading: Reading,
    readers: int,
    is_divided: Callable[[Mapping[str, Any]], bool],
    named: Callable[[Mapping[str, Any]], str],
) -> dict[str, dict[str, Any]]:
    """Plan readers of tasks that somebody has read; see `reading_plan`.

    Args:
        tasks: As they were exported.
        reading: What was read from them.
        readers: People wanted for every task.
        is_divided: Whether one more is to read what the data of a task show.
        named: What a task is called, likewise.
    """
    people = Counter(reading.work.filter(outcome="counted")["blend_id"])
    plan = {}
    for task in tasks:
        data = task["data"]
        if not people[data.get("blend_id")]:
            continue
        needed = max(readers - people[data["blend_id"]], int(is_divided(data)))
        plan[data["blend_id"]] = {
            "blend_id": data["blend_id"],
            "template_id": named(data),
            "still_needed": needed,
            "open": needed > 0,
            "state": NEEDS_READERS if needed else COMPLETE,
        }
    return plan


STAGE = Stage(
    "mcq-review",
    config,
    tasks,
    read,
    does=(
        "read every option that a question about their region may show: tick a correct one that is wrong, a "
        "wrong one that is right as well, or silly; propose a better wrong one"
    ),
    gives=(
        "`exclusions.jsonl`, `fillers.jsonl`, which the recipe names "
        "([mcq.md](mcq.md#options-that-people-excluded))"
    ),
    readers=lambda project: project.readers,
    by_reviewers=True,
    needs_recipe=True,
    reading_plan=reading_plan,
)
