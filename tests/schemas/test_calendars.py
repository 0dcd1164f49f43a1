"""Days of other calendars and the Gregorian days on which they fall in most years."""

from datetime import date, timedelta

import pytest

from blend.schemas.formats import gregorian_day
from blend.schemas.locales import registry

# Public holidays as their countries publish them, with the day on which they fall in three years of four.
IRAN = {
    (1, 1): "03/21",  # Nowruz
    (1, 13): "04/02",  # Nature Day
    (2, 12): "05/02",  # Teachers' Day
    (3, 14): "06/04",  # death of Khomeini
    (7, 1): "09/23",  # schools open
    (8, 13): "11/04",  # Student Day
    (9, 30): "12/21",  # Yalda Night
    (11, 22): "02/11",  # Revolution Day
    (12, 29): "03/20",  # last day of the year
    (12, 30): "03/20",  # the same in a leap year: 20 March 2021 and 2025
}
ETHIOPIA = {
    (1, 1): "09/11",  # Enkutatash, new year
    (1, 17): "09/27",  # Meskel
    (4, 29): "01/07",  # Genna, Christmas
    (5, 11): "01/19",  # Timkat, Epiphany
    (6, 23): "03/02",  # Victory of Adwa
    (8, 27): "05/05",  # Patriots' Day
    (9, 20): "05/28",  # Downfall of the Derg
    (13, 5): "09/10",  # last day of the year
    (13, 6): "09/11",  # the same in a leap year: 11 September 2023
}
DAYS = {"persian": (*(31,) * 6, *(30,) * 5, 29), "ethiopic": (*(30,) * 12, 5)}
"""Days of the months in a year without a leap day."""


@pytest.mark.parametrize(("calendar", "days"), [("persian", IRAN), ("ethiopic", ETHIOPIA)])
def test_holidays_fall_where_they_are_celebrated(calendar, days):
    assert {day: gregorian_day(*day, calendar) for day in days} == days


@pytest.mark.parametrize(
    ("calendar", "start"), [("persian", date(2021, 3, 21)), ("ethiopic", date(2022, 9, 11))]
)
def test_a_year_has_every_gregorian_day_in_order(calendar, start):
    found = [
        gregorian_day(month, day, calendar)
        for month, days in enumerate(DAYS[calendar], start=1)
        for day in range(1, days + 1)
    ]
    assert found == [f"{start + timedelta(n):%m/%d}" for n in range(365)]


def test_locales_with_a_calendar_of_their_own():
    own = {locale.tag: locale.calendar for locale in registry() if locale.calendar != "gregory"}
    assert own == {"fa-IR": "persian", "am-ET": "ethiopic"}


@pytest.mark.parametrize(
    ("calendar", "days"),
    [("persian", [(0, 1), (1, 0), (7, 31), (13, 1), (1, 32)]), ("ethiopic", [(1, 31), (13, 7), (14, 1)])],
)
def test_days_that_a_calendar_does_not_have(calendar, days):
    assert {gregorian_day(*day, calendar) for day in days} == {None}
