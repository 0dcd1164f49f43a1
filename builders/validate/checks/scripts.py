"""Checks of languages: texts are written in a script that their locale uses, and are translated."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import polars as pl

from blend.builders.validate.checked_release import Batch, Release, id_column
from blend.builders.validate.report import Problem, warning
from blend.builders.validate.texts import LANGUAGES, LOCAL, Texts, texts_of
from blend.schemas.rows.configs import SHORT_ANSWER_QUESTIONS
from blend.schemas.rows.published_rows import QUESTION_SLOT

_LOOK = "look whether the text stands in the right column and row"

_PARTS = {
    "Kore": ("Hang", "Hani"),
    "Jpan": ("Hira", "Kana", "Hani"),
    "Hrkt": ("Hira", "Kana"),
    "Hans": ("Hani", "Bopo"),
    "Hant": ("Hani", "Bopo"),
    "Hanb": ("Hani", "Bopo"),
    "Aran": ("Arab",),
    "Latf": ("Latn",),
    "Latg": ("Latn",),
    "Cyrs": ("Cyrl",),
}
"""ISO 15924 codes that are no scripts of Unicode but variants or unions of them."""

# Classes in Rust's regular expressions: ``--`` takes the second from the first, ``&&`` keeps what both have.
_LETTERS = r"[\p{L}--\p{sc=Zyyy}--\p{sc=Zinh}]"
"""Letters that belong to a script; an apostrophe-like letter such as U+02BB belongs to all."""

_SHOWN_LETTERS = 3

_LEAST_SHARE = 0.5
"""Share of the letters of a text that must be in its script: names and loan words may be in another."""


def check_scripts(release: Release) -> Iterator[Problem]:
    """Texts are in their language's script.

    Names and loan words in Latin letters are welcome.

    * warning: letters that are neither of the locale's script (by Unicode's script property) nor Latin; a
      column of a split with less than half of its letters in the script
    """
    totals: dict[tuple[str, str, str], list[int]] = {}
    for batch in _batches(release):
        locale = release.locale_of(batch.table)
        for texts in texts_of(batch.rows, id_column(batch.table.config)):
            language = LANGUAGES[batch.table.config].get(texts.column)
            if language is None or (language == LOCAL and locale is None):
                continue
            script = locale.script if language == LOCAL and locale is not None else "Latn"
            letters = letters_of(script)
            if letters is None:
                continue
            counts = _counts(texts.rows["text"], letters)
            key = (f"{batch.table.config}/{batch.table.split}", texts.column, script)
            total = totals.setdefault(key, [0, 0])
            total[0] += int((counts["expected"] * counts["times"]).sum())
            total[1] += int((counts["letters"] * counts["times"]).sum())
            yield from _foreign(texts, counts, script, batch)
    yield from _too_few(totals)


def check_translations(release: Release) -> Iterator[Problem]:
    """Questions are translated.

    * warning: the local question is the English one
    """
    for batch in release.batches(SHORT_ANSWER_QUESTIONS, columns=["Question", "Translation", "language"]):
        same = (pl.col("Question") == pl.col("Translation")) & ~_is_english(pl.col("language"))
        for row_id, language in batch.rows.filter(same).select("ID", "language").iter_rows():
            what = f"Question is the English one, not in {language!r}"
            yield warning(batch.location(row_id), what, "translate it")


@lru_cache(maxsize=128)
def letters_of(script: str) -> str | None:
    """A character class with the letters of a script, for polars; null if Unicode has no such script.

    Args:
        script: ISO 15924 code, for example ``Kore``, which are Hangul and Han letters.
    """
    letters = "".join(rf"\p{{sc={part}}}" for part in _PARTS.get(script, (script,)))
    try:
        pl.Series(["a"]).str.contains(f"[{letters}]")
    except pl.exceptions.ComputeError:
        return None
    return letters


def _batches(release: Release) -> Iterator[Batch]:
    for table in release.valid_tables:
        if table.config in LANGUAGES:
            yield from release.read(table, [path.split(".")[0] for path in LANGUAGES[table.config]])


def _is_english(language: pl.Expr) -> pl.Expr:
    return (language == "en") | language.str.starts_with("en-")


def _counts(texts: pl.Series, letters: str) -> pl.DataFrame:
    """The letters of every different text, and how many ``times`` it occurs: options do in hundreds of rows."""
    # The slot of a prompt is no text.
    text = pl.col("text").str.replace_all(QUESTION_SLOT, "", literal=True)
    return texts.value_counts(name="times").with_columns(
        letters=text.str.count_matches(_LETTERS),
        expected=text.str.count_matches(rf"[\p{{L}}&&[{letters}]]"),
        foreign=text.str.extract_all(rf"[\p{{L}}--[{letters}\p{{sc=Latn}}\p{{sc=Zyyy}}\p{{sc=Zinh}}]]"),
    )


def _foreign(texts: Texts, counts: pl.DataFrame, script: str, batch: Batch) -> Iterator[Problem]:
    held = dict(counts.filter(pl.col("foreign").list.len() > 0).select("text", "foreign").iter_rows())
    if not held:
        return
    for row_id, text in texts.rows.filter(pl.col("text").is_in([*held])).iter_rows():
        scripts = script if script == "Latn" else f"{script} and Latn"
        what = f"column {texts.column} has letters outside {scripts}: {_named(held[text])}"
        yield warning(batch.location(row_id), what, _LOOK)


def _too_few(totals: dict[tuple[str, str, str], list[int]]) -> Iterator[Problem]:
    for (location, column, script), (expected, letters) in totals.items():
        if letters and expected / letters < _LEAST_SHARE:
            what = f"column {column}: {expected / letters:.0%} of the letters are {script}"
            yield warning(location, what, _LOOK)


def _named(chars: list[str]) -> str:
    names = [f"{char} ({unicodedata.name(char, 'no name')})" for char in dict.fromkeys(chars)]
    return ", ".join(names[:_SHOWN_LETTERS]) + (" …" if len(names) > _SHOWN_LETTERS else "")
