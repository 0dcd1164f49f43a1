"""Checks of characters: nothing invisible, damaged or reordering hides in a text, and all texts are composed.

A bidirectional override shows a reader another order than a model reads, a tag character shows nothing at all,
and two spellings of one Unicode text are two answers to a program: none of them may reach a published text.
"""

from collections.abc import Iterator
from typing import Final

import polars as pl

from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.builders.validate.subject import Batch, Subject, id_column
from blend.builders.validate.texts import ALWAYS_ENGLISH, LANGUAGES, LOCAL, Texts, texts_of
from blend.schemas.characters import (
    forbidden_in,
    meaningless_in,
    ordinary_in,
    ordinary_in_language,
    unseen_in,
)
from blend.schemas.configs import QUESTION_CONFIGS
from blend.schemas.food import language_of_split

PROMPTS: Final = ("prompt", "en_prompt")
"""Columns whose texts have several lines, and perhaps white space behind the last."""

_MAY_BE_BLANK = ("question", "Question")
"""Columns that are blank where their source left them so."""

_EMPTY_WHERE_UNKNOWN = ("Source",)
"""Columns that are empty where nobody recorded what they hold."""

_SUSPECT = r"^$|^\s|\s$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\x{FFFD}]"
"""Texts worth a closer look; far fewer than all."""
_SUSPECT_PROMPT = _SUSPECT.replace(r"\p{Cc}", r"[\p{Cc}--\n]")
"""The same where line feeds are welcome."""


def check_characters(subject: Subject) -> Iterator[Problem]:
    """Texts hide no characters.

    No control, reordering, hidden or damaged ones; texts are composed (NFC), without outer white space, and
    not blank.
    """
    for batch in subject.batches():
        locale = subject.locale_of(batch.table)
        languages = LANGUAGES.get(batch.table.config, {})
        for texts in texts_of(batch.rows, id_column(batch.table.config)):
            if languages.get(texts.column) == LOCAL and locale is not None:
                ordinary = ordinary_in(locale.script, rtl=locale.direction == "rtl")
            elif batch.table.config not in QUESTION_CONFIGS and texts.column not in ALWAYS_ENGLISH:
                ordinary = ordinary_in_language(language_of_split(batch.table.split))
            else:
                ordinary = ""
            # Options and questions are those of many rows: each different text is looked at once.
            different = texts.rows["text"].unique()
            yield from _suspects(batch, texts, different, ordinary)
            yield from _decomposed(batch, texts, different)


def _suspects(batch: Batch, texts: Texts, different: pl.Series, ordinary: str) -> Iterator[Problem]:
    is_prompt = texts.column in PROMPTS
    suspects = different.filter(different.str.contains(_SUSPECT_PROMPT if is_prompt else _SUSPECT))
    for row_id, text in _rows_with(texts, suspects):
        looked_at = text.replace("\n", " ") if is_prompt else text
        yield from problems_of(looked_at, texts.column, batch.place(row_id), ordinary)


def _rows_with(texts: Texts, some: pl.Series) -> Iterator[tuple[str, str]]:
    """Id and text of the rows that have one of some texts."""
    return texts.rows.filter(pl.col("text").is_in(some.implode())).iter_rows() if len(some) else iter(())


def problems_of(text: str, column: str, where: str, ordinary: str) -> Iterator[Problem]:
    """What is wrong with the characters of a text.

    Args:
        text: The text.
        column: Path of its column.
        where: Its place.
        ordinary: Invisible characters that belong to its script.
    """
    if not text and column in _EMPTY_WHERE_UNKNOWN:
        return
    if not text.strip():
        found = warning if column in _MAY_BE_BLANK else error
        yield found(where, f"column {column} is blank", "fill it in or leave the row out")
        return
    for held in forbidden_in(text):
        yield error(where, f"column {column} holds {held}", CORRECT_AND_REBUILD)
    if text != text.strip():
        yield error(where, f"column {column} begins or ends with white space", CORRECT_AND_REBUILD)
    for held in unseen_in(text, ordinary):
        what = f"column {column} holds {held}"
        yield warning(where, what, "look whether the spelling needs them, else remove them")
    for held in meaningless_in(text):
        yield warning(where, f"column {column} holds {held}", "replace them by the characters that are meant")


def _decomposed(batch: Batch, texts: Texts, different: pl.Series) -> Iterator[Problem]:
    # Plain ASCII needs no normalising, and that is most of the longest texts.
    suspects = different.filter(different.str.len_bytes() != different.str.len_chars())
    for row_id, _ in _rows_with(texts, suspects.filter(suspects != suspects.str.normalize("NFC"))):
        what = f"column {texts.column} is not in Unicode NFC"
        yield error(batch.place(row_id), what, CORRECT_AND_REBUILD)
