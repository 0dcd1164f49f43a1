"""TOML texts as plain tables: the one place where they are parsed, with errors that name the file."""

import re
import tomllib
from typing import Any

from blend.schemas.errors import RowError, beyond_limits


def toml_tables(text: str, *, source: str, fix: str = "mend the file there") -> dict[str, Any]:
    """The tables and keys of a text in TOML.

    Args:
        text: TOML.
        source: File name for messages.
        fix: What to do about a text that is not TOML, where nothing better is known (`_REMEDIES`); the message
            names the line before it.

    Raises:
        RowError: If it is not TOML (names the line), or nested deeper or with longer numbers than Python reads.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RowError(f"not TOML: {error}", where=source, fix=_remedy(text, str(error)) or fix) from None
    except (RecursionError, ValueError) as error:
        raise RowError(f"not usable as TOML: {beyond_limits(error)}", where=source, fix="correct it") from None


_REMEDIES = {
    r"[“”„«»‘’].*\n": 'write straight quotes there, as in name = "text"',
    r"\\.*\n": "write / in place of \\ there, or '…' around the text in place of \"…\"",
    r"=\s*[^\W\d].*\nInvalid value": 'put text in quotes there, as in name = "text"',
    r"\nCannot (?:overwrite|declare)": (
        "the key or table is there twice; delete one of them, or write [[name]] above each of several tables"
    ),
}
"""What people mistake in TOML, by a pattern of the line and of what the parser says of it, and what to do."""


def _remedy(text: str, error: str) -> str | None:
    number = re.search(r"at line (\d+)", error)
    line = text.split("\n")[int(number[1]) - 1] if number else ""
    found = (remedy for pattern, remedy in _REMEDIES.items() if re.search(pattern, f"{line}\n{error}"))
    return next(found, None)
