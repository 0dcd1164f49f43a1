"""Checks of characters: nothing invisible, damaged or reordering hides in a text, and all texts are composed.

A bidirectional override shows a reader another order than a model reads, a tag character shows nothing at all,
and two spellings of one Unicode text are two answers to a program: none of them may reach a published text.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import polars as pl

from blend.builders.validate.checked_release import Batch, Release, id_column
from blend.builders.validate.repeated import REPEATED
from blend.builders.validate.report import CORRECT_AND_REBUILD, Problem, error, warning
from blend.builders.validate.texts import ALWAYS_ENGLISH, LANGUAGES, LOCAL, Texts, texts_of
from blend.schemas.base.arrow_types import arrow_schema
from blend.schemas.language.characters import (
    forbidden_in,
    meaningless_in,
    ordinary_in,
    ordinary_in_language,
    unseen_in,
)
from blend.schemas.release.manifest import TableInfo
from blend.schemas.rows.configs import MULTIPLE_CHOICE_CONFIGS, QUESTION_CONFIGS, model_of
from blend.schemas.rows.triple_rows import language_of_split

PROMPTS: Final = ("prompt", "en_prompt")
"""Columns whose texts have several lines, and perhaps white space behind the last."""

_MAY_BE_BLANK = ("question", "Question", "en_question", "Translation")
"""Columns that are blank where their source left them so."""

_EMPTY_WHERE_UNKNOWN = ("Source",)
"""Columns that are empty where nobody recorded what they hold."""

_SUSPECT = r"^$|^\s|\s$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\x{FFFD}]"
"""Texts worth a closer look; far fewer than all."""
_SUSPECT_PROMPT = _SUSPECT.replace(r"\p{Cc}", r"[\p{Cc}--\n]")
"""The same where line feeds are welcome."""


def check_characters(release: Release) -> Iterator[Problem]:
    """Texts hide no characters.

    No control, reordering, hidden or damaged ones; texts are composed (NFC), without outer white space, and
    not blank.

    * error: control characters (a line feed only in `prompt`), characters that reorder text (U+202A to U+202E,
      U+2066 to U+2069), tag characters, U+FFFD; text not in NFC; outer white space; a blank answer
    * warning: a blank question; characters without width outside the scripts that spell with them (joiners in
      Arabic, Indic … scripts, the zero-width space in Khmer, Thai …, direction marks from right to left), by
      the locale or, in tables from Wikidata, the language of the split; private-use and unassigned characters
    """
    for table in release.valid_tables:
        only = _suspicious(release, table) if table.config in MULTIPLE_CHOICE_CONFIGS else None
        yield from _problems_in(release, release.read(table, only=only))


def _suspicious(release: Release, table: TableInfo) -> frozenset[tuple[str, int]]:
    """Batches of multiple-choice questions worth a look, by file and number.

    What repeats other columns, and is as a build writes it, has no other characters than they, apart from plain
    ones. Those columns are looked at first, each different text of the whole table once.
    """
    doubts = release.doubts(table, "texts") | release.doubts(table, "regions")
    held = [name for name in arrow_schema(model_of(table.config)).names if name not in REPEATED]
    batches = list(release.read(table, held))
    for column in held:
        texts = [_different(batch.rows[column]) for batch in batches]
        suspects = _suspects_among(pl.concat(texts).unique())
        if len(suspects):
            doubts |= {
                (batch.file, batch.number)
                for batch, of_batch in zip(batches, texts, strict=True)
                if of_batch.is_in(suspects.implode()).any()
            }
    return doubts


def _different(values: pl.Series) -> pl.Series:
    """The different texts of a column; none if it holds something else."""
    while isinstance(values.dtype, pl.List):
        values = values.explode()
    return (values if values.dtype == pl.String else values.clear().cast(pl.String)).drop_nulls().unique()


def _suspects_among(texts: pl.Series) -> pl.Series:
    return texts.filter(texts.str.contains(_SUSPECT) | (texts != texts.str.normalize("NFC")))


def _problems_in(release: Release, batches: Iterable[Batch]) -> Iterator[Problem]:
    for batch in batches:
        locale = release.locale_of(batch.table)
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
        yield from problems_of(looked_at, texts.column, batch.location(row_id), ordinary)


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
        yield error(batch.location(row_id), what, CORRECT_AND_REBUILD)
