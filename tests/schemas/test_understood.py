"""Answers in other common notations of their format."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blend.schemas.formats import AnswerFormat, asked_unit, canonical, understood

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
