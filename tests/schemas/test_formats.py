"""Answer formats: which one a question asks for, one spelling of every value, other notations and calendars."""

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blend.schemas.formats import (
    AnswerFormat,
    asked_unit,
    canonical,
    format_of,
    format_of_template,
    gregorian_day,
    lacks_format,
    understood,
)
from blend.schemas.locales import registry


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the most popular fruit in the UK?", AnswerFormat.TEXT),
        ("What time is dinner? Please write it in HH:MM format.", AnswerFormat.TIME),
        ("When is the school trip? Answer in MM/DD.", AnswerFormat.DATE),
        ("How old are first graders? Give it in Arabic numerals (e.g., 1).", AnswerFormat.INTEGER),
        ("What is the most common Arabic dish?", AnswerFormat.TEXT),
    ],
)
def test_the_hint_in_the_text_decides(question: str, expected: AnswerFormat):
    assert format_of(question) is expected


@pytest.mark.parametrize(
    ("answer", "shape", "expected"),
    [
        ("7:05", AnswerFormat.TIME, "07:05"),
        ("٠٧:٣٠", AnswerFormat.TIME, "07:30"),
        ("24:00", AnswerFormat.TIME, None),
        ("12:60", AnswerFormat.TIME, None),
        ("noon", AnswerFormat.TIME, None),
        ("5/8", AnswerFormat.DATE, "05/08"),
        ("02/29", AnswerFormat.DATE, "02/29"),
        ("02/30", AnswerFormat.DATE, None),
        ("13/01", AnswerFormat.DATE, None),
        ("0/1", AnswerFormat.DATE, None),
        ("07", AnswerFormat.INTEGER, "7"),
        ("7.0", AnswerFormat.INTEGER, "7"),
        ("7.00", AnswerFormat.INTEGER, "7"),
        ("7.000", AnswerFormat.INTEGER, None),
        ("7.5", AnswerFormat.INTEGER, None),
        ("-3", AnswerFormat.INTEGER, "-3"),
        ("nan", AnswerFormat.INTEGER, None),
        ("seven", AnswerFormat.INTEGER, None),
        (" rice ", AnswerFormat.TEXT, "rice"),
        (" ", AnswerFormat.TEXT, None),
    ],
)
def test_one_spelling(answer: str, shape: AnswerFormat, expected: str | None):
    assert canonical(answer, shape) == expected


@given(st.text(), st.sampled_from(AnswerFormat))
def test_the_canonical_spelling_is_its_own(answer: str, shape: AnswerFormat):
    once = canonical(answer, shape)
    assert once is None or canonical(once, shape) == once


def test_the_format_of_a_template_is_that_of_most_questions():
    formats = [AnswerFormat.TEXT, AnswerFormat.TIME, AnswerFormat.TIME]
    assert format_of_template(formats) is AnswerFormat.TIME


def test_on_a_tie_the_narrower_format_counts():
    # The narrowest is the last of the enumeration, whichever comes first here.
    narrowing = list(AnswerFormat)
    for wide, narrow in itertools.pairwise(narrowing):
        assert format_of_template([wide, narrow]) is format_of_template([narrow, wide]) is narrow


def test_digits_without_end_are_a_number():
    # Python itself reads none of more than 4,300 digits.
    assert canonical("00" + "1" * 5000 + ".0", AnswerFormat.INTEGER) == "1" * 5000
    assert canonical("-" + "0" * 5000, AnswerFormat.INTEGER) == "0"


# Answers in other common notations of their format.

INTEGER, TIME, DATE = AnswerFormat.INTEGER, AnswerFormat.TIME, AnswerFormat.DATE


@pytest.mark.parametrize(
    ("answer", "asked", "read"),
    [
        ("5 pm", AnswerFormat.TIME, "17:00"),
        ("5:30 P.M.", AnswerFormat.TIME, "17:30"),
        ("12.30 a.m.", AnswerFormat.TIME, "00:30"),
        ("12 pm", AnswerFormat.TIME, "12:00"),
        ("٦pm", AnswerFormat.TIME, "18:00"),
        ("１８：００", AnswerFormat.TIME, "18:00"),
        ("18:00.", AnswerFormat.TIME, "18:00"),
        ("13 pm", AnswerFormat.TIME, None),
        ("0 am", AnswerFormat.TIME, None),
        ("noon", AnswerFormat.TIME, None),
        ("around 5 pm", AnswerFormat.TIME, None),
        ("1,000", AnswerFormat.INTEGER, "1000"),
        ("-12,345,678", AnswerFormat.INTEGER, "-12345678"),
        ("7.", AnswerFormat.INTEGER, "7"),
        ("７。", AnswerFormat.INTEGER, "7"),
        ("1,00", AnswerFormat.INTEGER, None),
        ("5.000", AnswerFormat.INTEGER, None),
        ("1 000", AnswerFormat.INTEGER, None),
        ("5-7", AnswerFormat.INTEGER, None),
        ("12/25.", AnswerFormat.DATE, "12/25"),
        ("25/12", AnswerFormat.DATE, None),
        (" Bread. ", AnswerFormat.TEXT, "Bread."),
    ],
)
def test_what_is_read(answer, asked, read):
    assert understood(answer, asked) == read


@settings(deadline=None)
@given(st.text(), st.sampled_from(AnswerFormat))
@example("¼", DATE)
@example("1\u20444", DATE)
def test_what_is_canonical_is_understood_as_itself(text, asked):
    spelled = canonical(text, asked)
    if spelled is not None:
        assert understood(text, asked) == understood(spelled, asked) == spelled


IN_WORDS = {
    "am": [("፯", INTEGER, "7"), ("፲፪", INTEGER, "12"), ("፻፳፭", INTEGER, "125"), ("ሰባት", INTEGER, "7")],
    "ar": [
        ("١٬٠٠٠", INTEGER, "1000"),
        ("٧٫٥", INTEGER, None),
        ("سبعة", INTEGER, "7"),
        ("8 مايو", DATE, "05/08"),
        ("٨ ماي", DATE, "05/08"),
    ],
    "as": [("সাত", INTEGER, "7"), ("৭", INTEGER, "7"), ("1,00,000", INTEGER, "100000"), ("8 জুন", DATE, "06/08")],
    "az": [("yeddi", INTEGER, "7"), ("8 may", DATE, "05/08"), ("on iki", INTEGER, "12")],
    "el": [("επτά", INTEGER, "7"), ("εφτά", INTEGER, "7"), ("8 Μαΐου", DATE, "05/08")],
    "en": [
        ("seven", INTEGER, "7"),
        ("Seven.", INTEGER, "7"),
        ("7 people", INTEGER, "7"),
        ("7 years old", INTEGER, "7"),
        ("1.000.000", INTEGER, "1000000"),
        ("around 7", INTEGER, None),
        ("7 or 8", INTEGER, None),
        ("once", INTEGER, None),
        ("½", INTEGER, None),
        ("5²", INTEGER, None),
        ("7,0", INTEGER, None),
        ("24:00", TIME, "00:00"),
        ("24:30", TIME, None),
        ("19h30", TIME, "19:30"),
        ("19.30", TIME, "19:30"),
        ("0.25", TIME, None),
        ("7 o'clock", TIME, "07:00"),
        ("around 7", TIME, None),
        ("7", TIME, None),
        ("May 8", DATE, "05/08"),
        ("8th of May", DATE, "05/08"),
        ("Sept. 5", DATE, "09/05"),
        ("May", DATE, None),
        ("June 31", DATE, None),
        ("8.5", DATE, None),
        ("½", DATE, None),
    ],
    "es": [
        ("once", INTEGER, "11"),
        ("siete personas", INTEGER, "7"),
        ("7 personas", INTEGER, "7"),
        ("17.30h", TIME, "17:30"),
        ("8h", TIME, "08:00"),
        ("7,0", INTEGER, "7"),
        ("7,5", INTEGER, None),
        ("1,500", INTEGER, "1500"),
        ("27 de noviembre", DATE, "11/27"),
        ("tres de octubre", DATE, "10/03"),
        ("enero de 2024", DATE, None),
    ],
    "fa": [("هفت", INTEGER, "7"), ("۷ نفر", INTEGER, "7"), ("نه", INTEGER, None), ("۱۳ فروردین", DATE, None)],
    "ha": [
        ("bakwai", INTEGER, "7"),
        ("huɗu", INTEGER, "4"),
        ("hudu", INTEGER, "4"),
        ("8 ga Mayu", DATE, "05/08"),
    ],
    "id": [("tujuh", INTEGER, "7"), ("pukul 19.30", TIME, "19:30"), ("8 Mei", DATE, "05/08")],
    "ko": [
        ("7개", INTEGER, "7"),
        ("일곱 개", INTEGER, "7"),
        ("한 명", INTEGER, "1"),
        ("네", INTEGER, None),
        ("7시", TIME, "07:00"),
        ("오후 7시", TIME, "19:00"),
        ("오후 7시 30분", TIME, "19:30"),
        ("저녁 7시 반", TIME, "19:30"),
        ("저녁 2시", TIME, None),
        ("5월 8일", DATE, "05/08"),
    ],
    "su": [("tujuh", INTEGER, "7"), ("8 Méi", DATE, "05/08")],
    "zh": [
        ("七", INTEGER, "7"),
        ("二十", INTEGER, "20"),
        ("一百零五", INTEGER, "105"),
        ("七个", INTEGER, "7"),
        ("七八", INTEGER, None),
        ("下午7点", TIME, "19:00"),
        ("下午7點半", TIME, "19:30"),
        ("中午12点", TIME, "12:00"),
        ("5月8日", DATE, "05/08"),
        ("5月8号", DATE, "05/08"),
    ],
}


@pytest.mark.parametrize("language", IN_WORDS)
def test_what_is_read_in_a_language(language):
    assert [understood(answer, asked, language) for answer, asked, _ in IN_WORDS[language]] == [
        read for *_, read in IN_WORDS[language]
    ]


@pytest.mark.parametrize(
    ("question", "answer", "language", "read"),
    [
        ("How long (in weeks) is maternity leave?", "7 weeks", "en", "7"),
        ("How long (in weeks) is maternity leave?", "1 year", "en", None),
        ("How long (in weeks) is maternity leave?", "7주", "ko", "7"),
        ("At what age do kids start preschool?", "7 years", "en", "7"),
        ("At what age do kids start preschool?", "7년", "ko", "7"),
        ("How long (in hours) is the lunch break?", "30 minutes", "en", None),
        ("How long (in hours) is it? (up to one decimal point (e.g., 2, 3.5))", "0,5", "ko", "0.5"),
        ("How long (in hours) is it? (up to one decimal point (e.g., 2, 3.5))", "2,0", "ko", "2"),
        ("How long (in hours) is it? (up to one decimal point (e.g., 2, 3.5))", "2 hours", "en", "2"),
        ("How long (in hours) is the lunch break?", "0.5", "en", None),
        ("How many languages are studied?", "7 years", "en", None),
        ("How many holiday days per year are there?", "3天", "zh", "3"),
        (None, "7 years", "en", None),
    ],
)
def test_a_unit_counts_only_where_it_is_asked_for(question, answer, language, read):
    assert understood(answer, INTEGER, language, unit=asked_unit(question)) == read
    # Nor is anything else asked of what a reviewer puts together.
    assert lacks_format(["half of it", answer], INTEGER, language, unit=asked_unit(question)) == (read is None)


@settings(deadline=None)
@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_is_the_same_in_every_notation(hour, minute):
    half, twelve = ("오전", "am") if hour < 12 else ("오후", "pm"), hour % 12 or 12
    written = (f"{hour}h{minute:02}", f"{twelve}:{minute:02} {half[1]}", f"{half[0]} {twelve}시 {minute}분")
    assert {understood(text, TIME, "ko") for text in written} == {f"{hour:02}:{minute:02}"}


@settings(deadline=None)
@given(st.dates())
def test_a_day_is_the_same_in_every_notation(day):
    written = (
        f"{day:%B} {day.day}",
        f"{day.day} {day:%b}",
        f"{day.month}월 {day.day}일",
        f"{day.month}月{day.day}日",
    )
    assert {understood(text, DATE, "ko") for text in written} == {f"{day:%m/%d}"}


@settings(deadline=None)
@given(st.integers(1, 9999))
def test_chinese_and_ethiopic_numbers_say_what_their_digits_say(number):
    assert understood(_in_chinese(number), INTEGER, "zh") == str(number)
    assert understood(_in_ethiopic(number), INTEGER, "am") == str(number)


def _in_chinese(number):
    digits, written = "零一二三四五六七八九", ""
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        figure = number // unit % 10
        if figure:
            written += digits[figure] + sign
        elif written and number % unit and not written.endswith("零"):
            written += "零"
    return written


def _in_ethiopic(number):
    def below_hundred(part):
        tens, ones = divmod(part, 10)
        return (chr(ord("፲") + tens - 1) if tens else "") + (chr(ord("፩") + ones - 1) if ones else "")

    hundreds, rest = divmod(number, 100)
    return (below_hundred(hundreds) + "፻" if hundreds else "") + below_hundred(rest)


# Days of other calendars and the Gregorian days on which they fall in most years.

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
