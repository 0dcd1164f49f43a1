"""Options: an answer as it may be shown, or as what it rules out. An option stands for all its variants."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from blend.builders.mcq.overlap import base_forms, values
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.locales import Locale, Registry, names_any
from blend.schemas.texts import clean, is_placeholder, scripts_of, words

LocaleText = tuple[str, str]
"""An answer's text and the tag of its locale."""

_LATIN = frozenset(("LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"))
"""First words of the Unicode names of such letters."""


class Acceptable(NamedTuple):
    """A variant of an answer that a locale gave, whoever gave it and however few."""

    text: str
    """As an option would show it."""
    values: frozenset[str]
    """What it can mean, see `builders.mcq.overlap.values`."""
    is_verdict: bool = False
    """Whether nobody of the locale gave it: readers refused it as an option."""


class Option(NamedTuple):
    """An answer that may be shown."""

    text: str
    """As shown: clean, lower case, in the canonical spelling of its format."""
    locale: Locale
    """Whose answer it is."""
    votes: int
    """Annotators behind it; 0 for a reviewed filler."""
    values: frozenset[str]
    """What it and its variants can mean."""
    names_region: bool = False
    """Whether it names a region, its people, its capital or its country, see `names_any`."""


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
    found = spelling(tuple(variants), answer_format, locales)
    if isinstance(found, str):
        return found
    return Option(found.text, locale, votes, found.values, names_region=found.names_region)


class Spelling(NamedTuple):
    """Variants of an answer as one option, whoever gave it."""

    text: str
    values: frozenset[str]
    names_region: bool


# Regions that answer the same question say much the same.
@lru_cache(maxsize=1 << 12)
def spelling(variants: tuple[str, ...], answer_format: AnswerFormat, locales: Registry) -> Spelling | str:
    """Spell variants as one option, or say why they are none; see `as_option`."""
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
    readable = [(text, typed) for text, typed in in_format if is_latin(text)]
    if not readable:
        return "foreign-script"
    # The first variant that passes is shown; the values of all others still count as meant.
    text, typed = readable[0]
    if not values(text, answer_format):
        return "no-words"
    meant = frozenset[str]().union(*(values(text, answer_format) for text, _ in texts))
    return Spelling(_said_once(text), meant, names_any(typed, locales))


def _said_once(text: str) -> str:
    """Choose the shortest of several spellings that a text lists: ``cadbury`` of ``cadbury's, cadbury``."""
    listed = text.split(", ")
    if len(listed) == 1:
        return text
    # They are one but for blanks, hyphens, apostrophes, and an s behind.
    spellings = {"".join(words(one)).removesuffix("s") for one in listed}
    return min(listed, key=len) if len(spellings) == 1 else text


def spelled(text: str, answer_format: AnswerFormat) -> str | None:
    """Write the text in the canonical spelling of a format; null where it is not in it."""
    return text if answer_format is AnswerFormat.TEXT else understood(text, answer_format)


# Every locale of a template is compared with every other one.
@lru_cache(maxsize=1 << 12)
def compared_forms(variants: tuple[str, ...], answer_format: AnswerFormat) -> frozenset[str]:
    """Reduce variants of an answer to what is compared; nothing of one that is not in the format."""
    texts = map(shown, variants)
    if answer_format is AnswerFormat.TEXT:
        found = ("".join(base_forms(text)) for text in texts)
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


def is_latin(text: str) -> bool:
    """Whether all letters are Latin, or belong to no script, as questions are asked in English."""
    return text.isascii() or scripts_of(text) <= _LATIN


def are_apart(one: Locale, other: Locale) -> bool:
    """Whether neither region is or contains the other.

    What people of Indonesia answer may well be right in West Java, whether or not anybody there said so, and
    the other way round; it is not a distractor.
    """
    return one.region != other.region and one.parent != other.region and other.parent != one.region
