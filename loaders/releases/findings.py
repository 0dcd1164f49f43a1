"""The findings of a release, one JSON object a line, as who reads the release finds them."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from blend.loaders.files.content import open_content, parse_json, utf8_text
from blend.schemas.errors import RowError
from blend.schemas.manifest import FINDINGS_NAME

LINE_BYTES = 1 << 20
"""Bytes of the longest line."""


def read_findings(
    path: Path, *, holding: Collection[str] = ()
) -> Iterator[tuple[str, dict[str, Any] | RowError]]:
    """The findings in a file, each with its place, or what is wrong with its line.

    Args:
        path: The file.
        holding: Kinds; lines in which none of them stands are left out. All when empty.

    Returns:
        Place and object, whose ``stage`` and ``kind`` are texts. Nothing behind a line that is too long.
    """
    with open_content(path) as lines:
        number = 0
        while line := lines.readline(LINE_BYTES + 1):
            number += 1
            where = f"{FINDINGS_NAME}:{number}"
            if len(line) > LINE_BYTES:
                what = f"a line of more than {LINE_BYTES:,} bytes, behind which nothing is read"
                yield where, RowError(what, where=where, fix="build the release again")
                return
            if not holding or any(kind.encode() in line for kind in holding):
                yield where, _finding(line, where)


def _finding(line: bytes, where: str) -> dict[str, Any] | RowError:
    try:
        finding = parse_json(utf8_text(line, where), where, is_file=False)
    except RowError as error:
        return error
    if isinstance(finding, dict) and all(isinstance(finding.get(key), str) for key in ("stage", "kind")):
        return finding
    return RowError("not a JSON object with stage and kind", where=where, fix="build the release again")
