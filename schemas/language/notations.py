"""Notations: whole numbers, times and days as people write them in their languages.

What is read here a careful reader would read the same way without knowing the question. Nothing is guessed:
``around 7``, ``5 to 7``, ``noon``, a month without a day, a unit of time or money behind a number.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from blend.schemas.language.numerals import chinese_number
from blend.schemas.language.spelling import respell

_ASKED_UNITS = (
    ("years", re.compile(r"\bin years\b|\bhow many years\b|\bage\b")),
    ("months", re.compile(r"\bin months\b|\bhow many months\b")),
    ("weeks", re.compile(r"\bin weeks\b|\bin terms of weeks\b|\bhow many weeks\b")),
    ("days", re.compile(r"\bin days\b|\bhow many (?:\w+ )?days\b")),
    ("hours", re.compile(r"\bin hours\b|\bhow many hours\b|\bnumber of hours\b")),
    ("minutes", re.compile(r"\bin minutes\b|\bhow many minutes\b|\(minutes\)")),
)

# A comma or a point between each three digits; a single point may be one of decimals, two cannot.
# The last form is the Indian one, 1,00,000.
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d{1,3}(?:\.\d{3}){2,}|-?\d{1,2}(?:,\d{2})+,\d{3}")
_COUNTED = re.compile(r"(-?\d[\d.,]*)\s?(\D+)")
_LETTERS = re.compile(r"[^\W\d_]")


def asked_unit(en_question: str | None) -> str | None:
    """The unit of time in which an English question wants its number: ``weeks`` of ``How long (in weeks) …``.

    Null if it names none, or several.
    """
    found = [unit for unit, wording in _ASKED_UNITS if wording.search((en_question or "").lower())]
    return found[0] if len(found) == 1 else None


def number_in(text: str, language: str, unit: str | None = None) -> str:
    """A whole number in digits without marks of thousands, if the text writes one; else the text.

    Args:
        text: Digits 0-9, folded, without outer punctuation.
        language: BCP 47 tag; number words and counters of other languages than it and English are not read.
        unit: Unit of time that the question asks for (`asked_unit`); any other one behind a number is kept.
    """
    for tag in _read_as(language):
        words = number_words(tag)
        if (value := words.get(respell(text, tag))) is not None:
            return str(value)
        counters = _counters(tag, unit)
        with_counter = _COUNTED.fullmatch(text)
        if with_counter and respell(with_counter[2], tag) in counters:
            return _without_thousands(with_counter[1])
        for word, number in (*words.items(), *_words()["before_counters"].get(tag, {}).items()):
            if text.startswith(word) and respell(text[len(word) :], tag) in counters:
                return str(number)
        counted_in_chinese = _chinese_count(text, counters) if tag in ("zh", "ja") else None
        if counted_in_chinese is not None:
            return str(counted_in_chinese)
    return _without_thousands(text)


def _without_thousands(text: str) -> str:
    return re.sub(r"[.,]", "", text) if _THOUSANDS.fullmatch(text) else text


def _chinese_count(text: str, counters: frozenset[str]) -> int | None:
    # The whole text, or all but a counter of one or two characters.
    for end in range(len(text), max(len(text) - 3, 0), -1):
        is_counter = end == len(text) or text[end:].strip() in counters
        if is_counter and (value := chinese_number(text[:end].strip())) is not None:
            return value
    return None


def _read_as(language: str) -> tuple[str, ...]:
    """The language, and English beside it: Spanish ``once`` is eleven."""
    primary = language.partition("-")[0].lower()
    return (primary,) if primary == "en" else (primary, "en")


@cache
def number_words(language: str) -> dict[str, int]:
    """The numbers to twelve of a language in words, as respelled there."""
    columns = _words()["numbers"].get(language, "").split()
    return {
        respell(form.replace("_", " "), language): value
        for value, forms in enumerate(columns)
        for form in forms.split("/")
        if form != "-"
    }


@cache
def _counters(language: str, unit: str | None) -> frozenset[str]:
    listed = _words()["counters"].get(language, ""), _words()["units"].get(unit or "", {}).get(language, "")
    return frozenset(respell(word, language) for words in listed for word in words.split("/") if word)


@cache
def month_names(language: str) -> dict[str, int]:
    """The Gregorian months of a language by name, as respelled there."""
    return {
        respell(name, language): month
        for month, names in enumerate(_words()["months"].get(language, "").split(), start=1)
        for name in names.split("/")
    }


@cache
def _words() -> Mapping[str, Any]:
    """``words.toml``: numbers, counters, units and months by language."""
    return tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
