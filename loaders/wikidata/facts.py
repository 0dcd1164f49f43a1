"""Facts: a snapshot of Wikidata on the disk, its triples one after the other, and what it says as frames."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, cast

import polars as pl

from blend.loaders.files.content import open_content
from blend.schemas.errors import InputError, MissingExtraError, RowError
from blend.schemas.frames import FINDINGS
from blend.schemas.languages import is_language
from blend.schemas.recipe import Domain

if TYPE_CHECKING:
    import pyoxigraph


ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DESCRIPTION = "http://schema.org/description"

INSTANCE_OF = "P31"

_AGAIN = "take or copy the snapshot again"
_GZIP = b"\x1f\x8b"


def _triples(path: Path) -> "Iterator[pyoxigraph.Quad]":
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


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The snapshot, unpacked; what goes wrong while the block reads becomes one message."""
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


_QID = r"^Q[1-9]\d*$"


@dataclass(frozen=True, slots=True)
class Facts:
    """Statements of a snapshot about a domain, one frame per kind."""

    claims: pl.DataFrame
    """``item``, ``property``, ``value``: the statements. ``value`` is the identifier of an item or, for image
    properties, an address; null for anything else. Ordered by all columns."""
    labels: pl.DataFrame
    """``item``, ``language``, ``label``: one label per item and language, ordered by both."""
    descriptions: pl.DataFrame
    """``item``, ``language``, ``description``, in the same way."""
    findings: pl.DataFrame
    """`frames.FINDINGS`: values that are no item, and labels and descriptions that are left out."""


def read_facts(path: Path | str, domain: Domain) -> Facts:
    """Read a snapshot and keep what a domain needs.

    The triples are read once and put into columns as they come. Loading them into a SPARQL store and asking it
    for the same columns takes longer and more memory.

    Args:
        path: N-Triples, compressed with gzip if the name ends in ``.gz``.
        domain: Names the classes and properties wanted.

    Raises:
        BlendError: If the file is missing, cut off, or not N-Triples.
        MissingExtraError: If pyoxigraph is not installed.
    """
    path = Path(path)
    rows = _read(path, _wanted(domain))
    is_text = pl.col("property").is_in(["label", "description"])
    claims = _with_values(rows.filter(~is_text), domain)
    labels, odd_labels = _usable(rows.filter(property="label"), "label", path.name)
    descriptions, odd_descriptions = _usable(rows.filter(property="description"), "description", path.name)
    return Facts(
        claims=claims.select("item", "property", "value").unique().sort("item", "property", "value"),
        labels=labels,
        descriptions=descriptions,
        findings=pl.concat([_odd_values(claims, path.name), odd_labels, odd_descriptions]),
    )


def _wanted(domain: Domain) -> dict[str, str]:
    """Predicate to the name of its property, ``label`` and ``description`` among them."""
    properties = {
        *domain.class_properties,
        *domain.claim_properties,
        *domain.route_origin_properties,
        INSTANCE_OF,
        domain.continent_property,
        domain.successor_property,
    }
    return {**{DIRECT + name: name for name in properties}, LABEL: "label", DESCRIPTION: "description"}


_COLUMNS = pl.Schema(
    {
        "item": pl.String(),
        "property": pl.String(),
        "given": pl.String(),
        "language": pl.String(),
        "iri": pl.Boolean(),
    }
)


def _read(path: Path, wanted: Mapping[str, str]) -> pl.DataFrame:
    """``item``, ``property``, ``given`` (the object's text), ``language``, ``iri``, of items alone."""
    # Given a generator, polars makes columns of some rows at a time.
    rows = pl.DataFrame(_rows(path, wanted), schema=_COLUMNS, orient="row")
    of_entities = rows.filter(pl.col("item").str.starts_with(ENTITY))
    # Properties and lexemes are entities as well; an item is Q and a number.
    named = of_entities.with_columns(pl.col("item").str.strip_prefix(ENTITY))
    return named.filter(pl.col("item").str.contains(_QID))


def _rows(path: Path, wanted: Mapping[str, str]) -> Iterator[tuple[str, str, str | None, str | None, bool]]:
    pyoxigraph = engine()
    node, literal = pyoxigraph.NamedNode, pyoxigraph.Literal
    for triple in _triples(path):
        name = wanted.get(triple.predicate.value)
        subject, thing = triple.subject, triple.object
        if name is not None and isinstance(subject, node):
            language = thing.language if isinstance(thing, literal) else None
            given = thing.value if isinstance(thing, node | literal) else None
            yield subject.value, name, given, language, isinstance(thing, node)


def _with_values(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The rows with ``value``: what can be used of ``given``, or null."""
    is_image = pl.col("property").is_in(list(domain.image_properties))
    is_item = pl.col("given").str.starts_with(ENTITY) & pl.col("name").str.contains(_QID)
    return claims.with_columns(name=pl.col("given").str.strip_prefix(ENTITY)).with_columns(
        value=pl.when(pl.col("iri") & is_image).then("given").when(pl.col("iri") & is_item).then("name")
    )


def _usable(texts: pl.DataFrame, column: str, source: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One text per item and language, the first in code-point order, and findings about those left out."""
    tags = [tag for tag in texts["language"].unique().drop_nulls() if is_language(tag)]
    # A node that is not text is null here, and so is the language of what has none.
    is_text = pl.col("language").is_in(tags) & pl.col(column).str.contains(r"\S")
    judged = (
        texts.select("item", "language", pl.col("given").alias(column))
        .sort("item", "language", column)
        .with_columns(is_text=is_text.fill_null(False))
        .with_columns(is_used=pl.col("is_text") & pl.struct("item", "language", "is_text").is_first_distinct())
    )
    odd = judged.filter(~pl.col("is_used")).select(
        kind=pl.lit("unusable-text"),
        item="item",
        detail=pl.format(
            "the {} '{}' in '{}' is blank, in no language, or one of several; left out",
            pl.lit(column),
            pl.col(column).fill_null(""),
            pl.col("language").fill_null(""),
        ),
    )
    return judged.filter("is_used").select("item", "language", column), _findings(odd, source)


def _odd_values(claims: pl.DataFrame, source: str) -> pl.DataFrame:
    # Wikidata writes "unknown value" as a blank node, which its service shows under this address.
    unknown = pl.col("given").str.contains("/.well-known/genid/", literal=True) | pl.col("given").is_null()
    odd = claims.filter(pl.col("value").is_null()).select(
        kind=pl.when(unknown).then(pl.lit("unknown-value")).otherwise(pl.lit("no-entity")),
        item="item",
        detail=pl.format(
            "{} has the value '{}', which names no item", "property", pl.col("given").fill_null("")
        ),
    )
    return _findings(odd, source)


def _findings(odd: pl.DataFrame, source: str) -> pl.DataFrame:
    """`FINDINGS` from ``kind``, ``item``, ``detail``."""
    return (
        odd.select(
            kind="kind",
            source=pl.format("{}:{}", pl.lit(source), "item"),
            locale=pl.lit(None, pl.String),
            template_id=pl.lit(None, pl.String),
            detail="detail",
        )
        .cast(FINDINGS)
        .sort("kind", "source", "detail")
    )
