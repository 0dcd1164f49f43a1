"""Calendars that people count months by beside the Gregorian one, and the Gregorian days of their days.

Calendars have their Unicode names (UTS 35, key ``ca``, https://unicode.org/reports/tr35/#UnicodeCalendarIdentifier).
"""

from datetime import date, timedelta
from typing import Literal, NamedTuple

Calendar = Literal["gregory", "persian", "ethiopic"]
"""Gregorian; Solar Hijri, the civil calendar of Iran; Ethiopian."""


class _Year(NamedTuple):
    """A year as most are."""

    days: tuple[int, ...]
    """Days of its months, in a leap year."""
    start: date
    """Its first day, in a year in which neither calendar has a leap day."""
    length: int
    """Days behind which no other day of it begins; the leap day shares the last one."""


# Three years of four begin on 21 March and on 11 September (Reingold and Dershowitz 2018, Calendrical
# Calculations, 4th edition, chapters 4 and 15, https://doi.org/10.1017/9781107415058). In Iran the leap day is
# the 30th of the last month, 20 March as the 29th is in other years; in Ethiopia it comes on 11 September,
# before a new year that begins a day later.
_YEARS = {
    "persian": _Year((31,) * 6 + (30,) * 6, date(2022, 3, 21), 365),
    "ethiopic": _Year((30,) * 12 + (6,), date(2021, 9, 11), 366),
}


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
    year = _YEARS[calendar]
    if not (1 <= month <= len(year.days) and 1 <= day <= year.days[month - 1]):
        return None
    passed = min(sum(year.days[: month - 1]) + day, year.length) - 1
    return f"{year.start + timedelta(passed):%m/%d}"
