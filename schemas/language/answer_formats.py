"""Answer formats: what shape the answer to a question must have, and its one canonical spelling."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from unicodedata import normalize

from blend.schemas.language.calendar_notations import day_in, time_in
from blend.schemas.language.notations import number_in
from blend.schemas.language.numerals import FRACTION_SIGN, western


class AnswerFormat(StrEnum):
    """The shape of an answer, fixed by its template for all locales alike; the widest first."""

    TEXT = "text"
    INTEGER = "integer"
    TIME = "HH:MM"
    DATE = "MM/DD"


_HINTS = (
    ("HH:MM", AnswerFormat.TIME),
    ("MM/DD", AnswerFormat.DATE),
    ("Arabic numerals", AnswerFormat.INTEGER),
)

_TIME = re.compile(r"(\d{1,2}):(\d{2})")
_DATE = re.compile(r"(\d{1,2})/(\d{1,2})")
# Not three zeros after a point: 5.000 is five in London and five thousand in Jakarta.
_INTEGER = re.compile(r"-?\d+(?:\.0(?:0|0{3,})?)?")
_FULL_STOPS = " .,;!。、،؛۔।։።"
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def format_of(text: str) -> AnswerFormat:
    """The format that an English question asks for, by the hint it carries.

    BLEnD writes the hint into the question: ``(e.g., HH:MM)``, ``(e.g., MM/DD)``, ``in Arabic numerals``. A
    question without a hint takes free text.
    """
    return next((asked for hint, asked in _HINTS if hint in text), AnswerFormat.TEXT)


def format_of_template(asked: Iterable[AnswerFormat]) -> AnswerFormat:
    """The format of a template whose questions ask for these: the one that most ask for.

    A question that was reworded in one locale does not change what the template asks for. On a tie the narrower
    format counts, in the order of `AnswerFormat` with the narrowest last.
    """
    votes = Counter(asked)
    narrowness = list(AnswerFormat)
    return max(votes, key=lambda answer_format: (votes[answer_format], narrowness.index(answer_format)))


def canonical(answer: str, answer_format: AnswerFormat) -> str | None:
    """The answer in the one spelling of its format, or ``None`` when it does not have the format.

    Text is stripped of outer white space and must not be blank. An integer loses leading zeros and a zero
    fraction (``"07"`` and ``"7.0"`` are ``"7"``; ``"7.000"`` may be thousands and is neither), a time is
    ``HH:MM`` on the 24-hour clock, a date ``MM/DD`` of a leap year, and not a fraction (``"¼"``). Digits of any
    script count (``"٧"`` is ``"7"``).
    """
    if answer_format is AnswerFormat.DATE and FRACTION_SIGN.search(answer):
        return None
    text = western(answer.strip())
    return _CANONICAL[answer_format](text)


def understood(
    answer: str, answer_format: AnswerFormat, language: str = "en", *, unit: str | None = None
) -> str | None:
    """The canonical spelling of an answer that people also write in another notation.

    Besides what `canonical` takes, and punctuation behind it all (``7.``): numbers with marks of thousands, in
    words to twelve, and with a counter (`notations.number_in`); times on the 12-hour clock and with a
    word for the hour, days with the name of their month (`schemas.language.calendar_notations`).
    ``docs/aggregation.md`` lists them. ``None`` for anything else: ``noon``, ``around 7`` and ``5 to 7`` are
    not one value, and nothing is guessed.

    Args:
        answer: As typed.
        answer_format: Format of the question.
        language: BCP 47 tag; words of it and of English are read.
        unit: Unit of time in which a whole number is asked for (`notations.asked_unit`): with ``weeks``
            ``7 weeks`` is 7, with anything else it is not.
    """
    if answer_format is AnswerFormat.TEXT:
        return canonical(answer, answer_format)
    text = normalize("NFKC", western(answer)).strip().casefold().rstrip(_FULL_STOPS)
    if answer_format is AnswerFormat.INTEGER:
        text = number_in(text, language, unit)
    elif answer_format is AnswerFormat.TIME:
        text = time_in(text)
    elif not FRACTION_SIGN.search(answer):
        text = day_in(text, language)
    else:
        return None
    return canonical(text, answer_format)


_LONGEST_NUMBER = 15
"""Characters of the longest number that a float holds exactly."""


def form_in_words(asked: AnswerFormat) -> str:
    """Return what an answer in a format is called in a message."""
    return "a whole number" if asked is AnswerFormat.INTEGER else asked.value


def any_in_format(texts: Iterable[str], asked: AnswerFormat, locale: str) -> bool:
    """Whether one of the answers and translations of a group has the format that its question asks for."""
    return any(understood(text, asked, locale) is not None for text in texts)


def lacks_format(
    answer: str, group: Iterable[str], asked: AnswerFormat, locale: str, *, unit: str | None
) -> bool:
    """Whether neither an answer nor its group has the format asked for: a build would stop at it."""
    return understood(answer, asked, locale, unit=unit) is None and not any_in_format(group, asked, locale)


def magnitude(answer: str, answer_format: AnswerFormat) -> float | None:
    """An answer in its format as a number: the integer, minutes of the day, or days of a year of 31-day months.

    Null for free text, for an answer that is not in its format, and for numbers beyond any count.
    """
    value = None if answer_format is AnswerFormat.TEXT else canonical(answer, answer_format)
    if value is None or len(value) > _LONGEST_NUMBER:
        return None
    if answer_format is AnswerFormat.INTEGER:
        return float(value)
    first, second = int(value[:2]), int(value[3:])
    return float(first * (60 if answer_format is AnswerFormat.TIME else 31) + second)


def _text(text: str) -> str | None:
    return text or None


def _integer(text: str) -> str | None:
    if not _INTEGER.fullmatch(text):
        return None
    # As text: Python refuses to read a number of thousands of digits, which some models write.
    digits = text.split(".", maxsplit=1)[0].removeprefix("-").lstrip("0")
    return f"{'-' if text.startswith('-') else ''}{digits}" if digits else "0"


def _time(text: str) -> str | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2])
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None


def _date(text: str) -> str | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    month, day = int(match[1]), int(match[2])
    return f"{month:02}/{day:02}" if 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] else None


_CANONICAL: dict[AnswerFormat, Callable[[str], str | None]] = {
    AnswerFormat.TEXT: _text,
    AnswerFormat.INTEGER: _integer,
    AnswerFormat.TIME: _time,
    AnswerFormat.DATE: _date,
}
