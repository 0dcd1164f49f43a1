"""A snapshot of Wikidata in an embedded SPARQL store, and its facts as frames."""

import gzip
import hashlib
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import polars as pl

from blend.schemas.domains import Domain
from blend.schemas.errors import BlendError, MissingExtraError, RowError
from blend.schemas.food import is_language_tag
from blend.schemas.frames import FINDINGS

if TYPE_CHECKING:
    import pyoxigraph

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DESCRIPTION = "http://schema.org/description"

INSTANCE_OF = "P31"

_QID = r"^Q[1-9]\d*$"

_CUT = "take or copy the snapshot again"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a snapshot says about a domain, one frame per kind of statement."""

    claims: pl.DataFrame
    """``item``, ``property``, ``value``: the statements. ``value`` is the identifier of an item or, for image
    properties, an address; null for anything else. Ordered by all columns."""
    labels: pl.DataFrame
    """``item``, ``language``, ``label``: one label per item and language, ordered by both."""
    descriptions: pl.DataFrame
    """``item``, ``language``, ``description``, in the same way."""
    findings: pl.DataFrame
    """`frames.FINDINGS`: values that are no item, labels without or with a wrong language, ..."""


def read_facts(path: Path, domain: Domain, *, sha256: str | None = None) -> Facts:
    """Read a snapshot and take from it what a domain needs.

    The snapshot is loaded into memory once (some 0.5 KB per triple) and given up when this returns.

    Args:
        path: N-Triples, compressed with gzip if the name ends in ``.gz``.
        domain: Names the classes and properties wanted.
        sha256: What the file's digest must be; not checked when absent.

    Raises:
        BlendError: If the file is missing, cut off, not N-Triples, or another than ``sha256`` says.
        MissingExtraError: If pyoxigraph is not installed.
    """
    if sha256 is not None:
        _check_digest(path, sha256)
    return facts_of(load_store(path), domain, source=path.name)


def load_store(path: Path) -> "pyoxigraph.Store":
    """The snapshot in a SPARQL store in memory.

    Raises:
        BlendError: If the file is missing, cut off, or not N-Triples.
        MissingExtraError: If pyoxigraph is not installed.
    """
    try:
        from pyoxigraph import RdfFormat, Store
    except ImportError:
        raise MissingExtraError("reading a Wikidata snapshot", extra="wikidata") from None
    store = Store()
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as triples:
            # Lenient about language tags, which are judged one by one later instead of ending the reading.
            store.bulk_load(cast("IO[bytes]", triples), RdfFormat.N_TRIPLES, lenient=True)
    except FileNotFoundError:
        raise BlendError(f"{path}: there is no such snapshot; `blend wikidata snapshot` takes one") from None
    except gzip.BadGzipFile:
        raise BlendError(f"{path}: not a gzip file; name it without .gz or {_CUT}") from None
    except (EOFError, zlib.error):
        raise BlendError(f"{path}: the compressed file is damaged or cut off; {_CUT}") from None
    except SyntaxError as error:
        raise RowError(
            f"not N-Triples ({error.msg})", where=f"{path.name}, line {error.lineno}", fix=_CUT
        ) from None
    return store


def facts_of(store: "pyoxigraph.Store", domain: Domain, *, source: str) -> Facts:
    """What a store says about a domain; ``source`` names it in findings."""
    claims = _claims(store, domain)
    labels = _texts(store, LABEL, "label")
    descriptions = _texts(store, DESCRIPTION, "description")
    findings = [
        _odd_values(claims, source),
        _odd_languages(labels, "label", source),
        _odd_languages(descriptions, "description", source),
        _blank(labels, "label", source),
        _blank(descriptions, "description", source),
        _repeated(labels, "label", source),
        _repeated(descriptions, "description", source),
    ]
    return Facts(
        claims=claims.select("item", "property", "value").unique().sort("item", "property", "value"),
        labels=_one_each(labels, "label"),
        descriptions=_one_each(descriptions, "description"),
        findings=pl.concat(findings),
    )


def _claims(store: "pyoxigraph.Store", domain: Domain) -> pl.DataFrame:
    """``item``, ``property``, ``value``, ``given``: the value, null if it cannot be used, and as it stands."""
    wanted = {
        *domain.class_properties,
        *domain.claim_properties,
        *domain.route_origin_properties,
        INSTANCE_OF,
        domain.continent_property,
        domain.successor_property,
    }
    properties = " ".join(f"<{DIRECT}{name}>" for name in sorted(wanted))
    rows = _select(
        store,
        "SELECT (STR(?s) AS ?item) (STR(?p) AS ?property) (STR(?o) AS ?given) (isIRI(?o) AS ?iri) "
        f"WHERE {{ VALUES ?p {{ {properties} }} ?s ?p ?o FILTER(isIRI(?s)) }}",
        ("item", "property", "given", "iri"),
    )
    is_image = pl.col("property").is_in(list(domain.image_properties))
    named = rows.with_columns(
        item=pl.col("item").str.strip_prefix(ENTITY),
        property=pl.col("property").str.strip_prefix(DIRECT),
        name=pl.col("given").str.strip_prefix(ENTITY),
        iri=pl.col("iri") == "true",
    ).filter(pl.col("item").str.contains(_QID))
    return named.with_columns(
        value=pl.when(pl.col("iri") & is_image)
        .then("given")
        .when(pl.col("iri") & pl.col("name").str.contains(_QID))
        .then("name")
    )


def _texts(store: "pyoxigraph.Store", predicate: str, column: str) -> pl.DataFrame:
    """``item``, ``language`` (null without one), ``column``."""
    rows = _select(
        store,
        f"SELECT (STR(?s) AS ?item) (LANG(?o) AS ?language) (STR(?o) AS ?{column}) "
        f"WHERE {{ ?s <{predicate}> ?o FILTER(isIRI(?s)) }}",
        ("item", "language", column),
    )
    return rows.with_columns(
        pl.col("item").str.strip_prefix(ENTITY), pl.col("language").replace("", None)
    ).filter(pl.col("item").str.contains(_QID))


def _select(store: "pyoxigraph.Store", query: str, columns: tuple[str, ...]) -> pl.DataFrame:
    """The answer to a query, all text; the store writes and polars reads, without a Python object per cell."""
    from pyoxigraph import QueryResultsFormat, QuerySolutions

    answer = store.query(query)
    assert isinstance(answer, QuerySolutions)
    table = answer.serialize(format=QueryResultsFormat.CSV)
    assert table is not None
    return pl.read_csv(io.BytesIO(table), schema=dict.fromkeys(columns, pl.String))


def _one_each(texts: pl.DataFrame, column: str) -> pl.DataFrame:
    """One usable text per item and language: the first in code-point order, where a snapshot holds several."""
    usable = texts.filter(_is_tag(texts) & _has_text(column))
    return usable.sort("item", "language", column).unique(
        ["item", "language"], keep="first", maintain_order=True
    )


def _has_text(column: str) -> pl.Expr:
    # The store writes an empty text as nothing, which is read as null.
    return pl.col(column).str.contains(r"\S").fill_null(False)


def _is_tag(texts: pl.DataFrame) -> pl.Expr:
    tags = [tag for tag in texts["language"].unique().drop_nulls() if is_language_tag(tag)]
    return pl.col("language").is_in(tags)


def _odd_values(claims: pl.DataFrame, source: str) -> pl.DataFrame:
    unknown = pl.col("given").str.contains("/.well-known/genid/", literal=True) | pl.col("given").is_null()
    odd = claims.filter(pl.col("value").is_null()).select(
        kind=pl.when(unknown).then(pl.lit("unknown-value")).otherwise(pl.lit("no-entity")),
        item="item",
        detail=pl.format(
            "{} has the value '{}', which names no item", "property", pl.col("given").fill_null("")
        ),
    )
    return _findings(odd, source)


def _odd_languages(texts: pl.DataFrame, column: str, source: str) -> pl.DataFrame:
    is_wrong = pl.col("language").is_null() | ~_is_tag(texts)
    odd = texts.filter(is_wrong.fill_null(True)).select(
        kind=pl.when(pl.col("language").is_null())
        .then(pl.lit("no-language"))
        .otherwise(pl.lit("not-a-language-tag")),
        item="item",
        detail=pl.when(pl.col("language").is_null())
        .then(pl.format("{} '{}' has no language; left out", pl.lit(column), column))
        .otherwise(
            pl.format("{} '{}' has the language '{}', not BCP 47; left out", pl.lit(column), column, "language")
        ),
    )
    return _findings(odd, source)


def _blank(texts: pl.DataFrame, column: str, source: str) -> pl.DataFrame:
    odd = texts.filter(_is_tag(texts), ~_has_text(column)).select(
        kind=pl.lit(f"blank-{column}"),
        item="item",
        detail=pl.format("the {} in {} is blank; left out", pl.lit(column), "language"),
    )
    return _findings(odd, source)


def _repeated(texts: pl.DataFrame, column: str, source: str) -> pl.DataFrame:
    here = texts.filter(pl.col("language").is_not_null(), _has_text(column))
    odd = (
        here.filter(pl.struct("item", "language").is_duplicated())
        .group_by("item", "language")
        .agg(pl.col(column).sort())
        .select(
            kind=pl.lit(f"several-{column}s"),
            item="item",
            detail=pl.format(
                "several {}s in {}: {}; the first is used",
                pl.lit(column),
                "language",
                pl.col(column).list.join(" | "),
            ),
        )
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


def _check_digest(path: Path, sha256: str) -> None:
    if not path.is_file():
        raise BlendError(f"{path}: there is no such snapshot; `blend wikidata snapshot` takes one")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise BlendError(
            f"{path}: the snapshot's SHA-256 is {found}, but the recipe names {sha256}; "
            "get the snapshot that the recipe names, or pin the new one by writing its digest into the recipe"
        )
