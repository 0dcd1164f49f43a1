"""The stages in which natives judge: *mcq-review*, and those of a sheet.

In *mcq-review*, natives read every option that questions about their region may show. A page has one question:
what is shown as correct, and below it what is shown as wrong. Who reads marks only what must not be shown so;
all else is accepted by sending the page. In the others people say something of each row of a sheet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

import polars as pl

from blend.builders.annotation.project import Project, StageName
from blend.builders.annotation.stage import (
    Done,
    Material,
    Reader,
    Reading,
    Stage,
    StageContext,
    StageDefinition,
    blend_id,
    quoted,
    still_to_read,
)
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.errors import InputError
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale
from blend.schemas.sheets import ALSO_CORRECT, KEY_ROLE, OK, parted, unguarded
from blend.schemas.texts import clean

_WRONG, _UNSURE, _RIGHT, _SILLY, _WHY = "wrong", "unsure", "also_right", "silly", "why"
"""Names of the controls."""

_OPTION_CONTROLS = {**dict.fromkeys((_WRONG, _UNSURE, _RIGHT, _SILLY), "choices"), _WHY: "textarea"}
_KINDS = {_WRONG: "wrong", _UNSURE: None, _RIGHT: ALSO_CORRECT, _SILLY: "silly"}
"""Verdict on an option that is ticked, by control; none on a key of which somebody is not sure."""

_PARTS = {"keys": (_WRONG, _UNSURE), "distractors": (_RIGHT, _SILLY)}
"""Parts of the page and of a task's data, each with its two columns of boxes."""

_KEYS = {"keys": digits[1:], "distractors": ascii_lowercase}
"""A key of the keyboard for each option, with Shift for the second column; those that find none have no key."""


def _option_tasks(project: Project, locale: Locale, material: Material) -> list[WantedTask]:
    """One task per question about the locale that may show options which no native has read.

    Its id holds a digest of the options: when others come in later, they make another task, and the earlier one
    stays as it is for those who have yet to read it.
    """
    if material.options is None:
        return []
    answered = material.answered.filter(locale=locale.tag)
    local = dict(answered.select("template_id", "question").iter_rows())
    here = material.options.filter(locale=locale.tag).partition_by("template_id", maintain_order=True)
    return [
        _option_task(rows, local.get(rows[0, "template_id"]), material.ui_strings)
        for rows in here
        if project.templates is None or rows[0, "template_id"] in project.templates
    ]


def _option_task(rows: pl.DataFrame, local: str | None, ui_strings: Mapping[str, str]) -> WantedTask:
    template_id, locale, question = rows.select(*KEY, "question").row(0)
    shown: dict[str, list[str]] = {part: [] for part in _PARTS}
    for option, role in rows.select("option", "role").iter_rows():
        shown["keys" if role == KEY_ROLE else "distractors"].append(option)
    # The empty text parts the two lists: a key that becomes a distractor makes another task. Distractors are
    # sorted, since an order of theirs alone makes none.
    digest = sha256(
        "\0".join([question, *shown["keys"], "", *sorted(shown["distractors"])]).encode()
    ).hexdigest()
    boxes: dict[str, list[dict[str, str]]] = {}
    for part, (first, second) in _PARTS.items():
        boxes[first] = _boxes(shown[part], shown[part], _KEYS[part])
        boxes[second] = _boxes(shown[part], [ui_strings[second]] * len(shown[part]), _KEYS[part], "shift+")
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


def _read_options(lines: Sequence[Line], context: StageContext) -> Reading:
    """Verdicts, with columns of `frames.VERDICTS`: ``ok`` for what was not ticked.

    Of a person's verdicts on one option the last one counts.
    """
    reader = Reader("mcq-review", _OPTION_CONTROLS, context)
    verdicts: dict[tuple[str, ...], dict[str, Any]] = {}
    # By time, since the pages of two tasks can show one option: the later verdict replaces the earlier one.
    for done in sorted(reader.last_of_each(lines, by="blend_id"), key=lambda done: done.order):
        why = clean("; ".join(reader.texts(done, _WHY)))
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


def _options_plan(lines: Sequence[Line], reading: Reading, readers: int) -> dict[str, int]:
    """Plan how many people more are to read the options of a task; see `Stage.reading_plan`."""
    rows = reading.rows["verdicts"]
    verdicts = (((row["template_id"], row["option"]), row["verdict"] == OK) for row in rows)

    def shown(data: Mapping[str, Any]) -> list[tuple[str, str]]:
        return [(data["template_id"], box["alias"]) for first, _ in _PARTS.values() for box in data[first]]

    return still_to_read(lines, reading, readers, verdicts, shown)


MCQ_REVIEW = _option_tasks, _read_options, _options_plan
"""How a `Stage` makes tasks and reads them, and asks more people."""


# Sheets: people say something of each row.


_CHOICE = "choice"
"""Name of a control, beside `_WHY`."""

_JUDGE_CONTROLS = {_CHOICE: "choices", _WHY: "textarea"}


def read_sheet(judge: StageDefinition, path: Path) -> list[dict[str, Any]]:
    """The rows of a sheet, in the order of their ids, which says nothing.

    Args:
        judge: Says which columns it has; others are left out, so that nobody is shown which model it is about.
        path: A table, JSON Lines or Parquet.

    Raises:
        InputError: If there is no such file, or none of a kind that can be read.
        RowError, RowErrors: If it cannot be read, lacks a column, or has a blank cell or an id twice.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such sheet; correct the path, or make it with `{judge.made_by}`")
    diagnostics, first = Diagnostics(), dict[str, str]()
    rows = []
    for cells in read_rows(path, path.parent, diagnostics, Columns(judge.columns, others=True)):
        row = {column: _cell(judge, column, cells, diagnostics) for column in judge.columns}
        name = row[judge.columns[0]]
        if name and first.setdefault(name, cells.location) != cells.location:
            fix = f"delete this row or {first[name]}"
            diagnostics.problem(f"{name!r} occurs a second time", where=cells.location, fix=fix)
        rows.append(row)
    diagnostics.raise_problems()
    return sorted(rows, key=lambda row: str(row[judge.columns[0]]))


def _cell(judge: StageDefinition, column: str, cells: Cells, diagnostics: Diagnostics) -> Any:
    where, value = f"{cells.location}, column {column}", cells.values.get(column)
    if column in judge.lists:
        texts = parted(unguarded(value)) if isinstance(value, str) else list(map(str, value or []))
    else:
        texts = [text] if (text := unguarded(str(value or "").strip())) else []
    if not texts:
        diagnostics.problem("the cell is blank", where=where, fix="fill it in")
    return list(dict.fromkeys(texts)) if column in judge.lists else "".join(texts)


def _judge_tasks(
    stage: StageName, judge: StageDefinition, _project: Project, locale: Locale, material: Material
) -> list[WantedTask]:
    """One task per row of the sheet; of all rows where it does not say whose people judge it."""
    rows = material.sheets.get(stage, ())
    return [
        WantedTask(
            {
                **row,
                "blend_id": blend_id(stage, locale.tag, str(row[judge.columns[0]])),
                "locale": locale.tag,
                "headline": judge.headline.format(**row),
                "english": judge.english.format(**row),
                "text": judge.text.format(**row),
                "shown": list(_shown(judge, row)),
            }
        )
        for row in rows
        if not judge.by_locale or row["locale"] == locale.tag
    ]


def _shown(judge: StageDefinition, row: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Texts of the row of which one is chosen, by key."""
    if judge.choose:
        for number, text in enumerate(row[judge.choose], start=1):
            yield {"value": text, **({"hotkey": str(number)} if number < 10 else {})}


def _read_judged(
    stage: StageName, judge: StageDefinition, lines: Sequence[Line], context: StageContext
) -> Reading:
    """What was said of each row, as its ``row`` in ``stages.toml`` has it."""
    reader = Reader(stage, _JUDGE_CONTROLS, context)
    given: dict[str, list[tuple[Done, dict[str, Any]]]] = {}
    for done in reader.last_of_each(lines, by="blend_id"):
        if row := _row(judge, done, reader):
            given.setdefault(str(done.data["blend_id"]), []).append((done, row))
    kept: list[dict[str, Any]] = []
    for _, by_person in sorted(given.items()):
        kept += _once(judge, sorted(by_person, key=lambda one: one[0].order), reader)
    return reader.reading(**{judge.file: kept})


def _row(judge: StageDefinition, done: Done, reader: Reader) -> dict[str, Any] | None:
    """The row of an annotation; null where nothing was said, or that somebody does not know."""
    shown = [str(option["value"]) for option in done.data.get("shown") or []]
    choice = reader.choice(done, _CHOICE, [*judge.options, *shown])
    if choice is None:
        reader.leave_out(done, "empty-annotation", "nothing is chosen; left out")
        return None
    if choice in judge.silent:
        return None
    values = {
        **done.data, "$annotator": done.annotator, "$choice": choice, "$day": reader.day(done),
        "$why": clean("; ".join(reader.texts(done, _WHY))),
    }  # fmt: skip
    return {field: values[name] for field, name in judge.row.items()}


def _once(
    judge: StageDefinition, by_person: Sequence[tuple[Done, dict[str, Any]]], reader: Reader
) -> list[dict[str, Any]]:
    """What counts of what several people said of one thing, first the earliest."""
    if not judge.once:
        return [row for _, row in by_person]
    verdicts = {done.results[_CHOICE][0]["choices"][0] for done, _ in by_person}
    if judge.once == "agreed" and len(verdicts) > 1:
        for done, _ in by_person:
            detail = f"{done.results[_CHOICE][0]['choices'][0]!r}, on which others say the opposite; left out"
            reader.leave_out(done, "contradicting-verdicts", detail)
        return []
    if judge.once == "first":
        for done, _ in by_person[1:]:
            reader.leave_out(done, "annotated-twice", "another person's earlier answer counts; left out")
    return [by_person[0][1]]


def _judge_plan(
    judge: StageDefinition, lines: Sequence[Line], reading: Reading, readers: int
) -> dict[str, int]:
    """Plan how many people more are to judge a row."""
    verdicts = ((row["id"], row["verdict"]) for row in reading.rows[judge.file])
    return still_to_read(lines, reading, readers, verdicts, lambda data: [data["id"]])


def of_sheet(name: StageName, judge: StageDefinition) -> Stage:
    """The stage in which people judge the rows of a sheet."""
    return Stage(
        name,
        judge,
        partial(_judge_tasks, name, judge),
        partial(_read_judged, name, judge),
        partial(_judge_plan, judge) if judge.readers == "readers" else None,
    )
