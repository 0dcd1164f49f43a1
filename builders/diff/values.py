"""Two values side by side: short enough to read, cut where they differ."""

import json
import re
import unicodedata

from pydantic import JsonValue

WIDTH = 100
"""Columns of a terminal that a quoted value may take."""

_CUT = "…"
_LEAD = 20
"""Columns of what stands before the first difference; a third of the width if that is less."""
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def value_pair(old: JsonValue, new: JsonValue, width: int = WIDTH) -> tuple[str, str]:
    """Both values in at most ``width`` columns each: text as it is, everything else as JSON.

    Long texts are cut to the part around their first difference. Where texts look alike but are not, because of
    invisible characters or of another Unicode form, what differs is spelled in ASCII escapes. Characters that
    change the direction of writing are always escaped: they would garble the line.
    """
    first, second = _spelled(old), _spelled(new)
    same = _common_start(first, second)
    if first != second and _looks(first) == _looks(second):
        first, second = _told_apart(first, second, same)
    start = same
    while start > 0 and _columns(first[start - 1 : same]) <= min(_LEAD, width // 3):
        start -= 1
    return _window(first, start, width), _window(second, start, width)


def _common_start(first: str, second: str) -> int:
    """Count the characters with which two texts begin alike."""
    differ = (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differ, min(len(first), len(second)))


def _spelled(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Quotes only where a text would not be seen for what it is.
    if isinstance(value, str) and value == value.strip() and value not in ("", "null"):
        text = text[1:-1].replace('\\"', '"')
    return _DIRECTIONS.sub(lambda found: _escaped(found[0]), text)


def _looks(text: str) -> str:
    # Cf: characters that nobody sees.
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", seen).split())


def _told_apart(first: str, second: str, same: int) -> tuple[str, str]:
    """The texts with what lies between their common start and end in escapes."""
    # From behind, and no further than where the common start ends.
    alike = _common_start(first[same:][::-1], second[same:][::-1])
    texts = []
    for text in (first, second):
        end = len(text) - alike
        texts.append(text[:same] + _escaped(text[same:end]) + text[end:])
    return texts[0], texts[1]


def _escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _window(text: str, start: int, width: int) -> str:
    if _columns(text) <= width:
        return text
    # What is left is short: there is room for more of what stands before.
    while start > 0 and _columns(text[start - 1 :]) < width:
        start -= 1
    # A combining mark belongs to the letter before it.
    while start > 0 and unicodedata.category(text[start]).startswith("M"):
        start -= 1
    lead = _CUT if start > 0 else ""
    rest, width_left = text[start:], width - len(lead)
    return lead + (rest if _columns(rest) <= width_left else _cut_to(rest, width_left - 1) + _CUT)


def _cut_to(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > width:
            return text[:at]
    return text


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide letter, none for a mark on another one."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.category(char).startswith("Mn")
        for char in text
    )
