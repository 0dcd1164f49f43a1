"""Parts of a dump: the few statements that are wanted of its billions, in Parquet files of a folder.

A dump is read from start to end, in blocks of whole lines; what is not wanted is dropped before it is parsed.
After every `PART_BYTES` the statements found are written as ``NAME-POSITION.parquet``; the position, in bytes
of the unpacked dump, is that up to which the parts so far reach. A file appears under its name only when it is
complete, so a reading that was killed goes on behind the last one. ``NAME.done`` says that the end was reached.
"""

import bz2
import gzip
import hashlib
import io
import re
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.wikidata.store import unpacking_errors
from blend.schemas.errors import InputError, RowError
from blend.schemas.release.snapshots import DumpInfo

BLOCK_BYTES = 1 << 25
"""Unpacked bytes that are searched at a time."""

PART_BYTES = 1 << 28
"""Unpacked bytes of the dump behind one part, read again at most after a kill."""

_HEAD_BYTES = 1 << 20

_TRIPLE = re.compile(rb"(?:<[^<>\s]+>|_:\S+) <[^<>\s]+> \S.* \.$|#|$", re.MULTILINE)
"""A line as Wikidata writes it: one blank between the terms, as the search for properties expects."""

_AGAIN = "download the dump again"


def dump_info(dump: Path) -> DumpInfo:
    """Name, length and beginning of a dump.

    Raises:
        InputError: If the name does not tell that it is N-Triples, or the file cannot be read.
    """
    if not dump.name.endswith((".nt", ".nt.gz", ".nt.bz2")):
        raise InputError(
            f"{dump}: a dump is N-Triples, named ….nt, ….nt.gz or ….nt.bz2; get latest-truthy.nt.gz"
        )
    with open_content(dump, what="dump") as file:
        head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    return DumpInfo(file=dump.name, bytes=dump.stat().st_size, head_sha256=head)


def read_parts(
    dump: Path,
    folder: Path,
    name: str,
    properties: Collection[str],
    on_progress: ProgressCallback,
    *,
    subjects: Collection[str] | None = None,
) -> list[Path]:
    """The statements of some properties, in the order of the dump; what an earlier run found is not read again.

    Args:
        dump: N-Triples, compressed with gzip or bzip2 as its name tells.
        folder: Where the parts are kept, under names that begin with ``name``.
        name: Of the reading, for files and progress, which is told in MiB of the file.
        properties: Addresses of the properties.
        on_progress: Told about progress.
        subjects: Addresses of the subjects; all when absent.

    Returns:
        The parts: ``subject`` (always an address), ``property``, ``object``, terms as the dump writes them.

    Raises:
        InputError: If the dump is empty, damaged, cut off, or not N-Triples.
    """
    done = folder / f"{name}.done"
    if not done.exists():
        earlier = _parts(folder, name)
        start = end = int(earlier[-1].stem.rpartition("-")[2]) if earlier else 0
        found: list[pl.DataFrame] = []
        search = _search(properties, subjects)
        for end, block in _blocks(dump, start, name, on_progress):
            try:
                found.append(search(block))
            except pl.exceptions.ComputeError as error:
                where = f"{dump}, unpacked bytes {end - len(block):,} to {end:,}"
                raise RowError(f"not text ({error})", where=where, fix=_AGAIN) from None
            if end - start >= PART_BYTES:
                _write_part(folder, name, end, found)
                start, found = end, []
        if found:
            _write_part(folder, name, end, found)
        if end == 0:
            raise InputError(f"{dump}: is empty; {_AGAIN}")
        atomic_write(done, "")
    return _parts(folder, name)


def _parts(folder: Path, name: str) -> list[Path]:
    return sorted(folder.glob(f"{name}-*.parquet"))


def _write_part(folder: Path, name: str, position: int, found: list[pl.DataFrame]) -> None:
    packed = io.BytesIO()
    pl.concat(found).write_parquet(packed)
    atomic_write(folder / f"{name}-{position:015}.parquet", packed.getvalue())


def _blocks(dump: Path, position: int, name: str, on_progress: ProgressCallback) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines, each with the position behind it."""
    size = dump.stat().st_size >> 20
    with (
        open_content(dump, what="dump") as packed,
        unpacking_errors(dump, _AGAIN),
        _unpacked(packed, dump) as file,
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
                _check_lines(block, dump, position)
                position += len(block)
                yield position, block
                rest = content[end:]
            else:
                rest += content
            if len(rest) > BLOCK_BYTES:
                raise InputError(f"{dump}: a line of more than {BLOCK_BYTES:,} bytes is not a triple; {_AGAIN}")
            on_progress(f"read {name}", packed.tell() >> 20, size)
        if packed.read(1):  # bz2 takes damage between two of its streams for the end, and says nothing
            raise EOFError
        if rest:
            _check_lines(rest, dump, position)
            yield position + len(rest), rest


def _unpacked(packed: BufferedReader, dump: Path) -> IO[bytes]:
    if dump.suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    return cast("IO[bytes]", bz2.BZ2File(packed)) if dump.suffix == ".bz2" else packed


def _check_lines(block: bytes, dump: Path, position: int) -> None:
    """Check the first and the last line of a block; all others are parsed if they are wanted."""
    for start in (0, block.rfind(b"\n", 0, -1) + 1):
        # Found in place: to cut a line out of a block must not copy the block.
        if not _TRIPLE.match(block, start):
            excerpt = block[start : start + 80].partition(b"\n")[0].decode(errors="replace")
            raise RowError(
                f"not a triple as Wikidata's dumps write them: {excerpt!r}",
                where=f"{dump}, unpacked bytes {position:,} to {position + len(block):,}",
                fix=f"give a dump in N-Triples, or {_AGAIN}",
            )


def _search(properties: Collection[str], subjects: Collection[str] | None) -> Callable[[bytes], pl.DataFrame]:
    """A function that finds the wanted lines of a block: ``subject``, ``property``, ``object``."""
    iris = [f"<{name}>" for name in properties]
    # A line that names a property anywhere is taken apart; most name none.
    is_named = pl.col("line").str.contains("|".join(f" {re.escape(iri)} " for iri in iris))
    terms = pl.col("line").str.splitn(" ", 3).struct.rename_fields(["subject", "property", "object"])
    is_wanted = pl.col("property").is_in(iris) & pl.col("subject").str.starts_with("<")
    if subjects is not None:
        terms_wanted = pl.Series([f"<{name}>" for name in subjects], dtype=pl.String)
        is_wanted &= pl.col("subject").is_in(terms_wanted.implode())

    def search(block: bytes) -> pl.DataFrame:
        lines = pl.read_lines(block).lazy().filter(is_named).select(terms).unnest("line").filter(is_wanted)
        return lines.with_columns(pl.col("object").str.strip_suffix(" .")).collect()

    return search
