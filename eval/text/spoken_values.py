"""Spoken values: numbers, times and days that a reply says in words, in figures.

Names of months and of parts of the day with their hours are those of CLDR (Babel), numbers in words those of
num2words and `formats.number_words`; ``spoken_values.toml`` holds what these lack.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from babel import Locale, UnknownLocaleError
from num2words import CONVERTER_CLASSES, num2words

from blend.eval.text import primary
from blend.schemas.formats import AnswerFormat, month_names, number_words
from blend.schemas.models import packaged_tables
from blend.schemas.texts import chinese_number, respell

_MAX_NUMBER = 100
"""Greatest number that is read in words."""

_SHORT = 4
"""Words up to which the number one is read: it is an article in many languages."""

_CLOSE = 3
"""Hours beyond a part of the day at which it is still found: 7 at night."""

# Vowel signs and non-joiners belong to a word.
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u200c\u200d])"
_UNSPACED = ("ja", "ko", "zh")
_CHINESE = re.compile(
    r"[一二两兩三四五六七八九十百]+(?=\s?[个個名位次岁歲門门種种口人年月天周週小分点點时時日号號半刻つ回才])"
)
_KOREAN_COUNTER = r"(?=\s?(?:개|명|번|회|살|세|가지|마리|권|대|곳|군데|과목|인|시|년|달|주|일|월|분|층))"
_KOREAN_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_KOREAN_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")

_SYLLABLE_HOUR = re.compile(r"(\d{1,2}) ?[시点點时時][钟鐘]?(?: ?(\d{1,2}) ?[분分]| ?([반半]))?")
_TIME = r"(?<![\d:./])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?![\d:/])"
_BETWEEN = rf"[\s,]{{0,2}}(?:{_LETTER}{{1,8}}[\s,]{{1,2}}){{0,2}}?"
_HOUR_AND_MINUTE = re.compile(r"(?<![\d:])(\d{1,2}) (\d{2})(?![\d:])")

_YEAR_FIRST = re.compile(r"(?<!\d)\d{4}[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<![\d/.-])(\d{1,2})[/.-](\d{1,2})(?:[/.-]\d{2,4})?(?![\d/])")
_DAY = r"(?P<day>\d{1,2})(?:º|[^\W\d_]{1,2}(?!\w))?\.?"

_Span = tuple[int, int]
"""Hours of a part of the day: the first, and the one that it ends before."""

_NOON, _MIDNIGHT = (12, 13), (0, 1)
_HALVES = {"am": (0, 12), "pm": (12, 24)}


def in_figures(text: str, answer_format: AnswerFormat, language: str) -> str:
    """The text, folded, with the values that it says in words in figures: ``dos hijos`` as ``2 hijos``.

    Times are ``HH:MM`` where a word for the part of the day or of the clock stands beside the hour, days
    ``MM/DD``; a month of the calendar of Iran or Ethiopia gives the numbers of that calendar.

    Args:
        text: A reply, or a part of one.
        answer_format: Format that the question asks for.
        language: BCP 47 tag of the words.
    """
    tag = primary(language)
    folded = _with_numbers(respell(text, tag), tag, answer_format)
    if answer_format is AnswerFormat.TIME:
        return _with_times(folded, tag)
    return _with_days(folded, tag) if answer_format is AnswerFormat.DATE else folded


def _with_numbers(text: str, tag: str, answer_format: AnswerFormat) -> str:
    unspaced = tag in ("ja", "zh")
    is_short = len(text) <= 2 * _SHORT if unspaced else len(text.split()) <= _SHORT
    reads_one = is_short or answer_format is not AnswerFormat.INTEGER

    def figure(found: re.Match[str]) -> str:
        value = chinese_number(found[0]) if unspaced else values[_key(found[0])]
        return found[0] if value is None or (value == 1 and not reads_one) else str(value)

    if unspaced:
        return _CHINESE.sub(figure, text)
    pattern, values = _numbers(tag, answer_format is AnswerFormat.DATE)
    return pattern.sub(figure, text)


@cache
def _numbers(tag: str, ordinals: bool) -> tuple[re.Pattern[str], Mapping[str, int]]:
    """A pattern for the numbers of a language in words, and what each is."""
    values: dict[str, int] = {}
    for number, form in _number_forms(tag, ordinals):
        values.setdefault(_key(respell(form, tag)), number)
    behind = _KOREAN_COUNTER if tag == "ko" else f"(?!{_LETTER})"
    # Amharic writes prepositions onto the number: በሰባት, at seven.
    before = f"(?:(?<!{_LETTER})|(?<=[በከየለ]))" if tag == "am" else f"(?<!{_LETTER})"
    return re.compile(f"{before}(?:{_any(values)}){behind}"), values


def _number_forms(tag: str, ordinals: bool) -> Iterator[tuple[int, str]]:
    if tag == "ko":
        pairs = [(ten, one) for ten in range(10) for one in range(10) if ten or one]
        yield from ((10 * ten + one, _KOREAN_TENS[ten] + _KOREAN_ONES[one]) for ten, one in pairs)
        yield 20, "스무"
    # Of smaller numbers `number_words` leaves out what is a word of another kind by itself, as Persian نه is.
    known = number_words(tag) if tag != "ko" else {}
    yield from ((number, form) for form, number in known.items())
    if tag in CONVERTER_CLASSES:
        # One Korean syllable is many words; before a month or a day it is a number.
        start = max([0 if ordinals else 9] if tag == "ko" else [1, *known.values()]) + 1
        yield from ((number, num2words(number, lang=tag)) for number in range(start, _MAX_NUMBER + 1))
        if ordinals and tag in ("en", "es", "fr"):
            yield from ((number, num2words(number, lang=tag, to="ordinal")) for number in range(1, 32))
    for number, forms in _table(tag).get("numbers", {}).items():
        yield from ((int(number), form) for form in forms.split("/"))


def _with_times(text: str, tag: str) -> str:
    text = _SYLLABLE_HOUR.sub(
        lambda found: f"{found[1]}:{'30' if found[3] else (found[2] or '0').zfill(2)} ", text
    )
    for pattern, minutes in _clock(tag):
        text = pattern.sub(lambda found, plus=minutes: _clock_time(int(found[1]), plus), text)  # type: ignore[misc]
    text = _HOUR_AND_MINUTE.sub(r"\1:\2", text)
    periods = _periods(tag)
    if not periods:
        return text
    name = _word(f"(?P<name>{_any(periods)})", tag)
    for beside in (f"{name}{_BETWEEN}{_TIME}", f"{_TIME}{_BETWEEN}{name}"):
        text = re.sub(beside, lambda found: _of_period(found, periods[_key(found["name"])], tag), text)
    for span, time in ((_NOON, "12:00"), (_MIDNIGHT, "00:00")):
        if exact := [one for one, spans in periods.items() if {*spans} == {span}]:
            text = re.sub(_word(f"(?:{_any(exact)})", tag), time, text)
    return text


def _clock_time(hour: int, minutes: int) -> str:
    return f"{hour}:{minutes:02}" if minutes >= 0 else f"{hour - 1 or 12}:{60 + minutes:02}"


def _of_period(found: re.Match[str], spans: Sequence[_Span], tag: str) -> str:
    """The time of 24 hours that a time and a part of the day say; the text where they may say two, or none."""
    hour = int(found["hour"])
    if hour > 12:
        return f" {hour}:{found['minute'] or '00'} " if hour <= 24 else found[0]
    hours = {hour % 12, hour % 12 + 12}
    if tag == "am":
        # Ethiopians count the hours from six: one in the morning is seven.
        hours |= {(hour + 6) % 24, (hour + 18) % 24}
    (away, nearest), (further, _) = sorted((min(_away(one, span) for span in spans), one) for one in hours)[:2]
    if away > _CLOSE or away == further:
        return found[0]
    return f" {nearest:02}:{found['minute'] or '00'} "


def _away(hour: int, span: _Span) -> int:
    """Hours between an hour and a part of the day, around the clock; 0 in it."""
    start, end = span
    if (hour - start) % 24 < (end - start) % 24 or (end - start) % 24 == 0:
        return 0
    return min((start - hour) % 24, (hour - end) % 24 + 1)


@cache
def _periods(tag: str) -> Mapping[str, Sequence[_Span]]:
    """Names of parts of the day, and the hours that each may be."""
    found: dict[str, list[_Span]] = defaultdict(list)
    for name, span in _cldr_periods(tag):
        found[_key(respell(name, tag))].append(span)
    for name, (start, end) in _table(tag).get("periods", {}).items():
        found[_key(respell(name, tag))] = [(start, end)]
    return dict(found)


def _cldr_periods(tag: str) -> Iterator[tuple[str, _Span]]:
    locale = _locale(tag)
    if locale is None:
        return
    rules = locale.day_period_rules.get(None, {})
    for widths in locale.day_periods.values():
        for width in widths:
            for period, name in widths[width].items():
                # Of one letter or two is an abbreviation: p for pm.
                if width != "wide" and len(name) < 3 and tag not in _UNSPACED:
                    continue
                for rule in rules.get(period, []):
                    start = rule.get("from", rule.get("at", 0)) // 3600
                    yield name, (start, rule["before"] // 3600 if "before" in rule else start + 1)
                if period in _HALVES and period not in rules:
                    yield name, _HALVES[period]


@cache
def _clock(tag: str) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Ways to say a time: a pattern with the hour, and by how many minutes the time is from it."""
    longest_first = sorted(_table(tag).get("clock", {}).items(), key=lambda one: -len(one[0]))
    return tuple((_clock_pattern(respell(phrase, tag)), minutes) for phrase, minutes in longest_first)


def _clock_pattern(phrase: str) -> re.Pattern[str]:
    before, _, after = (_blanks(re.escape(part)) for part in phrase.replace("#", "\n").partition("\n"))
    first = rf"(?<!{_LETTER}){before}" if before else r"(?<![\d:./])"
    last = rf"{after}(?!{_LETTER})" if after else r"(?!\d|[:./]\d)"
    return re.compile(rf"{first}(\d{{1,2}}){last}")


def _with_days(text: str, tag: str) -> str:
    text = _YEAR_FIRST.sub(r"\1/\2", text)
    text = _DAY_FIRST.sub(lambda found: f"{found[2]}/{found[1]}" if int(found[1]) > 12 else found[0], text)
    months = _months(tag)
    if not months:
        return text
    month = f"(?<!{_LETTER})(?P<month>{_any(months)})"
    small_words = rf"(?:\s?{_LETTER}{{1,3}}\s|\s){{0,2}}"
    for pattern in (rf"(?<!\d){_DAY}{small_words}{month}", rf"{month}(?:\s(?:the\s)?){_DAY}(?![\d:/])"):
        text = re.sub(pattern, lambda found: f" {months[_key(found['month'])]}/{found['day']} ", text)
    return text


@cache
def _months(tag: str) -> Mapping[str, int]:
    """Names of months to their numbers: those of the Gregorian calendar, and of the country's own."""
    found = {name: number for number, name in enumerate(_table(tag).get("months", "").split(), start=1)}
    locale = _locale(tag)
    for widths in locale.months.values() if locale else ():
        for width in ("wide", "abbreviated"):
            found |= {name: number for number, name in widths[width].items()}
    names = {_key(respell(name.strip("."), tag)): number for name, number in (found | month_names(tag)).items()}
    return {name: number for name, number in names.items() if not name[:1].isdigit()}


def _word(pattern: str, tag: str) -> str:
    return pattern if tag in _UNSPACED else f"(?<!{_LETTER}){pattern}(?!{_LETTER})"


def _any(words: Iterable[str]) -> str:
    return "|".join(_blanks(re.escape(word)) for word in sorted(words, key=lambda word: -len(word))) or "(?!)"


def _blanks(escaped: str) -> str:
    return escaped.replace(r"\ ", r"[\s-]+")


def _key(word: str) -> str:
    return " ".join(re.split(r"[\s-]+", word.strip()))


@cache
def _locale(tag: str) -> Locale | None:
    try:
        return Locale.parse(tag)
    except (UnknownLocaleError, ValueError):
        return None


def _table(tag: str) -> Mapping[str, Any]:
    """What ``spoken_values.toml`` says of a language."""
    table: Mapping[str, Any] = packaged_tables("spoken_values.toml", __package__).get(tag, {})
    return table
