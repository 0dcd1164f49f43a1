"""Answers from elsewhere: a table or an export, one row per person or annotation, and what its columns mean."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import Field

from blend.loaders.files.content import read_json
from blend.loaders.files.rows import Cells, read_table
from blend.loaders.files.toml import read_toml
from blend.schemas.errors import InputError, RowError
from blend.schemas.models import FrozenModel

Kind = Literal["idk", "no-answer", "not-applicable", "other"]

_HEAD = """\
# What the columns of {name} mean: a draft. Complete it, then run the same command again. docs/responses.md
# explains the keys. Where every answer is a row, take the columns with answers out of leave_out, and write them
# here in their order: answers = ["answer 1", "answer 2"]. Likewise who answered: annotator = "name"; and what
# stands between several answers in one cell: separator = ",". Texts that say that there is no answer come last:
# [non_answers], then a line for each, such as "don't know" = "idk".

"""
_QUESTIONS = """\

# No column is recognised as a question, and nothing in one. If every question is a column, take its name out of
# leave_out and write it here with its template; if every answer is a row, write `question` above as well.
# [questions]
"""


class ImportMap(FrozenModel):
    """Meaning of a table's columns."""

    locale: str | None = None
    """Locale of all answers, for example ``ko-KR``; or else ``locale_column``."""
    locale_column: str | None = None
    """Column that holds the locale of each row."""
    annotator: str | None = None
    """Column that says who answered; when absent, every row is a person of its own."""
    key_file: str | None = None
    """Key of the pseudonyms, relative to the map: people appear by keyed hash. When absent, the table names
    people by pseudonyms already."""
    question: str | None = None
    """Column that says which question a row answers; when absent, every question is a column."""
    answers: tuple[str, ...] = ()
    """Columns with the answers, where ``question`` says to what."""
    separator: str | None = Field(default=None, min_length=1)
    """What stands between several answers in one cell; a cell is one answer when absent."""
    leave_out: tuple[str, ...] = ()
    """Columns that are not imported."""
    leave_out_questions: tuple[str, ...] = ()
    """Questions that are not imported, as the column ``question`` has them."""
    questions: dict[str, str] = Field(default_factory=dict)
    """Id of the template by column (several columns may have one: its first, second and third answer), or by
    what stands in the column ``question``."""
    non_answers: dict[str, Kind] = Field(default_factory=dict)
    """Texts that say that there is no answer, and which kind they are: ``idk``, ``no-answer``,
    ``not-applicable`` or ``other`` (the text is the reason)."""

    @property
    def columns(self) -> list[str]:
        """Columns that the map uses."""
        answers = [*self.questions] if self.question is None else [self.question, *self.answers]
        return [*(name for name in (self.annotator, self.locale_column) if name is not None), *answers]

    @property
    def columns_by_template(self) -> dict[str, list[str]]:
        """The columns of every question, where each has its own."""
        found: dict[str, list[str]] = {}
        for column, template_id in self.questions.items():
            found.setdefault(template_id, []).append(column)
        return found


def read_map(path: Path) -> ImportMap:
    """The map in a file.

    Raises:
        InputError, RowError, RowErrors: As `files.toml.read_toml`, or if keys contradict each other.
    """
    by = read_toml(path, ImportMap, what="map")
    if (by.locale is None) == (by.locale_column is None):
        raise RowError(
            "locale or locale_column", where=f"{path}, key locale", fix="give exactly one of the two"
        )
    if (by.question is None) != (not by.answers):
        fix = "give both for a table with a row per answer, otherwise neither"
        raise RowError("question and answers belong together", where=f"{path}, key question", fix=fix)
    if by.question is None and not by.questions:
        raise RowError("names no column", where=f"{path}, key questions", fix="write one line per question")
    return by


def map_text(by: ImportMap, name: str, templates: Mapping[str, str] | None = None) -> str:
    """A map as the text of a file, for a table of that name.

    Args:
        by: The map.
        name: Of the table's file.
        templates: Where no question is recognised, those that are asked: id to text, written as comments.
    """
    values = by.model_dump(mode="json", exclude_none=True)
    text = _HEAD.format(name=name) + tomli_w.dumps({key: value for key, value in values.items() if value})
    if templates is None:
        return text
    asked = (
        f'# "COLUMN" = {json.dumps(one)}  # {" ".join(question.split())}\n'
        for one, question in templates.items()
    )
    return text + _QUESTIONS + "".join(asked)


WHO = "annotator"
"""What the author of an annotation is called."""
_VALUES = ("text", "choices", "taxonomy", "rating", "number", "datetime", "labels")


def read_answers(path: Path) -> tuple[list[Cells], bool]:
    """Answers in a table, or the annotations of an export, whatever the labelling configuration.

    Args:
        path: A table, of which every cell with JSON may hold several answers; or an export, JSON or JSON-MIN
            (``.json``), as the page *Export* gives it.

    Returns:
        One row per row of a table, or annotation: fields of the task and results by names of their controls, as
        lists of texts, in tables as texts; ``annotator``, as the file names it. In JSON, a control named like a
        field or ``annotator`` is ``control NAME``, and a field ``annotator`` is ``field annotator``.
        Skipped tasks are left out. And whether rows are annotations, of which several may be one person's.

    Raises:
        InputError, RowError, RowErrors: If the file cannot be read, or is not an export.
    """
    if path.suffix.lower() == ".json":
        return _json_rows(path), True
    rows = read_table(path)
    return [
        Cells(row.location, {name: _parsed(one) for name, one in row.values.items()}) for row in rows
    ], False


def _json_rows(path: Path) -> list[Cells]:
    tasks = read_json(path, where=path.name)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise InputError(f"{path}: not a list of tasks; export the project as JSON, JSON-MIN, CSV or TSV")
    rows = []
    for number, task in enumerate(tasks, start=1):
        location = f"{path.name}:{number}"
        if isinstance(task.get("annotations"), list):
            rows += _annotation_rows(location, task)
        else:  # JSON-MIN: one object per annotation
            rows.append(Cells(location, {name: _texts(value) for name, value in task.items()}))
    return rows


def _annotation_rows(location: str, task: Mapping[str, Any]) -> list[Cells]:
    """A row for every annotation of a task that somebody did not skip."""
    data = task["data"] if isinstance(task.get("data"), dict) else {}
    fields = {"field annotator" if name == WHO else name: _texts(value) for name, value in data.items()}
    rows = []
    for number, annotation in enumerate(task["annotations"], start=1):
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        given = defaultdict[str, list[str]](list)
        for result in annotation.get("result") or []:
            if isinstance(result, dict) and "from_name" in result:
                name = str(result["from_name"])
                name = f"control {name}" if name in (*data, WHO) else name
                given[name] += _texts(result.get("value"))
        who = annotation.get("completed_by")
        who = who.get("email") or who.get("id") if isinstance(who, dict) else who
        where = f"{location}, annotation {annotation.get('id', number)}"
        rows.append(Cells(where, {**fields, WHO: _texts(who), **given}))
    return rows


def _texts(value: Any) -> list[str]:
    """The texts of a value: of an object what its control says, of a list those of its parts."""
    if isinstance(value, dict):
        value = next((value[name] for name in _VALUES if name in value), json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, float) and value.is_integer():  # 18 also of the number 18.0
        value = int(value)
    return [] if value is None else [str(value)]


def _parsed(cell: Any) -> Any:
    """A cell of a table, in which several answers stand as JSON; in JSON Lines and Parquet any value."""
    if isinstance(cell, str) and not cell.startswith(("[", "{")):
        return cell
    try:
        return _texts(json.loads(cell) if isinstance(cell, str) else cell)
    except (ValueError, RecursionError):
        return cell


def texts_of_cell(value: Any) -> list[str]:
    """The texts of a cell that are not blank."""
    return [text for text in (value if isinstance(value, list) else [value]) if text and text.strip()]
