"""Import maps: what the columns of a table mean that was collected elsewhere."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import tomli_w
from pydantic import Field

from blend.loaders.files.toml import read_toml
from blend.schemas.errors import RowError
from blend.schemas.models import FrozenModel

Kind = Literal["idk", "no-answer", "not-applicable", "other"]

_HEAD = """\
# What the columns of {name} mean: a draft. Complete it, then run the same command again. docs/responses.md
# explains the keys. Where every answer is a row, take the columns with answers out of leave_out, and write them
# here in their order: answers = ["answer 1", "answer 2"]. Likewise who answered: annotator = "name".

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
