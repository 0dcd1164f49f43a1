"""Parts of a dump: the few statements that are wanted of its billions, in Parquet files of a folder.

The dump is read from start to end, in blocks of whole lines; what is not wanted is dropped before it is
parsed. After every `PART_BYTES` the statements found are written as ``READING-POSITION.parquet``; the position,
in bytes of the unpacked dump, is that up to which the parts so far reach. A part appears under its name only
when it is complete, so a reading that was killed goes on behind the last one. ``READING.done`` says that the
end was reached.
"""

import hashlib
import io
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.wikidata.dump_triples import WrongLine, misfit, search
from blend.loaders.wikidata.store import opened
from blend.schemas.errors import InputError, RowError
from blend.schemas.manifest import DumpInfo

BLOCK_BYTES = 1 << 22
"""Unpacked bytes that are searched at a time: few enough to stay in the processor's cache."""

LINE_BYTES = 1 << 25
"""Longest line that is read."""

PART_BYTES = 1 << 28
"""Unpacked bytes of the dump behind one part, read again at most after a kill."""

SHOWN_BYTES = 200
"""Bytes of a wrong line that messages show."""

_HEAD_BYTES = 1 << 20
_AGAIN = "download the dump again"
_NAMES = "name the dump ….nt, or ….nt.gz where it is compressed by gzip"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading of a dump keeps."""

    name: str
    """For the names of parts and for progress."""
    properties: frozenset[str]
    """Addresses of the properties; of labels and descriptions where there are subjects."""
    subjects: frozenset[str] | None = None
    """Addresses of the subjects; all when absent."""


def dump_info(dump: Path) -> DumpInfo:
    """Name, length and beginning of a dump.

    Raises:
        InputError: If the name does not tell its format, or the file cannot be read.
    """
    if not dump.name.endswith((".nt", ".nt.gz")):
        raise InputError(f"{dump}: not named as a dump in N-Triples; {_NAMES}, or get latest-truthy.nt.gz")
    with open_content(dump, what="dump") as file:
        head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    return DumpInfo(file=dump.name, bytes=dump.stat().st_size, head_sha256=head)


def read_dump(dump: Path, folder: Path, reading: Reading, on_progress: ProgressCallback) -> list[Path]:
    """The wanted statements of a dump, in its order; what an earlier run found is not read again.

    Args:
        dump: The file.
        folder: Where the parts are kept.
        reading: What is wanted.
        on_progress: Told about progress, in MiB of the file.

    Returns:
        The parts: ``subject`` (always an address), ``property``, ``object``, terms as the dump writes them.

    Raises:
        InputError: If the dump is empty, damaged, cut off, or of another format.
    """
    done = folder / f"{reading.name}.done"
    if not done.exists():
        total = _mib(dump.stat().st_size)
        for n_read in _read_parts(dump, folder, reading):
            on_progress(f"read {reading.name}", _mib(n_read), total)
        atomic_write(done, "")
    return _parts(folder, reading)


def _parts(folder: Path, reading: Reading) -> list[Path]:
    return sorted(folder.glob(f"{reading.name}-*.parquet"))


def _mib(n_bytes: int) -> int:
    """MiB, begun ones as whole ones, so that a small file has one."""
    return -(-n_bytes >> 20)


def _read_parts(dump: Path, folder: Path, reading: Reading) -> Iterator[int]:
    """Write the parts; tells after every block how many bytes of the file have been read."""
    earlier = _parts(folder, reading)
    start = end = int(earlier[-1].stem.rpartition("-")[2]) if earlier else 0
    found: list[pl.DataFrame] = []
    find = _search(dump, reading)
    for end, block, n_read in _blocks(dump, start):
        found.append(find(end - len(block), block))
        if end - start >= PART_BYTES:
            _write_part(folder, reading, end, found)
            start, found = end, []
        yield n_read
    if found:
        _write_part(folder, reading, end, found)
    if end == 0:
        raise InputError(f"{dump}: is empty; {_AGAIN}")


def _search(dump: Path, reading: Reading) -> Callable[[int, bytes], pl.DataFrame]:
    """A function that finds the wanted statements of a block, given with the position of its beginning."""
    wanted = search(reading.properties, reading.subjects)

    def found(start: int, block: bytes) -> pl.DataFrame:
        where = f"{dump}, unpacked bytes {start:,} to {start + len(block):,}"
        if b"\0" in block:  # what a broken download leaves; a line without its name would be passed over
            raise RowError("holds zero bytes, which no dump has", where=where, fix=_AGAIN)
        try:
            # The first reading has seen every line.
            wrong = misfit(block) if reading.subjects is None else None
            if wrong is not None:
                raise WrongLine(wrong)
            return wanted(block)
        except WrongLine as error:
            line = re.search(rb"^%s\r?$" % re.escape(error.line), block, re.MULTILINE)
            where = f"{dump}, line at unpacked byte {start + (line.start() if line else 0):,}"
            shown = error.line[:SHOWN_BYTES].decode(errors="replace")
            problem = f"not a triple as Wikidata's dumps write them: {shown!r}"
            raise RowError(problem, where=where, fix=f"{_NAMES}, or {_AGAIN}") from None
        except pl.exceptions.ComputeError as error:
            raise RowError(f"cannot be read ({error})", where=where, fix=_AGAIN) from None

    return found


def _write_part(folder: Path, reading: Reading, position: int, found: list[pl.DataFrame]) -> None:
    packed = io.BytesIO()
    pl.concat(found).write_parquet(packed)
    atomic_write(folder / f"{reading.name}-{position:015}.parquet", packed.getvalue())


def _blocks(dump: Path, position: int) -> Iterator[tuple[int, bytes, int]]:
    """Blocks of whole lines, each with the position behind it and the bytes of the file read so far."""
    with (
        opened(dump, what="dump", fix=_AGAIN) as (file, packed),
        # Unpacks the next block while the caller searches this one: both leave Python's lock alone.
        ThreadPoolExecutor(max_workers=1) as reader,
    ):
        file.seek(position)
        rest = b""
        coming = reader.submit(file.read, BLOCK_BYTES)
        while content := coming.result():
            coming = reader.submit(file.read, BLOCK_BYTES)
            end = content.rfind(b"\n") + 1
            if end:
                block = b"".join((rest, memoryview(content)[:end]))
                position += len(block)
                yield position, block, packed.tell()
                rest = content[end:]
            else:
                rest += content
            if len(rest) > LINE_BYTES:
                what = f"a line of more than {LINE_BYTES:,} bytes is not of Wikidata's"
                raise InputError(f"{dump}: {what}; {_AGAIN}")
        if rest:
            yield position + len(rest), rest, packed.tell()
