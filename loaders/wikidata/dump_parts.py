"""Parts of a dump: the few statements that are wanted of its billions, in Parquet files of a folder.

A file is read from start to end, in blocks of whole lines; what is not wanted is dropped before it is parsed.
After every `PART_BYTES` the statements found are written as ``READING-FILE-POSITION.parquet``; the position, in
bytes of the unpacked file, is that up to which the parts so far reach. A part appears under its name only when
it is complete, so a reading that was killed goes on behind the last one. ``READING-FILE.done`` says that the
end was reached, and holds the last character there. Files do not depend on each other: the workers of a Dask
cluster can read them side by side.
"""

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.servers.cluster import on_cluster
from blend.loaders.wikidata import dump_entities, dump_triples
from blend.loaders.wikidata.dump_triples import WrongLine
from blend.loaders.wikidata.dump_unpacking import PACKINGS, unpacked
from blend.loaders.wikidata.store import unpacking_errors
from blend.schemas.errors import InputError, RowError
from blend.schemas.release.snapshots import DumpInfo

BLOCK_BYTES = 1 << 22
"""Unpacked bytes that are searched at a time: few enough to stay in the processor's cache."""

LINE_BYTES = 1 << 25
"""Longest line that is read; the largest entities in JSON have some 4 MB."""

PART_BYTES = 1 << 28
"""Unpacked bytes of the dump behind one part, read again at most after a kill."""

FORMATS: dict[str, tuple[str, ModuleType]] = {
    ".nt": ("a triple", dump_triples),
    ".json": ("an entity", dump_entities),
}
"""What a line is and who searches it, by the ending of a dump's name before that of its compression."""

_HEAD_BYTES = 1 << 20
SHOWN_BYTES = 200
"""Bytes of a wrong line that messages show."""
_AGAIN = "download the dump again"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading of a dump keeps."""

    name: str
    """For the names of parts and for progress."""
    properties: frozenset[str]
    """Addresses of the properties; of labels and descriptions where there are subjects."""
    subjects: frozenset[str] | None = None
    """Addresses of the subjects; all when absent."""


def dump_files(dumps: Sequence[Path]) -> tuple[Path, ...]:
    """The files of a dump; a folder stands for all dumps in it, by name.

    Raises:
        InputError: If there is none.
    """
    files = [
        file
        for dump in dumps
        for file in (sorted(filter(_format_of, dump.iterdir())) if dump.is_dir() else [dump])
    ]
    if not files:
        among = ", ".join(map(str, dumps)) or "dumps"
        raise InputError(f"{among}: no dump is there; {_NAMES}")
    return tuple(files)


_NAMES = "name dumps ….nt or ….json, with .gz or .bz2 behind it where they are compressed"


def dump_info(dump: Path) -> DumpInfo:
    """Name, length and beginning of a file of a dump.

    Raises:
        InputError: If the name does not tell its format, or the file cannot be read.
    """
    if not _format_of(dump):
        raise InputError(f"{dump}: not named as a dump; {_NAMES}, or get latest-truthy.nt.gz")
    with open_content(dump, what="dump") as file:
        head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    return DumpInfo(file=dump.name, bytes=dump.stat().st_size, head_sha256=head)


def _format_of(dump: Path) -> str | None:
    """The key of `FORMATS` of a file by its name; null for others."""
    name = dump.stem if dump.suffix in PACKINGS else dump.name
    return next((ending for ending in FORMATS if name.endswith(ending)), None)


def read_dump(
    dumps: Sequence[Path],
    folder: Path,
    reading: Reading,
    on_progress: ProgressCallback,
    *,
    dask: str | None = None,
) -> list[Path]:
    """The wanted statements of a dump, in its order; what an earlier run found is not read again.

    Args:
        dumps: The files.
        folder: Where the parts are kept.
        reading: What is wanted.
        on_progress: Told about progress, in MiB of the files.
        dask: See `on_cluster`; the workers must see files and folder under the same paths. This process alone
            when absent.

    Returns:
        The parts: ``subject`` (always an address), ``property``, ``object``, terms as a dump in N-Triples
        writes them.

    Raises:
        InputError: If a file is empty, damaged, cut off, or of another format.
        ServerError, MissingExtraError: As from `on_cluster`.
    """
    step = f"read {reading.name}"
    total = _mib(sum(dump.stat().st_size for dump in dumps))
    done = 0
    tasks = [(dump.resolve(), folder.resolve(), number) for number, dump in enumerate(dumps)]
    if dask is None:
        for dump, _, number in tasks:
            for read in read_parts(dump, folder, number, reading):
                on_progress(step, _mib(done + read), total)
            done += dump.stat().st_size
    else:
        for size in on_cluster(_read_file, tasks, reading, dask=dask, about="file of the dump"):
            done += size
            on_progress(step, _mib(done), total)
    _check_lists(dumps, folder, reading)
    return sorted(folder.glob(f"{reading.name}-*.parquet"))


def _check_lists(dumps: Sequence[Path], folder: Path, reading: Reading) -> None:
    """Check that the brackets around the entities in JSON are there, the end of each list and its beginning.

    Only they tell a whole dump from one that is cut off between two lines. Of one that was split, whichever
    file holds a bracket, as many files begin with one as end with one, also where each is a list of its own.
    """
    numbers = [number for number, dump in enumerate(dumps) if _format_of(dump) == ".json"]
    begun = [number for number in numbers if _first_byte(dumps[number]) == b"["]
    ended = [number for number in numbers if _done(folder, reading, number).read_bytes() == b"]"]
    if not numbers or 0 < len(begun) == len(ended):
        return
    where = names_of([dumps[number] for number in numbers])
    if len(numbers) == 1:
        missing = "end with ]" if begun else "begin with ["
        raise RowError(f"does not {missing}, as a whole dump in JSON does", where=where, fix=_AGAIN)
    problem = (
        f"files that begin with [: {len(begun)}, that end with ]: {len(ended)}, which a whole dump has alike"
    )
    raise RowError(problem, where=where, fix=f"give all files of the dump, or {_AGAIN}")


def names_of(dumps: Sequence[Path]) -> str:
    """What messages about all files of a dump call them."""
    return str(dumps[0]) if len(dumps) == 1 else f"{dumps[0]} to {dumps[-1]}"


def _first_byte(dump: Path) -> bytes:
    with (
        open_content(dump, what="dump") as packed,
        unpacking_errors(dump, _AGAIN),
        unpacked(packed, dump, _AGAIN) as file,
    ):
        return file.read(1)


def _done(folder: Path, reading: Reading, number: int) -> Path:
    return folder / f"{reading.name}-{number:05}.done"


def _mib(n_bytes: int) -> int:
    """MiB, begun ones as whole ones, so that a small file has one."""
    return -(-n_bytes >> 20)


def _read_file(task: tuple[Path, Path, int], reading: Reading) -> int:
    """Read a file on a worker; returns its length in bytes."""
    dump, folder, number = task
    # A worker that is given up while it goes on writes the same parts as the next one, each of them at once.
    for _ in read_parts(dump, folder, number, reading):
        pass
    return dump.stat().st_size


def read_parts(dump: Path, folder: Path, number: int, reading: Reading) -> Iterator[int]:
    """Write the parts of a file; tells after every block how many bytes of the file have been read.

    Raises:
        InputError: If the file is empty, damaged, cut off, or of another format.
    """
    done = _done(folder, reading, number)
    if done.exists():
        return
    name = done.stem
    earlier = sorted(folder.glob(f"{name}-*.parquet"))
    start = end = int(earlier[-1].stem.rpartition("-")[2]) if earlier else 0
    found: list[pl.DataFrame] = []
    block = b""
    search = _search(dump, reading)
    for end, block, n_read in _blocks(dump, start):
        found.append(search(end - len(block), block))
        if end - start >= PART_BYTES:
            _write_part(folder, name, end, found)
            start, found = end, []
        yield n_read
    if found:
        _write_part(folder, name, end, found)
    if end == 0:
        raise InputError(f"{dump}: is empty; {_AGAIN}")
    if not block:  # killed after the last part
        for _, last, _ in _blocks(dump, 0):
            block = last
    atomic_write(done, block.rstrip()[-1:])


def _search(dump: Path, reading: Reading) -> Callable[[int, bytes], pl.DataFrame]:
    """A function that finds the wanted statements of a block, given with the position of its beginning."""
    what, kind = FORMATS[_format_of(dump) or ".nt"]
    search: Callable[[bytes], pl.DataFrame] = kind.search(reading.properties, reading.subjects)

    def found(start: int, block: bytes) -> pl.DataFrame:
        where = f"{dump}, unpacked bytes {start:,} to {start + len(block):,}"
        if b"\0" in block:  # what a broken download leaves; a line without its name would be passed over
            raise RowError("holds zero bytes, which no dump has", where=where, fix=_AGAIN)
        # The first reading has seen every line.
        wrong = kind.misfit(block) if reading.subjects is None else None
        try:
            if wrong is not None:
                raise WrongLine(wrong)
            return search(block)
        except WrongLine as error:
            line = re.search(rb"^%s\r?$" % re.escape(error.line), block, re.MULTILINE)
            where = f"{dump}, line at unpacked byte {start + (line.start() if line else 0):,}"
            shown = error.line[:SHOWN_BYTES].decode(errors="replace")
            problem = f"not {what} as Wikidata's dumps write them: {shown!r}"
            fix = (
                "write it without blanks beside colons and commas"
                if dump_entities.has_blanks(error.line)
                else _NAMES
            )
            raise RowError(problem, where=where, fix=f"{fix}, or {_AGAIN}") from None
        except InputError as error:
            raise InputError(f"{dump}: {error}") from None
        except (pl.exceptions.ComputeError, ValueError, KeyError, TypeError) as error:
            raise RowError(f"cannot be read ({error})", where=where, fix=_AGAIN) from None

    return found


def _write_part(folder: Path, name: str, position: int, found: list[pl.DataFrame]) -> None:
    packed = io.BytesIO()
    pl.concat(found).write_parquet(packed)
    atomic_write(folder / f"{name}-{position:015}.parquet", packed.getvalue())


def _blocks(dump: Path, position: int) -> Iterator[tuple[int, bytes, int]]:
    """Blocks of whole lines, each with the position behind it and the bytes of the file read so far."""
    with (
        open_content(dump, what="dump") as packed,
        unpacking_errors(dump, _AGAIN),
        unpacked(packed, dump, _AGAIN) as file,
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
