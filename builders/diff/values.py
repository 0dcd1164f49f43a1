"""Two values side by side: short enough to read, cut where they differ."""

import json
import re
import unicodedata
from itertools import takewhile

from pydantic import JsonValue

WIDTH = 100
"""Characters of a quoted value at most."""

_LEAD = 20
"""Characters of what stands before the first difference; a third of the width if that is less."""
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def value_pair(old: JsonValue, new: JsonValue, width: int = WIDTH) -> tuple[str, str]:
    """Both values in at most ``width`` characters each: text as it is, everything else as JSON.

    Long texts are cut to the part around their first difference. Where texts look alike but are not, because
    of invisible characters or of another Unicode form, what differs is spelled in ASCII escapes. Characters
    that change the direction of writing are always escaped: they would garble the line.
    """
    first, second = _spelled(old), _spelled(new)
    if first != second and _looks(first) == _looks(second):
        # Where both have the same characters, in another order or number, all of them are told.
        odd = set(first) ^ set(second) or {*first, *second}
        first, second = (
            "".join(_escaped(char) if char in odd else char for char in text) for text in (first, second)
        )
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    start = max(0, same - min(_LEAD, width // 3))
    return _window(first, start, width), _window(second, start, width)


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


def _escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _window(text: str, start: int, width: int) -> str:
    if len(text) <= width:
        return text
    # What is left may be short: there is room for more of what stands before.
    start = min(start, len(text) - width + 1)
    cut = text[start:] if start <= 0 else f"…{text[start:]}"
    return cut if len(cut) <= width else f"{cut[: width - 1]}…"
