"""Appended rows: added to the end of a text file, so that a process that dies loses none that was there."""

import io
import os
from collections.abc import Callable
from pathlib import Path

_CHUNK_BYTES = 2**20
"""Read at a time, from the end, to where the last row begins."""


def complete_rows(content: bytes, is_complete: Callable[[bytes], bool]) -> tuple[bytes, bytes]:
    """Part a file's content into its complete rows and what follows: a row cut off in the middle, or nothing.

    Args:
        content: The content.
        is_complete: Whether a last line without line feed has all its cells: editors leave the line feed out.
    """
    start = content.rfind(b"\n") + 1
    tail = content[start:]
    return (content, b"") if not tail or is_complete(tail) else (content[:start], tail)


def append_rows(path: Path, rows: bytes, is_complete: Callable[[bytes], bool]) -> None:
    """Add rows behind the complete ones of a file, in place of one that was cut off while it was written.

    They are on the disk when the function returns. If the process dies before, they are there or not, or one
    of them is cut off. Let nobody else write the file meanwhile (`loaders.files.atomic.one_at_a_time`).

    Args:
        path: The file, which is there.
        rows: Lines, each with its line feed; none, and only a row that was cut off is taken away.
        is_complete: As `complete_rows`.

    Raises:
        OSError: If the file cannot be written; then its complete rows are as before.
    """
    # Unbuffered: one call writes all rows, so that half a row is rare, and nothing is written later.
    with path.open("r+b", buffering=0) as file:
        end, line_feed = _end_of_rows(file, is_complete)
        try:
            file.truncate(end)
            file.seek(end)
            _write(file, line_feed + rows if rows else b"")
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)
            raise


def _end_of_rows(file: io.FileIO, is_complete: Callable[[bytes], bool]) -> tuple[int, bytes]:
    """Return where the next row goes, and the line feed to write before it if the last row has none."""
    size = start = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail:
        end, start = start, max(0, start - _CHUNK_BYTES)
        file.seek(start)
        tail = file.read(end - start) + tail
    tail = tail[tail.rfind(b"\n") + 1 :]
    return (size, b"\n") if tail and is_complete(tail) else (size - len(tail), b"")


def _write(file: io.FileIO, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += file.write(data[written:]) or 0
