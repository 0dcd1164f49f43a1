"""Text columns: every text of a table, however deep it lies, and the language it should be in."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

import polars as pl

from blend.schemas.rows.configs import (
    ANNOTATIONS,
    MULTIPLE_CHOICE_CONFIGS,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
)

LOCAL: Final = "local"
ENGLISH: Final = "English"

LANGUAGES: dict[str, dict[str, Literal["local", "English"]]] = {
    ANNOTATIONS: {
        "question": LOCAL,
        "en_question": ENGLISH,
        "annotations.answers": LOCAL,
        "annotations.en_answers": ENGLISH,
    },
    SHORT_ANSWER_QUESTIONS: {"Question": LOCAL, "Translation": ENGLISH},
    SHORT_ANSWER_PROMPTS: {"prompt": LOCAL, "en_prompt": ENGLISH},
    **{config: {"question": ENGLISH, "options": ENGLISH} for config in MULTIPLE_CHOICE_CONFIGS},
    TRUE_FALSE_QUESTIONS: {"question": ENGLISH, "option": ENGLISH},
}
"""By configuration, the columns of people's texts and the language that they are in."""


ALWAYS_ENGLISH = ("origin_en", "continents")
"""Columns that are in English in every split, where the splits are languages; all others are in the split's."""


class Texts(NamedTuple):
    """All texts of a column."""

    column: str
    """Path of the column, for example ``annotations.answers``."""
    rows: pl.DataFrame
    """One row per text: ``row_id`` and ``text``, none null."""


def texts_of(rows: pl.DataFrame, id_column: str) -> Iterator[Texts]:
    """The texts of every column of a frame, nested ones too, by the path of their column."""
    for column in rows.columns:
        yield from _inside(column, rows.select(row_id=id_column, value=column))


def _inside(column: str, values: pl.DataFrame) -> Iterator[Texts]:
    dtype = values.schema["value"]
    if isinstance(dtype, pl.List):
        yield from _inside(column, values.explode("value"))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            inner = values.select("row_id", value=pl.col("value").struct.field(field.name))
            yield from _inside(f"{column}.{field.name}", inner)
    elif dtype == pl.String:
        yield Texts(column, values.rename({"value": "text"}).drop_nulls("text"))
