"""Judging: people say something of each row of a sheet; what it is, and its use, stands in ``judge.toml``."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from string import digits
from typing import Any, Literal

from pydantic import Field

from blend.builders.annotation.project import ORDER, Project, StageName
from blend.builders.annotation.stages.model import (
    Material,
    Reading,
    Stage,
    StageContext,
    blend_id,
    still_to_read,
)
from blend.builders.annotation.stages.reading import Done, Reader
from blend.loaders.files.diagnostics import Diagnostics
from blend.loaders.files.rows import Cells, Columns, read_rows
from blend.loaders.label_studio.events import Line
from blend.loaders.label_studio.push import WantedTask
from blend.schemas.errors import InputError
from blend.schemas.locales import Locale
from blend.schemas.models import FrozenModel, toml_tables
from blend.schemas.sheets import parted, unguarded
from blend.schemas.texts import clean

_DEFINED = "judge.toml"
CHOICE, WHY = "choice", "why"
"""Names of the controls."""

_CONTROLS = {CHOICE: "choices", WHY: "textarea"}


class Judge(FrozenModel):
    """One stage of judging; the head of ``judge.toml`` says what each field means."""

    does: str
    gives: str
    file: str
    made_by: str
    columns: tuple[str, ...]
    headline: str
    needed: str
    row: dict[str, str]
    readers: Literal["one", "readers"] = "one"
    by_reviewers: bool = False
    lists: tuple[str, ...] = ()
    by_locale: bool = False
    english: str = ""
    text: str = ""
    text_header: str = ""
    choose: str = ""
    options: dict[str, str] = Field(default={})
    keys: str = digits[1:]
    silent: tuple[str, ...] = ()
    why: str = ""
    once: Literal["", "first", "agreed"] = ""

    @property
    def id_column(self) -> str:
        """The column by which a row is known again."""
        return self.columns[0]


def read_sheet(judge: Judge, path: Path) -> list[dict[str, Any]]:
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
        name = row[judge.id_column]
        if name and first.setdefault(name, cells.location) != cells.location:
            fix = f"delete this row or {first[name]}"
            diagnostics.problem(f"{name!r} occurs a second time", where=cells.location, fix=fix)
        rows.append(row)
    diagnostics.raise_problems()
    return sorted(rows, key=lambda row: str(row[judge.id_column]))


def _cell(judge: Judge, column: str, cells: Cells, diagnostics: Diagnostics) -> Any:
    where, value = f"{cells.location}, column {column}", cells.values.get(column)
    if column in judge.lists:
        texts = parted(unguarded(value)) if isinstance(value, str) else list(map(str, value or []))
    else:
        texts = [text] if (text := unguarded(str(value or "").strip())) else []
    if not texts:
        diagnostics.problem("the cell is blank", where=where, fix="fill it in")
    return list(dict.fromkeys(texts)) if column in judge.lists else "".join(texts)


def _tasks(
    stage: StageName, judge: Judge, _project: Project, locale: Locale, material: Material
) -> list[WantedTask]:
    """One task per row of the sheet; of all rows where it does not say whose people judge it."""
    rows = material.sheets.get(stage, ())
    return [
        WantedTask(
            {
                **row,
                "blend_id": blend_id(stage, locale.tag, str(row[judge.id_column])),
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


def _shown(judge: Judge, row: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Texts of the row of which one is chosen, by key."""
    if judge.choose:
        for number, text in enumerate(row[judge.choose], start=1):
            yield {"value": text, **({"hotkey": str(number)} if number < 10 else {})}


def _read(stage: StageName, judge: Judge, lines: Sequence[Line], context: StageContext) -> Reading:
    """What was said of each row, as ``judge.row`` has it."""
    reader = Reader(stage, _CONTROLS, context)
    given: dict[str, list[tuple[Done, dict[str, Any]]]] = {}
    for done in reader.last_of_each(lines, by="blend_id"):
        if row := _row(judge, done, reader):
            given.setdefault(str(done.data["blend_id"]), []).append((done, row))
    kept: list[dict[str, Any]] = []
    for _, by_person in sorted(given.items()):
        kept += _once(judge, sorted(by_person, key=lambda one: one[0].order), reader)
    return reader.reading(**{judge.file: kept})


def _row(judge: Judge, done: Done, reader: Reader) -> dict[str, Any] | None:
    """The row of an annotation; null where nothing was said, or that somebody does not know."""
    shown = [str(option["value"]) for option in done.data.get("shown") or []]
    choice = reader.choice(done, CHOICE, [*judge.options, *shown])
    if choice is None:
        reader.leave_out(done, "empty-annotation", "nothing is chosen; left out")
        return None
    if choice in judge.silent:
        return None
    values = {
        **done.data, "$annotator": done.annotator, "$choice": choice, "$day": reader.day(done),
        "$why": clean("; ".join(reader.texts(done, WHY))),
    }  # fmt: skip
    return {field: values[name] for field, name in judge.row.items()}


def _once(
    judge: Judge, by_person: Sequence[tuple[Done, dict[str, Any]]], reader: Reader
) -> list[dict[str, Any]]:
    """What counts of what several people said of one thing, first the earliest."""
    if not judge.once:
        return [row for _, row in by_person]
    verdicts = {done.results[CHOICE][0]["choices"][0] for done, _ in by_person}
    if judge.once == "agreed" and len(verdicts) > 1:
        for done, _ in by_person:
            detail = f"{done.results[CHOICE][0]['choices'][0]!r}, on which others say the opposite; left out"
            reader.leave_out(done, "contradicting-verdicts", detail)
        return []
    if judge.once == "first":
        for done, _ in by_person[1:]:
            reader.leave_out(done, "annotated-twice", "another person's earlier answer counts; left out")
    return [by_person[0][1]]


def _reading_plan(judge: Judge, lines: Sequence[Line], reading: Reading, readers: int) -> dict[str, int]:
    """Plan how many people more are to judge a row: one more while two verdicts have as many as each other."""
    given: dict[str, Counter[str]] = {}
    for row in reading.rows[judge.file]:
        given.setdefault(row["id"], Counter())[row["verdict"]] += 1

    def is_divided(data: Mapping[str, Any]) -> bool:
        votes = [n for _, n in given.get(data["id"], Counter()).most_common(2)]
        return len(votes) == 2 and votes[0] == votes[1]

    return still_to_read(lines, reading, readers, is_divided)


_READERS: Mapping[str, Callable[[Project], int]] = {
    "one": lambda _project: 1,
    "readers": lambda project: project.readers,
}


def judge_stage(name: StageName, judge: Judge) -> Stage:
    """The stage in which people judge."""
    return Stage(
        name,
        partial(_tasks, name, judge),
        partial(_read, name, judge),
        does=judge.does,
        gives=judge.gives,
        readers=_READERS[judge.readers],
        by_reviewers=judge.by_reviewers,
        facts=lambda _project: {"judge": judge, "by_locale": judge.by_locale},
        reading_plan=partial(_reading_plan, judge) if judge.readers == "readers" else None,
    )


@cache
def judges() -> Mapping[StageName, Judge]:
    """What people can judge, by stage."""
    text = files("blend.builders.annotation").joinpath(_DEFINED).read_text(encoding="utf-8")
    tables = toml_tables(text, source=_DEFINED)
    return {name: Judge.model_validate(tables[name]) for name in ORDER if name in tables}
