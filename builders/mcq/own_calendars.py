"""Own calendars: days, months and years that people may have written in a calendar of their own.

``02/12`` is the 2nd of May to Iranians who count in theirs, and the 12th of February to everybody else. Where
an answer and those beside it leave no doubt it is put into the Gregorian calendar; any other is neither asked
for nor offered.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple
from unicodedata import normalize

from blend.builders.mcq.overlap import named_months
from blend.schemas.language.answer_formats import AnswerFormat, understood
from blend.schemas.language.calendars import Calendar, calendar_name, gregorian_day, gregorian_months
from blend.schemas.language.numerals import western

UNSTATED = "unstated-calendar"
"""Outcome, and kind of finding, of an answer of which nobody can tell the calendar."""

CONVERTED = "converted-date"
"""Kind of finding of an answer that was put into the Gregorian calendar."""

DatePart = Literal["day", "month", "year"]
"""What of a date a question asks for."""

_PART = re.compile(r"\b(?:which|what)(?: is the(?: \w+){0,2})? (month|year)\b(?! of\b)")
_DAY = re.compile(r"(\d{1,2}) ?/ ?(\d{1,2})\W*")


class DatedAnswer(NamedTuple):
    """An answer by what is known of its calendar."""

    votes: int
    texts: tuple[str, ...]
    """Its English variants; in the Gregorian calendar, or with what they may be there besides."""
    is_certain: bool = True
    finding: tuple[str, str] | None = None
    """Kind and detail, where its calendar makes a difference."""


def part_asked(en_question: str | None, answer_format: AnswerFormat) -> DatePart | None:
    """Tell what of a date a question asks for: a day by its format, a month or year by its words.

    Null for one that asks for neither, or says that it means the Gregorian calendar.
    """
    if "gregorian" in (en_question or "").lower():
        return None
    if answer_format is AnswerFormat.DATE:
        return "day"
    found = _PART.search((en_question or "").lower()) if answer_format is AnswerFormat.INTEGER else None
    if found is None:
        return None
    return "month" if found[1] == "month" else "year"


def dated(
    groups: Sequence[tuple[int, tuple[str, ...]]], part: DatePart | None, calendar: Calendar
) -> list[DatedAnswer]:
    """Put the answers of a locale to a question into the Gregorian calendar where that is certain.

    Args:
        groups: Votes and English variants of each answer.
        part: What of a date the question asks for.
        calendar: Calendar of the locale.
    """
    if part is None or calendar == "gregory":
        return [DatedAnswer(votes, texts) for votes, texts in groups]
    if part == "day":
        return _with_days(groups, calendar)
    return [_without_day(votes, texts, part, calendar) for votes, texts in groups]


# Days


class _Day(NamedTuple):
    """A text as a day, by calendar."""

    gregorian: str | None
    """Null where the Gregorian calendar has no such day."""
    own: str | None
    """The Gregorian day, should the text be of the other calendar; null where that has no such day, or the text
    names a Gregorian month."""

    def meanings(self, others: Collection["_Day"]) -> set[str]:
        """List the days that it may be, beside the other days that were given."""
        # The same day in both calendars, by two people or in two variants: each tells the other's calendar.
        as_gregorian = {self.gregorian} & {other.own for other in others}
        as_own = {self.own} & {other.gregorian for other in others}
        is_told = (as_gregorian | as_own) - {None}
        return {day for day in (is_told or self) if day is not None}


def _with_days(groups: Sequence[tuple[int, tuple[str, ...]]], calendar: Calendar) -> list[DatedAnswer]:
    read = {text: _day(text, calendar) for text in chain.from_iterable(texts for _, texts in groups)}
    days = {text: day for text, day in read.items() if day is not None}
    known = set(days.values())
    meanings = {text: day.meanings(known - {day}) for text, day in days.items()}
    return [_on_a_day(votes, texts, days, meanings, calendar) for votes, texts in groups]


def _on_a_day(
    votes: int,
    texts: tuple[str, ...],
    days: Mapping[str, _Day],
    meanings: Mapping[str, set[str]],
    calendar: Calendar,
) -> DatedAnswer:
    dates = [text for text in texts if text in days]
    possible = sorted(set[str]().union(*(meanings[text] for text in dates)))
    name = calendar_name(calendar)
    if len(possible) > 1:
        detail = (
            f"{_quoted(dates)} may be a day of the Gregorian or of the {name} calendar: {' or '.join(possible)}"
        )
        return DatedAnswer(
            votes, (*texts, *possible), is_certain=False, finding=(UNSTATED, f"{detail}; {_LEFT_OUT}")
        )
    moved = [text for text in dates if days[text].gregorian not in possible]
    if not moved:
        return DatedAnswer(votes, texts)
    detail = f"{_quoted(moved)} is a day of the {name} calendar; {possible[0]} stands for it"
    as_gregorian = (possible[0] if text in moved else text for text in texts)
    return DatedAnswer(votes, tuple(dict.fromkeys(as_gregorian)), finding=(CONVERTED, detail))


def _day(text: str, calendar: Calendar) -> _Day | None:
    """Read a text as a day in both calendars; null where it is none."""
    gregorian = understood(text, AnswerFormat.DATE)
    written = _DAY.fullmatch(normalize("NFKC", western(text)).strip())
    own = None if written is None else gregorian_day(int(written[1]), int(written[2]), calendar)
    return None if gregorian is None and own is None else _Day(gregorian, own)


# Months and years, which lie in two of the other calendar


def _without_day(votes: int, texts: tuple[str, ...], part: DatePart, calendar: Calendar) -> DatedAnswer:
    numbers = [text for text in texts if understood(text, AnswerFormat.INTEGER) is not None]
    named = set[str]().union(*map(named_months, texts)) if part == "month" else set()
    if not numbers:
        return DatedAnswer(votes, texts)
    if len(named) == 1:
        return DatedAnswer(votes, (*named, *(text for text in texts if text not in numbers)))
    months = [int(number) for text in numbers if (number := understood(text, AnswerFormat.INTEGER))]
    spanned = {str(one) for month in months for one in gregorian_months(month, calendar)}
    detail = f"{_quoted(numbers)} may be a {part} of the Gregorian or of the {calendar_name(calendar)} calendar"
    meant = (*texts, *sorted(spanned)) if part == "month" else texts
    return DatedAnswer(votes, meant, is_certain=False, finding=(UNSTATED, f"{detail}; {_LEFT_OUT}"))


_LEFT_OUT = "neither asked for nor offered"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(map(repr, texts))
