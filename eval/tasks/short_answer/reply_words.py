"""Words of replies: how languages join, deny and refuse, from the table ``reply_words.toml``."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from unicodedata import normalize

from blend.schemas.models import toml_tables

PACKAGED = "reply_words.toml"

ENGLISH = "en"

UNSPACED = ("ja", "zh")
"""Languages that write no blanks: their words are found inside others as well."""


# Vowel signs and non-joiners belong to the word, though Python's \w leaves them out; a danda does not.
LETTER = r"[\w\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u200c\u200d]"
"""A character of a word, as a pattern."""


@dataclass(frozen=True, slots=True)
class ReplyWords:
    """Words of a language, and of English, as patterns; the table says what each list means.

    A pattern of no words matches nothing. Texts are to be in NFC.
    """

    joins: re.Pattern[str]
    but: re.Pattern[str]
    negates_next: re.Pattern[str]
    negates_previous: re.Pattern[str]
    negates_word: re.Pattern[str]
    negates_clause: re.Pattern[str]
    not_negations: re.Pattern[str]
    guesses: re.Pattern[str]
    turns: re.Pattern[str]
    refusals: re.Pattern[str]
    beside_refusals: re.Pattern[str]


@lru_cache(maxsize=64)
def reply_words(language: str) -> ReplyWords:
    """The words of a language (primary subtag) and of English; English ones alone where the table has none."""
    tables = packaged_words()
    used = {tag: tables[tag] for tag in (language, ENGLISH) if tag in tables}
    patterns = {name: _any_of(name, used) for name in ReplyWords.__slots__}
    return ReplyWords(**patterns)


@lru_cache(maxsize=1)
def packaged_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The packaged table: language (primary subtag), then name of the list."""
    text = files("blend.eval.tasks.short_answer").joinpath(PACKAGED).read_text(encoding="utf-8")
    return {
        language: {name: tuple(normalize("NFC", word) for word in words) for name, words in table.items()}
        for language, table in toml_tables(text, source=PACKAGED).items()
    }


def _any_of(name: str, tables: Mapping[str, Mapping[str, Iterable[str]]]) -> re.Pattern[str]:
    write = _join if name == "joins" else _word
    found = {
        write(word, spaced=language not in UNSPACED): len(word)
        for language, table in tables.items()
        for word in table.get(name, ())
    }
    # Longer words first: "rather than" is to be found before "rather".
    patterns = sorted(found, key=lambda pattern: -found[pattern])
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)


def _word(word: str, *, spaced: bool) -> str:
    """A pattern for a word; a star stands for further letters of it, an ellipsis for words between others."""
    plain = re.escape(word.strip("*")).replace(r"\*", f"{LETTER}*").replace(r"\ …\ ", ".{1,40}?")
    plain = plain.replace("'", "['’]").replace(r"\ ", r"\s+")
    if not spaced:
        return plain
    before, after = (
        ("" if word.startswith("*") else f"(?<!{LETTER})"),
        ("" if word.endswith("*") else f"(?!{LETTER})"),
    )
    return f"{before}{plain}{after}"


def _join(word: str, *, spaced: bool) -> str:
    """A pattern for what stands between two entries, or is written onto one of them (with a star)."""
    plain = re.escape(word.strip("*"))
    if not spaced:
        # Hiragana beside it belongs to the same word more often than not: もやし is no list.
        return rf"(?<=[^\W\u3041-\u3096]){plain}(?=[^\W\u3041-\u3096])"
    if word.startswith("*"):
        return rf"(?<={LETTER}){plain}\s+(?=\w)"
    if word.endswith("*"):
        return rf"(?<={LETTER})\s+{plain}(?=\w\w)"
    return rf"(?<!{LETTER}){plain}(?!{LETTER})"
