"""Options: an answer as it may be shown, or as what it rules out."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from blend.builders.mcq.values import is_latin, is_placeholder, shown, values
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.locales import Locale, Registry
from blend.schemas.mentions import names_any


class Acceptable(NamedTuple):
    """A variant of an answer that a locale gave, whoever gave it and however few."""

    text: str
    """As an option would show it."""
    values: frozenset[str]
    """What it can mean, see `builders.mcq.values.values`."""
    also: frozenset[str] = frozenset()
    """Other English texts that the locale means by the same words of its own, see `Translations.also`."""


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
    """Whether it names a region, its people, its capital or its country, see `schemas.mentions.names_any`."""
    also: frozenset[str] = frozenset()
    """Other English texts that its locale means by the same words of its own, see `Translations.also`."""


def as_option(
    variants: Sequence[str], answer_format: AnswerFormat, locale: Locale, votes: int, *, locales: Registry
) -> Option | str:
    """The variants of an answer as one option, spelled as the first that can be shown; or why it is none.

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


def spelled(text: str, answer_format: AnswerFormat) -> str | None:
    """The text in the canonical spelling of a format; null where it is not in it."""
    return text if answer_format is AnswerFormat.TEXT else understood(text, answer_format)


class Spelling(NamedTuple):
    """The variants of an answer as one option, whoever gave it."""

    text: str
    values: frozenset[str]
    names_region: bool


# Regions that answer the same question say much the same.
@lru_cache(maxsize=1 << 12)
def spelling(variants: tuple[str, ...], answer_format: AnswerFormat, locales: Registry) -> Spelling | str:
    """How variants are shown as one option, or why they are none; see `as_option`."""
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
    text, typed = readable[0]
    if not values(text, answer_format):
        return "no-words"
    meant = frozenset[str]().union(*(values(text, answer_format) for text, _ in texts))
    return Spelling(text, meant, names_any(typed, locales))
