"""Options: an answer as it may be shown, or as what it rules out. An option stands for all its variants.

Two answers that share a value — a word, or a number, time or date that they can mean — may not stand side by
side as right and wrong. For free text the values are the words (so that this covers the rule of
paper mode), their base forms, and their compound: "walk" does not stand beside
"walking", or "ice cream" beside "icecream". An answer in the format of its question has one value, its
canonical spelling; an acceptable answer outside it ("5 to 7", "before 3:00", "in July") has all values that it
can mean.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from blend.schemas.formats import AnswerFormat, canonical, understood
from blend.schemas.languages import base_form
from blend.schemas.locales import Locale, Registry, names_any
from blend.schemas.texts import clean, is_placeholder, scripts_of, words

LocaleText = tuple[str, str]
"""An answer's text and the tag of its locale."""

_LATIN = frozenset(("LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"))
"""First words of the Unicode names of such letters."""


class Option(NamedTuple):
    """An answer that may be shown."""

    text: str
    """As shown: clean, lower case, in the canonical spelling of its format."""
    values: frozenset[str]
    """What it and its variants can mean."""
    names_region: bool
    """Whether it names a region, its people, its capital or its country, see `names_any`."""
    locale: Locale
    """Whose answer it is."""
    votes: int
    """Annotators behind it; 0 for one that a reviewer proposes."""


def as_option(
    variants: Sequence[str], answer_format: AnswerFormat, locale: Locale, votes: int, *, locales: Registry
) -> Option | str:
    """Make one option of the variants of an answer, spelled as the first that can be shown; or say why not.

    Args:
        variants: English variants, the preferred one first.
        answer_format: Format of the question.
        locale: Whose answer it is.
        votes: Annotators behind it.
        locales: Regions that it may name.

    Returns:
        The option, or ``no-english``, ``placeholder`` (an answer that says there is none), ``out-of-format``,
        ``foreign-script`` (no variant in format is in the script of the question) or ``no-words``.
    """
    found = _spelling(tuple(variants), answer_format, locales)
    return found if isinstance(found, str) else Option(*found, locale, votes)


# Regions that answer the same question say much the same.
@lru_cache(maxsize=1 << 12)
def _spelling(
    variants: tuple[str, ...], answer_format: AnswerFormat, locales: Registry
) -> tuple[str, frozenset[str], bool] | str:
    """Find text, values and whether a region is named of variants as one option, or say why they are none."""
    # As shown, and as typed: capitals tell the US from us.
    texts = [(text, typed) for text, typed in zip(map(shown, variants), variants, strict=True) if text]
    if not texts:
        return "no-english"
    if is_placeholder(texts[0][0]):
        return "placeholder"
    read = ((spelled(text, answer_format), typed) for text, typed in texts)
    in_format = [(text, typed) for text, typed in read if text is not None]
    if not in_format:
        return "out-of-format"
    readable = [(text, typed) for text, typed in in_format if _is_latin(text)]
    if not readable:
        return "foreign-script"
    # The first variant that passes is shown; the values of all others still count as meant.
    text, typed = readable[0]
    if not values(text, answer_format):
        return "no-words"
    meant = frozenset[str]().union(*(values(text, answer_format) for text, _ in texts))
    return text, meant, names_any(typed, locales)


def spelled(text: str, answer_format: AnswerFormat) -> str | None:
    """Write the text in the canonical spelling of a format; null where it is not in it."""
    return text if answer_format is AnswerFormat.TEXT else understood(text, answer_format)


# Every locale of a template is compared with every other one.
@lru_cache(maxsize=1 << 12)
def compared_forms(variants: tuple[str, ...], answer_format: AnswerFormat) -> frozenset[str]:
    """Reduce variants of an answer to what is compared; nothing of one that is not in the format."""
    texts = map(shown, variants)
    if answer_format is AnswerFormat.TEXT:
        found = ("".join(map(base_form, words(text))) for text in texts)
    else:
        found = (spelled(text, answer_format) or "" for text in texts)
    return frozenset(form for form in found if form)


@lru_cache(maxsize=1 << 14)
def shown(text: str) -> str:
    """Write the text as an option shows it: clean and in lower case.

    Among BLEnD's English answers only those of the UK and the US have upper-case letters, so that case would
    tell where an option comes from.
    """
    return clean(text.lower())


def _is_latin(text: str) -> bool:
    """Whether all letters are Latin, or belong to no script, as questions are asked in English."""
    return text.isascii() or scripts_of(text) <= _LATIN


def are_apart(one: Locale, other: Locale) -> bool:
    """Whether neither region is or contains the other.

    What people of Indonesia answer may well be right in West Java, whether or not anybody there said so, and
    the other way round; it is not a distractor.
    """
    return one.region != other.region and one.parent != other.region and other.parent != one.region


# What an answer can mean

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TIME = re.compile(r"\d{1,2}:\d{2}")
_DATE = re.compile(r"\d{1,2}/\d{1,2}")
_TIMES = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_LONGEST_NUMBER = 15
"""Digits of the longest number that a float holds exactly; longer ones are no count of anything."""
_WIDEST_RANGE = 10_000
"""Numbers further apart than this are taken as two numbers, not as a range."""


# The larger caches hold the 14,000 texts of 16 regions, or the 9,000 words in them; the smaller ones stand
# where finding a value anew costs little.
@lru_cache(maxsize=1 << 12)
def values(text: str, answer_format: AnswerFormat) -> frozenset[str]:
    """List everything that an answer to a question of this format can mean.

    Args:
        text: The answer in English.
        answer_format: Format of the question.

    Returns:
        For free text its folded words, their English base forms, and all words as one. Otherwise the
        canonical value of an answer in format, and for one that is not: two or more numbers stand for all whole
        numbers from the lowest to the highest; a time for itself on both halves of the day; a month for all its
        days, or for its number where a number is asked for. Empty if nothing can be said.
    """
    if answer_format is AnswerFormat.TEXT:
        found = words(text)
        return frozenset((*found, *map(base_form, found), "".join(found))) if found else frozenset()
    value = understood(text, answer_format)
    if value is not None:
        return frozenset([value])
    if answer_format is AnswerFormat.INTEGER:
        return frozenset(_numbers(text) or _named_months(text))
    if answer_format is AnswerFormat.TIME:
        return frozenset(_times(text))
    return frozenset(f"{int(month):02}/{day:02}" for month in _months_of_dates(text) for day in range(1, 32))


def _numbers(text: str) -> set[str]:
    written = _NUMBER.findall(text.replace(",", ""))
    found = [float(number) for number in written if len(number) <= _LONGEST_NUMBER]
    if not found:
        return set()
    lowest, highest = math.ceil(min(found)), math.floor(max(found))
    between = range(lowest, highest + 1) if highest - lowest <= _WIDEST_RANGE else ()
    return {str(int(n)) if n.is_integer() else f"{n:g}" for n in found} | set(map(str, between))


def _named_months(text: str) -> set[str]:
    """List the numbers of the Gregorian months that an English text names."""
    found = set(words(text))
    return {str(number) for number, name in enumerate(_MONTHS, start=1) if name in found}


def _times(text: str) -> set[str]:
    named = {time for word, time in _TIMES.items() if word in words(text)}
    # People write midnight as 24:00; the format has no such hour.
    found = (canonical(time, AnswerFormat.TIME) for time in _TIME.findall(text.replace("24:", "00:")))
    read = [time for time in found if time is not None]
    return named.union(read, (f"{(int(time[:2]) + 12) % 24:02}{time[2:]}" for time in read))


def _months_of_dates(text: str) -> set[str]:
    return _named_months(text) | {date.split("/")[0] for date in _DATE.findall(text)}
