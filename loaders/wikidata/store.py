"""A snapshot of Wikidata on the disk: its triples, one after the other or in an embedded SPARQL store."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, cast

from blend.loaders.files.pins import file_sha256
from blend.schemas.errors import InputError, MissingExtraError, RowError

if TYPE_CHECKING:
    import pyoxigraph

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DESCRIPTION = "http://schema.org/description"

INSTANCE_OF = "P31"

_LINE_BYTES = 1 << 20
"""Longest line that is read; the longest labels of Wikidata take some hundred bytes."""

_AGAIN = "take or copy the snapshot again"
_MISSING = "there is no such snapshot; `blend wikidata snapshot` takes one"


def triples(path: Path) -> "Iterator[pyoxigraph.Quad]":
    """The triples of a snapshot in file order; memory does not grow with their number.

    Args:
        path: N-Triples, compressed with gzip if the name ends in ``.gz``.

    Raises:
        InputError: If the file is missing, cut off, or not N-Triples.
        MissingExtraError: If pyoxigraph is not installed.
    """
    sparql = engine()
    with _opened(path) as file:
        # Lenient about language tags, which are judged one by one later instead of ending the reading.
        yield from sparql.parse(file, format=sparql.RdfFormat.N_TRIPLES, lenient=True)


def load_store(path: Path) -> "pyoxigraph.Store":
    """The snapshot in a SPARQL store in memory (some 0.5 KB per triple), to ask questions of one's own.

    Raises:
        InputError: If the file is missing, cut off, or not N-Triples.
        MissingExtraError: If pyoxigraph is not installed.
    """
    sparql = engine()
    store: pyoxigraph.Store = sparql.Store()
    with _opened(path) as file:
        store.bulk_load(file, sparql.RdfFormat.N_TRIPLES, lenient=True)
    return store


def engine() -> ModuleType:
    """The SPARQL engine, pyoxigraph.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import pyoxigraph
    except ImportError:
        raise MissingExtraError("reading a Wikidata snapshot", extra="wikidata") from None
    return pyoxigraph


def check_digest(path: Path, sha256: str) -> None:
    """Check that a file is the one that a recipe names.

    Raises:
        InputError: If it is missing or another.
    """
    if not path.is_file():
        raise InputError(f"{path}: {_MISSING}")
    found = file_sha256(path)
    if found != sha256:
        raise InputError(
            f"{path}: the snapshot's SHA-256 is {found}, but the recipe names {sha256}; "
            "get the snapshot that the recipe names, or pin the new one by writing its digest into the recipe"
        )


class _BoundedLines:
    """The bytes of a file as long as its lines are such as triples have: the engine holds a line in memory."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = path
        self._length = 0

    def read(self, size: int) -> bytes:
        part = self._file.read(min(size, _LINE_BYTES))
        # Only what stands behind the last line feed is of the line that is still under way.
        behind = part.rfind(b"\n") + 1
        self._length = len(part) - behind if behind else self._length + len(part)
        if self._length > _LINE_BYTES:
            raise InputError(
                f"{self._path}: a line of more than {_LINE_BYTES:,} bytes is not a triple; {_AGAIN}"
            )
        return part


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The file, unpacked; what goes wrong while the block reads becomes one message."""
    try:
        with (
            unpacking_errors(path, _AGAIN),
            cast("IO[bytes]", gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file,
        ):
            yield cast("IO[bytes]", _BoundedLines(file, path))
    except FileNotFoundError:
        raise InputError(f"{path}: {_MISSING}") from None
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}"
        raise RowError(f"not N-Triples ({error.msg})", where=where, fix=_AGAIN) from None


def open_gzip(file: IO[bytes]) -> IO[bytes]:
    """The content of a gzip file; with ISA-L, as the extra has it, unpacked in half of the time."""
    try:
        from isal import igzip
    except ImportError:  # on a machine that it is not built for
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    return cast("IO[bytes]", igzip.GzipFile(fileobj=file))


def _unpacking_faults() -> tuple[type[Exception], ...]:
    """What is raised over a damaged file, by ISA-L as well."""
    faults = (OSError, EOFError, zlib.error)
    try:
        from isal import isal_zlib
    except ImportError:
        return faults
    return (*faults, cast("type[Exception]", isal_zlib.error))


@contextmanager
def unpacking_errors(path: Path, fix: str) -> Iterator[None]:
    """Turn what goes wrong while a compressed file is read into an `InputError` that says what to do."""
    faults = _unpacking_faults()
    try:
        yield
    except faults as error:
        # The same is said of what stands behind the content.
        if "Not a gzipped file" in str(error) and not _begins_as_gzip(path):
            raise InputError(f"{path}: not a gzip file; name it without .gz or {fix}") from None
        # What the operating system says has a number; what gzip and bz2 find wrong has none.
        if getattr(error, "errno", None) is not None:
            raise
        raise InputError(f"{path}: the compressed file is damaged or cut off; {fix}") from None


def _begins_as_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"
