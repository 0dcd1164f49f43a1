"""JSON as text: one value, or the sentence that says where it is none and what to do."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from blend.loaders.files.content import open_content, utf8_text
from blend.schemas.errors import RowError, beyond_limits

MOST_BYTES = 64 << 20
"""Bytes of the longest JSON file of a release; that of 132 regions has two million."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, where: str, *, is_file: bool = True) -> Any:
    """The value of a JSON text.

    Args:
        text: A whole file, or a line of one.
        where: What messages call it.
        is_file: Whether it is a whole file: then messages name lines.

    Raises:
        RowError: If it is cut off or otherwise not JSON, nested too deeply, or holds a key twice in one object,
            half a surrogate pair, or what JSON does not have (``NaN``); names the place.
    """
    try:
        return _parsed(text, where, is_file=is_file)
    except (RecursionError, ValueError) as error:
        if isinstance(error, RowError):
            raise
        raise RowError(f"not usable as JSON: {beyond_limits(error)}", where=where, fix="correct it") from None


def read_json_content(path: Path, *, where: str | None = None) -> Any:
    """The value of a JSON file that somebody else may have made.

    Raises:
        RowError: As of `parse_json`; if it cannot be read, is not in UTF-8, or has more than `MOST_BYTES`.
    """
    where = str(path) if where is None else where
    with open_content(path, where=where) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise RowError(f"more than {MOST_BYTES:,} bytes of JSON", where=where, fix="do not use it")
    return parse_json(utf8_text(content, where), where)


def _parsed(text: str, where: str, *, is_file: bool) -> Any:
    def constant(name: str) -> NoReturn:
        raise RowError(f"{name} is not JSON", where=where, fix="write a number, or null")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
            raise RowError(f"key {key!r} occurs twice", where=where, fix="keep one of the two")
        return value

    try:
        value = json.loads(text, parse_constant=constant, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise _not_json(error, where, is_file=is_file) from None
    if _has_surrogates(text) and not is_encodable(value):
        raise RowError("half of a surrogate pair is escaped", where=where, fix="write the character itself")
    return value


def _not_json(error: json.JSONDecodeError, where: str, *, is_file: bool) -> RowError:
    where += f", line {error.lineno}, column {error.colno}" if is_file else f", character {error.colno}"
    # The decoder points to the start of a text that has no end, and to the end otherwise.
    if error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()):
        return RowError("the JSON ends in the middle", where=where, fix="copy or export the file again, whole")
    return RowError(f"not JSON ({error.msg})", where=where, fix="correct the file at this place")


def _has_surrogates(text: str) -> bool:
    # Without the plain search first, the pattern costs more than the parsing of the JSON.
    return "\\" in text and ("\\ud" in text or "\\uD" in text) and _SURROGATE.search(text) is not None


def is_encodable(value: Any) -> bool:
    """Whether all texts in a value can be written in UTF-8: none holds half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True
