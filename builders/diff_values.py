"""Two values side by side: short enough to read, cut where they differ."""

import json
import re
import unicodedata

from pydantic import JsonValue

WIDTH = 100
"""Characters of a quoted value."""

_CUT = "…"
_LEAD = 20
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def value_pair(old: JsonValue, new: JsonValue, width: int = WIDTH) -> tuple[str, str]:
    """Both values in at most ``width`` characters each: text as it is, everything else as JSON.

    Long texts are cut to the part around their first difference. Texts that look alike but are not, because of
    invisible characters or of another Unicode form, are spelled in ASCII escapes. Characters that change the
    direction of writing are always escaped: they would garble the line.
    """
    first, second = _spelled(old), _spelled(new)
    if _looks(first) == _looks(second):
        first, second = _spelled(old, ascii_only=True), _spelled(new, ascii_only=True)
    differ = (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    start = max(0, next(differ, min(len(first), len(second))) - _LEAD)
    return _window(first, start, width), _window(second, start, width)


def _spelled(value: JsonValue, *, ascii_only: bool = False) -> str:
    text = json.dumps(value, ensure_ascii=ascii_only)
    # Quotes only where a text would not be seen for what it is.
    if isinstance(value, str) and value == value.strip() and value not in ("", "null"):
        text = text[1:-1].replace('\\"', '"')
    return _DIRECTIONS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _looks(text: str) -> str:
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", seen).split())


def _window(text: str, start: int, width: int) -> str:
    if len(text) <= width:
        return text
    start = min(start, len(text) - width + 1)
    # A combining mark belongs to the letter before it.
    while start > 0 and unicodedata.category(text[start]).startswith("M"):
        start -= 1
    lead = _CUT if start > 0 else ""
    room = width - len(lead)
    part = text[start : start + room]
    if start + room < len(text):
        part = part[:-1] + _CUT
    return lead + part
