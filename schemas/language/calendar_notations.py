"""Times of day and days of the year as people write them in their languages."""

import re

from blend.schemas.language.notations import month_names, number_in
from blend.schemas.language.spelling import respell

_TWELVE_HOURS = re.compile(r"(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.? ?m\.?")
# Not 0.25, which a spreadsheet makes of 6:00.
_CLOCK = re.compile(r"(?:(?:pukul|jam) )?(?!0\.)(\d{1,2})[:.](\d{2})(?: ?(?:h|hrs|hours|uhr))?")
_HOURS = re.compile(r"(\d{1,2}) ?(?:h ?(\d{2})?|uhr ?(\d{2})?|o['’]?clock)")
_SYLLABLES = re.compile(
    r"(오전|오후|아침|저녁|밤|새벽|上午|下午|早上|晚上|中午|凌晨|午前|午後)? ?"
    r"(\d{1,2}) ?[시点點时時](?:钟|鐘)? ?(?:(\d{1,2}) ?[분分]?|(반|半))?"
)
_MIDNIGHT_AFTER = (24, 0)

_MORNING, _AFTERNOON, _EVENING, _NIGHT, _BEFORE_DAWN, _NOON = range(6)
_HALVES = {
    **dict.fromkeys(("오전", "아침", "上午", "早上", "午前", "a"), _MORNING),
    **dict.fromkeys(("오후", "下午", "午後", "p"), _AFTERNOON),
    **dict.fromkeys(("저녁",), _EVENING),
    **dict.fromkeys(("밤", "晚上"), _NIGHT),
    **dict.fromkeys(("새벽", "凌晨"), _BEFORE_DAWN),
    "中午": _NOON,
}
# ``hour % 12 + 12`` leaves 13 to 23, which are of 24 already, as they are. Twelve is noon in the afternoon and
# midnight at night, in the morning and before dawn.
_LATER_HOURS = {
    _MORNING: {12: 0, **{hour: hour for hour in range(12)}},
    _AFTERNOON: {hour: hour % 12 + 12 for hour in range(1, 24)},
    _EVENING: {hour: hour % 12 + 12 for hour in (*range(5, 12), *range(17, 24))},
    _NIGHT: {12: 0, **{hour: hour % 12 + 12 for hour in (*range(6, 12), *range(18, 24))}},
    _BEFORE_DAWN: {12: 0, **{hour: hour for hour in range(7)}},
    _NOON: {12: 12},
}
"""The hour of 24 for an hour beside a word for a part of the day; none where people may mean either."""

_NUMBERED_DAY = re.compile(r"(\d{1,2}) ?(?:월|月) ?(\d{1,2}) ?[일日号號]")
_NAMED_DAY = re.compile(
    r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th|er|º)?\.?(?: (?:of|de|ga))? (?P<month>[^\W\d_][^\d]*?)\.?"
    r"|(?P<month2>[^\W\d_][^\d]*?)\.? (?:the )?(?P<day2>\d{1,2})(?:st|nd|rd|th)?"
)


def time_in(text: str) -> str:
    """A time of day as ``H:MM`` on the 24-hour clock, if the text writes one in another way; else the text.

    An hour without a part of the day is one of 24, as in ``7:00``: ``7시`` is 7:00. Midnight at the end of the
    day is that at its start, ``24:00`` is 0:00.

    Args:
        text: Digits 0-9, folded, without outer punctuation.
    """
    if found := _TWELVE_HOURS.fullmatch(text):
        hour = int(found[1])
        return _spelled(_LATER_HOURS[_HALVES[found[3]]].get(hour) if 1 <= hour <= 12 else None, found[2], text)
    if found := _CLOCK.fullmatch(text):
        return _spelled(int(found[1]), found[2], text)
    if found := _HOURS.fullmatch(text):
        return _spelled(int(found[1]), found[2] or found[3], text)
    if found := _SYLLABLES.fullmatch(text):
        hour = int(found[2])
        later = hour if found[1] is None else _LATER_HOURS[_HALVES[found[1]]].get(hour)
        return _spelled(later, "30" if found[4] else found[3], text)
    return text


def day_in(text: str, language: str) -> str:
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
    with_counter = f"{number_in(first, primary)} {rest}" if first.isalpha() else text
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
