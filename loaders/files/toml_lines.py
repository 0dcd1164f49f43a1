"""Lines of a TOML text: where a key stands, for messages."""

import re

_TABLE = re.compile(r"\s*\[([^\[\]]+)\]")
_ENTRY = re.compile(r"\s*\[\[([^\[\]]+)\]\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*=")


def lines_of(text: str) -> dict[str, int]:
    """The line of every key and table in a text that is TOML, from 1, by its path: ``locales[1].annotators``.

    Keys of tables within one line have the line of that table's key.
    """
    lines: dict[str, int] = {}
    entries: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if entry := _ENTRY.match(line):
            name = entry[1].strip()
            entries[name] = entries.get(name, -1) + 1
            table = f"{name}[{entries[name]}]"
            lines.setdefault(name, number)
            lines[table] = number
        elif header := _TABLE.match(line):
            table = header[1].strip()
            lines[table] = number
        elif key := _KEY.match(line):
            lines.setdefault(f"{table}.{key[1]}" if table else key[1], number)
    return lines


def line_of(key: str, lines: dict[str, int]) -> int:
    """The line of a key, or of the closest one around it; 1 where it is in no table that is there."""
    while key and key not in lines:
        key = re.sub(r"(\.[^.\[\]]*|\[\d+\]|^[^.\[\]]*)$", "", key)
    return lines.get(key, 1)
