"""A snapshot of Wikidata on the disk: its triples, one after the other."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, cast

from blend.loaders.files.content import file_sha256, open_content
from blend.schemas.errors import InputError, MissingExtraError, RowError

if TYPE_CHECKING:
    import pyoxigraph

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DESCRIPTION = "http://schema.org/description"

INSTANCE_OF = "P31"

_AGAIN = "take or copy the snapshot again"
_GZIP = b"\x1f\x8b"


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
    _check_there(path)
    found = file_sha256(path)
    if found != sha256:
        raise InputError(
            f"{path}: the snapshot's SHA-256 is {found}, but the recipe names {sha256}; "
            "get the snapshot that the recipe names, or pin the new one by writing its digest into the recipe"
        )


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such snapshot; `blend wikidata snapshot` takes one")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The snapshot, unpacked; what goes wrong while the block reads becomes one message."""
    _check_there(path)
    try:
        with opened(path, what="snapshot", fix=_AGAIN) as (file, _):
            yield file
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}"
        raise RowError(f"not N-Triples ({error.msg})", where=where, fix=_AGAIN) from None


@contextmanager
def opened(path: Path, *, what: str, fix: str) -> Iterator[tuple[IO[bytes], BufferedReader]]:
    """The content of a file, unpacked if its name ends in ``.gz``, and the file itself.

    Raises:
        InputError: If it is not there, is not packed as its name says, or turns out to be damaged while the
            block reads; ``fix`` is what else to do about it.
        MissingExtraError: If ISA-L, which unpacks in half of the time of zlib, is not installed.
    """
    try:
        from isal import igzip, isal_zlib
    except ImportError:
        raise MissingExtraError(f"unpacking a {what} of Wikidata", extra="wikidata") from None
    faults = (OSError, EOFError, zlib.error, cast("type[Exception]", isal_zlib.error))
    with open_content(path, what=what) as packed:
        head = packed.peek(len(_GZIP))
        is_gzip, is_named_so = head.startswith(_GZIP), path.suffix == ".gz"
        if is_gzip and not is_named_so:
            raise InputError(f"{path}: is a gzip file; name it {path.name}.gz or {fix}")
        if head and is_named_so and not is_gzip:
            raise InputError(f"{path}: not a gzip file; name it without .gz or {fix}")
        try:
            yield cast("IO[bytes]", igzip.GzipFile(fileobj=packed) if is_gzip else packed), packed
        except faults as error:
            # What the operating system says has a number; what is wrong with the content has none.
            if getattr(error, "errno", None) is not None:
                raise
            raise InputError(f"{path}: the compressed file is damaged or cut off; {fix}") from None
