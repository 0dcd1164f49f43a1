"""TOML texts as plain tables: the one place where they are parsed, with errors that name the file."""

import tomllib
from typing import Any

from blend.schemas.errors import RowError, beyond_limits


def toml_tables(text: str, *, source: str, fix: str = "mend the file there") -> dict[str, Any]:
    """The tables and keys of a text in TOML.

    Args:
        text: TOML.
        source: File name for messages.
        fix: What to do about a text that is not TOML; the message names the line before it.

    Raises:
        RowError: If it is not TOML (names the line), or nested deeper or with longer numbers than Python reads.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RowError(f"not TOML: {error}", where=source, fix=fix) from None
    except (RecursionError, ValueError) as error:
        raise RowError(f"not usable as TOML: {beyond_limits(error)}", where=source, fix="correct it") from None
