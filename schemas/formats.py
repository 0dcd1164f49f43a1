"""Answer formats: numbers, times and days as people write them, and the one canonical spelling of each.

Calendars have their Unicode names (UTS 35, key ``ca``, https://unicode.org/reports/tr35/#UnicodeCalendarIdentifier).

What is read here a careful reader would read the same way without knowing the question. Nothing is guessed:
``around 7``, ``5 to 7``, ``noon``, a month without a day, a unit of time or money behind a number.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Literal
from unicodedata import normalize

from blend.schemas.models import packaged_tables
from blend.schemas.texts import FRACTION_SIGN, chinese_number, respell, western

Calendar = Literal["gregory", "persian", "ethiopic"]
"""Gregorian; Solar Hijri, the civil calendar of Iran; Ethiopian."""


# Three years of four begin on 21 March and on 11 September (Reingold and Dershowitz 2018, Calendrical
# Calculations, 4th edition, chapters 4 and 15, https://doi.org/10.1017/9781107415058). In Iran the leap day is
# the 30th of the last month, 20 March as the 29th is in other years; in Ethiopia it comes on 11 September,
# before a new year that begins a day later.
_YEARS = {
    "persian": ((31,) * 6 + (30,) * 6, date(2022, 3, 21), 365),
    "ethiopic": ((30,) * 12 + (6,), date(2021, 9, 11), 366),
}
"""By calendar, a year as most are: days of its months, in a leap year; its first day, in a year in which
neither has a leap day; and the days behind which no other one begins: the leap day shares the last one."""


def gregorian_day(month: int, day: int, calendar: Calendar) -> str | None:
    """Find the Gregorian day, ``MM/DD``, on which a day of another calendar falls in most years.

    In one year of four it is a day off, before or behind a leap day.

    Args:
        month: From 1.
        day: Of the month, from 1.
        calendar: Any but the Gregorian one.

    Returns:
        The day; null if that calendar has no such day.
    """
    days, start, length = _YEARS[calendar]
    if not (1 <= month <= len(days) and 1 <= day <= days[month - 1]):
        return None
    passed = min(sum(days[: month - 1]) + day, length) - 1
    return f"{start + timedelta(passed):%m/%d}"


_ASKED_UNITS = (
    ("years", re.compile(r"\bin years\b|\bhow many years\b|\bage\b")),
    ("months", re.compile(r"\bin months\b|\bhow many months\b")),
    ("weeks", re.compile(r"\bin weeks\b|\bin terms of weeks\b|\bhow many weeks\b")),
    ("days", re.compile(r"\bin days\b|\bhow many (?:\w+ )?days\b")),
    ("hours", re.compile(r"\bin hours\b|\bhow many hours\b|\bnumber of hours\b")),
    ("minutes", re.compile(r"\bin minutes\b|\bhow many minutes\b|\(minutes\)")),
)

_TENTHS = " in tenths"
"""Behind the unit of a question to which 0.5 is an answer."""
_IN_TENTHS = re.compile(r"(\d{1,3})[.,](\d)")

# A comma or a point between each three digits; a single point may be one of decimals, two cannot.
# The last form is the Indian one, 1,00,000.
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d{1,3}(?:\.\d{3}){2,}|-?\d{1,2}(?:,\d{2})+,\d{3}")
_COUNTED = re.compile(r"(-?\d[\d.,]*)\s?(\D+)")
_ONE_COMMA = re.compile(r"(?<![\d.,])\d{1,3},\d{3}(?![.,]?\d)")


def asked_unit(en_question: str | None) -> str | None:
    """The unit of time in which an English question wants its number: ``weeks`` of ``How long (in weeks) …``.

    Null if it names none, or several. Where it asks for numerals "up to one decimal point", `_TENTHS` follows.
    """
    asked = (en_question or "").lower()
    found = [unit for unit, wording in _ASKED_UNITS if wording.search(asked)]
    unit = found[0] if len(found) == 1 else None
    return f"{unit or ''}{_TENTHS}" if "one decimal point" in asked else unit


def _number_in(text: str, language: str, unit: str | None = None) -> str:
    """A whole number in digits without marks of thousands, its decimals behind a point; else the text.

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
    number = _without_thousands(text)
    return number.replace(",", ".") if _has_decimal_comma(language) else number


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
    of_unit = _words()["units"].get((unit or "").removesuffix(_TENTHS), {})
    listed = _words()["counters"].get(language, ""), of_unit.get(language, "")
    return frozenset(respell(word, language) for words in listed for word in words.split("/") if word)


@cache
def month_names(language: str) -> dict[str, int]:
    """The Gregorian months of a language by name, as respelled there."""
    return {
        respell(name, language): month
        for month, names in enumerate(_words()["months"].get(language, "").split(), start=1)
        for name in names.split("/")
    }


def _words() -> Mapping[str, Any]:
    """``words.toml``: numbers, counters, units and months by language."""
    return packaged_tables("words.toml")


_TWELVE_HOURS = re.compile(r"(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.? ?m\.?")
# Not 0.25, which a spreadsheet makes of 6:00.
_CLOCK = re.compile(r"(?:(?:pukul|jam) )?(?!0\.)(\d{1,2})[:.](\d{2})(?: ?(?:h|hrs|hours|uhr))?")
_HOURS = re.compile(r"(\d{1,2}) ?(?:h ?(\d{2})?|uhr ?(\d{2})?|o['’]?clock)")
_SYLLABLES = re.compile(
    r"(오전|오후|아침|저녁|밤|새벽|上午|下午|早上|晚上|中午|凌晨|午前|午後)? ?"
    r"(\d{1,2}) ?[시点點时時](?:钟|鐘)? ?(?:(\d{1,2}) ?[분分]?|(반|半))?"
)
_MIDNIGHT_AFTER = (24, 0)

# ``hour % 12 + 12`` leaves 13 to 23, which are of 24 already, as they are. Twelve is noon in the afternoon and
# midnight at night, in the morning and before dawn.
_MORNING = {12: 0, **{hour: hour for hour in range(12)}}
_AFTERNOON = {hour: hour % 12 + 12 for hour in range(1, 24)}
_EVENING = {hour: hour % 12 + 12 for hour in (*range(5, 12), *range(17, 24))}
_NIGHT = {12: 0, **{hour: hour % 12 + 12 for hour in (*range(6, 12), *range(18, 24))}}
_BEFORE_DAWN = {12: 0, **{hour: hour for hour in range(7)}}
_LATER_HOURS = {
    **dict.fromkeys(("오전", "아침", "上午", "早上", "午前", "a"), _MORNING),
    **dict.fromkeys(("오후", "下午", "午後", "p"), _AFTERNOON),
    "저녁": _EVENING,
    **dict.fromkeys(("밤", "晚上"), _NIGHT),
    **dict.fromkeys(("새벽", "凌晨"), _BEFORE_DAWN),
    "中午": {12: 12},
}
"""By word for a part of the day, the hour of 24 for an hour beside it; none where people may mean either."""

_NUMBERED_DAY = re.compile(r"(\d{1,2}) ?(?:월|月) ?(\d{1,2}) ?[일日号號]")
_NAMED_DAY = re.compile(
    r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th|er|º)?\.?(?: (?:of|de|ga))? (?P<month>[^\W\d_][^\d]*?)\.?"
    r"|(?P<month2>[^\W\d_][^\d]*?)\.? (?:the )?(?P<day2>\d{1,2})(?:st|nd|rd|th)?"
)


def _time_in(text: str) -> str:
    """A time of day as ``H:MM`` on the 24-hour clock, if the text writes one in another way; else the text.

    An hour without a part of the day is one of 24, as in ``7:00``: ``7시`` is 7:00. Midnight at the end of the
    day is that at its start, ``24:00`` is 0:00.

    Args:
        text: Digits 0-9, folded, without outer punctuation.
    """
    if found := _TWELVE_HOURS.fullmatch(text):
        hour = int(found[1])
        return _spelled(_LATER_HOURS[found[3]].get(hour) if 1 <= hour <= 12 else None, found[2], text)
    if found := _CLOCK.fullmatch(text):
        return _spelled(int(found[1]), found[2], text)
    if found := _HOURS.fullmatch(text):
        return _spelled(int(found[1]), found[2] or found[3], text)
    if found := _SYLLABLES.fullmatch(text):
        hour = int(found[2])
        later = hour if found[1] is None else _LATER_HOURS[found[1]].get(hour)
        return _spelled(later, "30" if found[4] else found[3], text)
    return text


def _day_in(text: str, language: str) -> str:
    """A day as ``M/D``, if the text names its month or marks the two numbers as month and day; else the text.

    Args:
        text: Digits 0-9, folded, without outer punctuation.
        language: BCP 47 tag; names of months in it and in English are read.
    """
    if found := _NUMBERED_DAY.fullmatch(text):
        return f"{found[1]}/{found[2]}"
    primary = language.partition("-")[0].lower()
    first, _, rest = text.partition(" ")
    # "tres de octubre": the day in words.
    with_counter = f"{_number_in(first, primary)} {rest}" if first.isalpha() else text
    found = _NAMED_DAY.fullmatch(with_counter) or _NAMED_DAY.fullmatch(text)
    if found is None:
        return text
    name, day = found["month"] or found["month2"], found["day"] or found["day2"]
    for tag in (primary, "en"):
        if (month := month_names(tag).get(respell(name, tag))) is not None:
            return f"{month}/{day}"
    return text


def _spelled(hour: int | None, minute: str | None, text: str) -> str:
    if hour is None:
        return text
    minutes = int(minute or 0)
    return "0:00" if (hour, minutes) == _MIDNIGHT_AFTER else f"{hour}:{minutes:02}"


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

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
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
    words to twelve, with a counter, and with a decimal comma where the language has one (``7,0``); times on the
    12-hour clock and with a word for the hour, days with the name of their month.
    ``docs/aggregation.md`` lists them. ``None`` for anything else: ``noon``, ``around 7`` and ``5 to 7`` are
    not one value, and nothing is guessed.

    Args:
        answer: As typed.
        answer_format: Format of the question.
        language: BCP 47 tag; words of it and of English are read.
        unit: Unit of time in which a whole number is asked for (`formats.asked_unit`): with ``weeks``
            ``7 weeks`` is 7, with anything else it is not.
    """
    if answer_format is AnswerFormat.TEXT:
        return canonical(answer, answer_format)
    text = normalize("NFKC", western(answer)).strip().casefold().rstrip(_FULL_STOPS)
    if answer_format is AnswerFormat.INTEGER:
        text = _number_in(text, language, unit)
        if (unit or "").endswith(_TENTHS) and (tenths := _IN_TENTHS.fullmatch(text)):
            return f"{int(tenths[1])}.{tenths[2]}".removesuffix(".0")
    elif answer_format is AnswerFormat.TIME:
        text = _time_in(text)
    elif not FRACTION_SIGN.search(answer):
        text = _day_in(text, language)
    else:
        return None
    return canonical(text, answer_format)


@cache
def _cldr(locale: str) -> Any:
    """What CLDR knows of a locale, or of its language where the region is our own; null where it lacks both."""
    from babel import Locale, UnknownLocaleError

    for tag in (locale, locale.partition("-")[0]):
        with suppress(UnknownLocaleError, ValueError):
            return Locale.parse(tag, sep="-")
    return None


@cache
def _has_decimal_comma(locale: str) -> bool:
    """Whether decimals are written behind a comma in a locale, by CLDR."""
    known = _cldr(locale)
    return known is not None and known.number_symbols.get("latn", {}).get("decimal") == ","


def may_be_decimal(answer: str, locale: str) -> bool:
    """Whether the comma of a number parts its thousands, as it is read, or its decimals, as the locale writes.

    ``1,500`` is 1500 in London, and one and a half in Madrid.
    """
    return _has_decimal_comma(locale) and _ONE_COMMA.search(western(answer)) is not None


_LONGEST_NUMBER = 15
"""Characters of the longest number that a float holds exactly."""


@cache
def writes_day_first(locale: str) -> bool:
    """Whether dates in figures begin with the day in a locale, by CLDR; not where it lacks the language."""
    known = _cldr(locale)
    pattern = "" if known is None else str(known.date_formats["short"].pattern)
    return -1 < pattern.find("d") < pattern.find("M")


def form_in_words(asked: AnswerFormat) -> str:
    """Return what an answer in a format is called in a message."""
    return "a whole number" if asked is AnswerFormat.INTEGER else asked.value


def lacks_format(texts: Iterable[str], asked: AnswerFormat, locale: str, *, unit: str | None) -> bool:
    """Whether no answer or translation of a group has the format asked for: a build would stop at it."""
    return all(understood(text, asked, locale, unit=unit) is None for text in texts)


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
    found = _TIME.fullmatch(text)
    return None if found is None else f"{found[1]:>02}:{found[2]}"


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
