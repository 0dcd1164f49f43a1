"""Files of a dump, unpacked: compressed as their names say, and whole."""

import bz2
import io
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from blend.loaders.wikidata.store import open_gzip
from blend.schemas.errors import InputError

PACKINGS = {".gz": ("gzip", b"\x1f\x8b"), ".bz2": ("bzip2", b"BZh")}
"""Compressions by the ending of a name: what each is called, and how its files begin."""

_READ_BYTES = 1 << 18


def unpacked(packed: BufferedReader, dump: Path, fix: str) -> IO[bytes]:
    """The content of a file of a dump, open at its start; what is damaged raises as it is read.

    Raises:
        InputError: If the file is not compressed as its name says; ``fix`` is what else to do about it.
    """
    _check_packing(packed.peek(4), dump, fix)
    if dump.suffix == ".gz":
        return open_gzip(packed)
    return cast("IO[bytes]", _Bzip2(packed)) if dump.suffix == ".bz2" else packed


def _check_packing(head: bytes, dump: Path, fix: str) -> None:
    named = dump.suffix if dump.suffix in PACKINGS else None
    found = next((suffix for suffix, (_, magic) in PACKINGS.items() if head.startswith(magic)), None)
    if not head or found == named:
        return
    if found is not None:
        name = (dump.stem if named else dump.name) + found
        raise InputError(f"{dump}: is a {PACKINGS[found][0]} file; name it {name} or {fix}")
    raise InputError(f"{dump}: not a {PACKINGS[named or ''][0]} file; name it without {named} or {fix}")


class _Bzip2(io.BufferedIOBase):
    """The content of streams of bzip2, one behind the other, and of nothing else.

    `bz2.BZ2File` takes damage behind the first stream for the end of the file, and so does ``bzip2 -t`` for
    whatever does not begin as a stream does, zero bytes as well: neither would say that streams are missing.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._stream = bz2.BZ2Decompressor()

    def read(self, size: int | None = -1, /) -> bytes:
        """As many bytes as are asked for, fewer only at the end of the file.

        Raises:
            OSError, EOFError: If the file is damaged or cut off.
        """
        left = -1 if size is None else size  # below zero without a limit, for bz2 as well
        parts = []
        while left and (part := self._some(left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def seek(self, position: int, _whence: int = 0, /) -> int:
        """Go on behind so many bytes of a file of which nothing has been read."""
        left = position
        while left and (part := self._some(min(left, _READ_BYTES))):
            left -= len(part)
        return position - left

    def _some(self, most: int) -> bytes:
        """The next bytes, none only at the end of the file."""
        part = b""
        while not part:
            packed = self._stream.unused_data
            if not packed and (self._stream.eof or self._stream.needs_input):
                packed = self._packed.read(_READ_BYTES)
                if not packed and self._stream.eof:
                    break
                if not packed:
                    raise EOFError
            if self._stream.eof:
                self._stream = bz2.BZ2Decompressor()
            part = self._stream.decompress(packed, most)
        return part
