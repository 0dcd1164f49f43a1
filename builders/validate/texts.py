"""Checks of texts: no characters hide in them, they are in their language's script, and name nobody.

A bidirectional override shows a reader another order than a model reads, a tag character shows nothing at all,
and two spellings of one Unicode text are two answers to a program: none of them may reach a published text.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

import polars as pl

from blend.builders.validate.checked_release import CORRECT_AND_REBUILD, Problem, Release, error, warning
from blend.schemas.manifest import TableInfo
from blend.schemas.personal_data import personal_data
from blend.schemas.rows import (
    ANNOTATIONS,
    MULTIPLE_CHOICE_QUESTIONS,
    QUESTION_CONFIGS,
    QUESTION_SLOT,
    SHORT_ANSWER_PROMPTS,
    SHORT_ANSWER_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    language_of_split,
)
from blend.schemas.texts import (
    forbidden_in,
    meaningless_in,
    ordinary_in,
    ordinary_in_language,
    unseen_in,
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
    MULTIPLE_CHOICE_QUESTIONS: {"question": ENGLISH, "options": ENGLISH},
    TRUE_FALSE_QUESTIONS: {"question": ENGLISH, "option": ENGLISH},
}
"""By configuration, the columns of people's texts and the language that they are in."""
_ALWAYS_ENGLISH = ("origin_en", "continents")
"""Columns that are in English in every split, where the splits are languages; all others are in the split's."""

PROMPTS: Final = ("prompt", "en_prompt")
"""Columns whose texts have several lines."""
_MAY_BE_BLANK = ("question", "Question", "en_question", "Translation")
"""Columns that are blank where their source left them so."""
_EMPTY_WHERE_UNKNOWN = ("Source",)
"""Columns that are empty where nobody recorded what they hold."""
# Nothing, outer white space, or a character that is a control or format character, a separator of lines or
# paragraphs, of private use, unassigned, or the replacement of a damaged one.
_SUSPECT = r"^$|^\s|\s$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\x{FFFD}]"
"""Texts worth a closer look; far fewer than all."""
_SUSPECT_PROMPT = _SUSPECT.replace(r"\p{Cc}", r"[\p{Cc}--\n]")
"""The same where line feeds are welcome."""

_REASONS = "idks.others.reason"
"""Column of annotators' own sentences."""
_ANSWERS = ("annotations.answers", "annotations.en_answers")
"""Columns of answers: a shop's address may be one, so that a person has to look; most numbers are answers."""
# Signs of an address, or at least eight digits with two signs at most between any two of them.
_TRACE = r"@|://|(?i:www\.)|\d(?:[\s().\-/]{0,2}\d){7,}"
"""A text without any of these names nobody."""

_PARTS = {
    "Kore": ("Hang", "Hani"),
    "Jpan": ("Hira", "Kana", "Hani"),
    "Hans": ("Hani", "Bopo"),
    "Hant": ("Hani", "Bopo"),
}
"""ISO 15924 codes that are no scripts of Unicode but variants or unions of them."""
# Classes in Rust's regular expressions: ``--`` takes the second from the first, ``&&`` keeps what both have.
_LETTERS = r"[\p{L}--\p{sc=Zyyy}--\p{sc=Zinh}]"
"""Letters that belong to a script; an apostrophe-like letter such as U+02BB belongs to all."""
_LEAST_SHARE = 0.5
"""Share of the letters of a text that must be in its script: names and loan words may be in another."""
_LOOK = "look whether the text stands in the right column and row"
_SHOWN_LETTERS = 3


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
    for table, rows in release.tables.items():
        for column, texts in _texts_of(rows):
            pattern = _SUSPECT_PROMPT if column in PROMPTS else _SUSPECT
            text = pl.col("text")
            suspects = texts.filter(text.str.contains(pattern) | (text != text.str.normalize("NFC")))
            ordinary = _ordinary(release, table, column)
            for location, held in suspects.iter_rows():
                yield from _problems_of(held, column, location, ordinary)


def check_scripts(release: Release) -> Iterator[Problem]:
    """Texts are in their language's script.

    Names and loan words in Latin letters are welcome.

    * warning: letters that are neither of the locale's script (by Unicode's script property) nor Latin; a
      column of a split with less than half of its letters in the script
    """
    for table, rows in release.tables.items():
        locale = release.locale_of(table)
        languages = LANGUAGES.get(table.config, {})
        for column, texts in _texts_of(rows):
            language = languages.get(column)
            if language is None or (language == LOCAL and locale is None):
                continue
            script = locale.script if language == LOCAL and locale is not None else "Latn"
            letters = _letters_of(script)
            if letters is not None:
                where = f"{table.config}/{table.split}"
                yield from _strange_letters(texts, column, script, letters, where)


def check_translations(release: Release) -> Iterator[Problem]:
    """Questions are translated.

    * warning: the local question is the English one
    """
    is_english = (pl.col("language") == "en") | pl.col("language").str.starts_with("en-")
    rows = release.rows(SHORT_ANSWER_QUESTIONS)
    same = rows.filter((pl.col("Question") == pl.col("Translation")) & ~is_english)
    for location, language in same.select("location", "language").iter_rows():
        yield warning(location, f"Question is the English one, not in {language!r}", "translate it")


def check_personal_data(release: Release) -> Iterator[Problem]:
    """Reasons tell nobody's identity.

    No e-mail addresses, phone numbers, web addresses or handles stand in annotators' words. The report names
    the place and the kind, never the value.

    * error: an e-mail or web address, an @handle, or a number of eight or more digits that is not a date in
      annotators' free-text reasons
    * warning: addresses, handles and phone numbers (``+`` or 0, then 8 to 14 digits) among answers, where a
      shop's may be one
    """
    fix = "remove it from the responses, and rebuild the release"
    for table, rows in release.tables.items():
        if table.config != ANNOTATIONS:
            continue
        for column, texts in _texts_of(rows.select("location", "annotations", "idks")):
            if column != _REASONS and column not in _ANSWERS:
                continue
            found = error if column == _REASONS else warning
            for location, text in texts.filter(pl.col("text").str.contains(_TRACE)).iter_rows():
                for kind in personal_data(text, is_answer=column != _REASONS):
                    yield found(location, f"column {column} holds {kind} (not shown)", fix)


def _texts_of(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The texts of every column, nested ones too.

    Returns:
        Path of a column (``annotations.answers``), and a row per text: ``location`` and ``text``, none null.
    """
    for column in rows.columns:
        if column != "location":
            yield from _inside(column, rows.select("location", text=column))


def _inside(column: str, values: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    dtype = values.schema["text"]
    if isinstance(dtype, pl.List):
        yield from _inside(column, values.explode("text"))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            inner = values.with_columns(pl.col("text").struct.field(field.name).alias("text"))
            yield from _inside(f"{column}.{field.name}", inner)
    elif dtype == pl.String:
        yield column, values.drop_nulls("text")


def _strange_letters(
    texts: pl.DataFrame, column: str, script: str, letters: str, where: str
) -> Iterator[Problem]:
    """Letters of a column that are neither of its script nor Latin, and whether most of its letters are."""
    # The slot of a prompt is no text.
    text = pl.col("text").str.replace_all(QUESTION_SLOT, "", literal=True)
    counts = texts.select(
        "location",
        letters=text.str.count_matches(_LETTERS),
        expected=text.str.count_matches(rf"[\p{{L}}&&[{letters}]]"),
        foreign=text.str.extract_all(rf"[\p{{L}}--[{letters}\p{{sc=Latn}}\p{{sc=Zyyy}}\p{{sc=Zinh}}]]"),
    )
    scripts = script if script == "Latn" else f"{script} and Latn"
    strange = counts.filter(pl.col("foreign").list.len() > 0).select("location", "foreign")
    for location, foreign in strange.iter_rows():
        yield warning(location, f"column {column} has letters outside {scripts}: {_named(foreign)}", _LOOK)
    n_letters, n_expected = int(counts["letters"].sum()), int(counts["expected"].sum())
    if n_letters and n_expected / n_letters < _LEAST_SHARE:
        what = f"column {column}: {n_expected / n_letters:.0%} of the letters are {script}"
        yield warning(where, what, _LOOK)


def _ordinary(release: Release, table: TableInfo, column: str) -> str:
    """Invisible characters that belong to the spelling of a column."""
    locale = release.locale_of(table)
    if LANGUAGES.get(table.config, {}).get(column) == LOCAL and locale is not None:
        return ordinary_in(locale.script, rtl=locale.direction == "rtl")
    if table.config not in QUESTION_CONFIGS and column not in _ALWAYS_ENGLISH:
        return ordinary_in_language(language_of_split(table.split))
    return ""


def _problems_of(text: str, column: str, where: str, ordinary: str) -> Iterator[Problem]:
    """What is wrong with the characters of a text.

    Args:
        text: The text.
        column: Path of its column.
        where: Its place.
        ordinary: Invisible characters that belong to its script.
    """
    if column in PROMPTS:
        text = text.replace("\n", " ")
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
    if not unicodedata.is_normalized("NFC", text):
        yield error(where, f"column {column} is not in Unicode NFC", CORRECT_AND_REBUILD)
    for held in unseen_in(text, ordinary):
        what = f"column {column} holds {held}"
        yield warning(where, what, "look whether the spelling needs them, else remove them")
    for held in meaningless_in(text):
        yield warning(where, f"column {column} holds {held}", "replace them by the characters that are meant")


@lru_cache(maxsize=128)
def _letters_of(script: str) -> str | None:
    """A character class with the letters of a script, for polars; null if Unicode has no such script.

    Args:
        script: ISO 15924 code, for example ``Kore``, which are Hangul and Han letters.
    """
    letters = "".join(rf"\p{{sc={part}}}" for part in _PARTS.get(script, (script,)))
    try:
        # What stands in the series is of no account: the expression is refused if the script is unknown.
        pl.Series(["a"]).str.contains(f"[{letters}]")
    except pl.exceptions.ComputeError:
        return None
    return letters


def _named(chars: list[str]) -> str:
    names = [f"{char} ({unicodedata.name(char, 'no name')})" for char in dict.fromkeys(chars)]
    return ", ".join(names[:_SHOWN_LETTERS]) + (" …" if len(names) > _SHOWN_LETTERS else "")
