"""Snapshots from a dump: what an endpoint with the same statements would answer, without asking one.

The dump is read twice, for any number of domains. The first reading keeps the statements of the few properties
that the domains name; the questions of a snapshot are put to these. The second one keeps the labels and
descriptions of the items that the answers name.
"""

import hashlib
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import open_content
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.facts import DESCRIPTION, DIRECT, ENTITY, INSTANCE_OF, LABEL, engine, opened
from blend.loaders.wikidata.partial import (
    NOT_ASKED,
    check_outs,
    found_snapshots,
    partial_snapshots,
    write_snapshot,
)
from blend.loaders.wikidata.snapshot import ask_everything, languages_of, terms
from blend.loaders.wikidata.sparql import triple_line
from blend.schemas.errors import InputError, RowError
from blend.schemas.manifest import DumpInfo, SnapshotInfo
from blend.schemas.recipe import Domain

_TEXTS = {queries.LABELS: LABEL, queries.DESCRIPTIONS: DESCRIPTION}

_CHUNK = 100_000
"""Triples held as Python objects at a time."""


def take_snapshots_from_dump(
    domains: Mapping[Path, Domain],
    dump: Path | str,
    *,
    languages: Sequence[str] | None = None,
    on_progress: ProgressCallback = silent,
) -> list[SnapshotInfo]:
    """Take from a dump exactly the statements that domains need, as `take_snapshots` does from an endpoint.

    The files are the same bytes. Memory grows with the snapshots, not with the dump. May be stopped at any
    moment; the same call goes on where it stopped. What was found waits in ``OUT.partial`` of the first file.

    Args:
        domains: What to look for, by the file to write, ``….nt.gz``; each needs a folder of its own, since
            ``snapshot.json`` is written beside it.
        dump: Wikidata's truthy dump in N-Triples, ``….nt.gz`` or ``….nt``.
        languages: Languages of labels and descriptions, as Wikidata tags them; all when absent.
        on_progress: Told about progress.

    Returns:
        The accounts, in the order of the files.

    Raises:
        InputError: If an option is wrong, one of the files or its account is there already, the dump is of
            another format, is damaged or cut off, or ``OUT.partial`` belongs to another dump or other domains.
        NoItemError: If a domain has no item there; the others are written.
        ConflictError, StorageError, MissingExtraError: As from `take_snapshots`.

    References:
        https://www.wikidata.org/wiki/Wikidata:Database_download#RDF_dumps
    """
    dump = Path(dump)
    wanted = None if languages is None else languages_of(languages)
    check_outs(domains)
    read = _dump_info(dump)
    engine()
    plan = {
        "dump": read.model_dump(),
        "domains": [domain.model_dump(mode="json", exclude=NOT_ASKED) for domain in domains.values()],
        "languages": None if wanted is None else list(wanted),
    }
    with partial_snapshots(domains, plan) as partial:
        found = _answers(domains, dump, partial.folder, wanted, on_progress)
        infos = {
            out: write_snapshot(answers, out, partial, items, on_progress, dump=read)
            for out, (answers, items) in found.items()
        }
    return found_snapshots(infos, domains)


def _answers(
    domains: Mapping[Path, Domain],
    dump: Path,
    folder: Path,
    languages: tuple[str, ...] | None,
    on_progress: ProgressCallback,
) -> "dict[Path, tuple[_DumpAnswers, int]]":
    """The answers and the number of items of each domain, by the file to write; reads the dump twice."""
    properties = frozenset(DIRECT + name for domain in domains.values() for name in _properties(domain))
    parts = _read_dump(dump, folder, _Reading("statements", properties), on_progress)
    answers = {
        out: _DumpAnswers(dump, parts, domain, languages, on_progress) for out, domain in domains.items()
    }
    items = {out: ask_everything(each.ask, each.domain) for out, each in answers.items()}
    named = [ids for each in answers.values() for ids in each.named.values()]
    subjects = frozenset(ENTITY + qid for ids in named for qid in ids)
    texts = _read_dump(dump, folder, _Reading("texts", frozenset(_TEXTS.values()), subjects), on_progress)
    for each in answers.values():
        each.keep_texts(texts)
    return {out: (each, items[out]) for out, each in answers.items()}


def _properties(domain: Domain) -> set[str]:
    """The properties that the questions of a domain are about."""
    countries = {INSTANCE_OF, domain.continent_property, domain.successor_property}
    return {*domain.class_properties, *domain.claim_properties, *domain.route_origin_properties, *countries}


@dataclass(slots=True)
class _DumpAnswers:
    """Answers to the questions of one domain, from the statements that were kept of a dump."""

    dump: Path
    parts: list[Path]
    domain: Domain
    languages: tuple[str, ...] | None
    on_progress: ProgressCallback
    named: dict[str, set[str]] = field(default_factory=dict)
    """Items whose labels or descriptions were asked for, by stage."""
    _found: list[pl.Series] = field(default_factory=list)

    def ask(self, stage: str, ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """The triples about some items; of labels and descriptions none, which `keep_texts` reads later."""
        items = set(ids)
        if stage in _TEXTS:
            self.named[stage] = items
        elif items:
            for lines in self._kept(self._rows(stage, items)):
                yield from map(terms, lines)
            self.on_progress(f"search for {stage}", 1, 1)

    def keep_texts(self, parts: Sequence[Path]) -> None:
        """Read the labels and descriptions that were asked for."""
        for texts in map(pl.read_parquet, parts):
            for stage, ids in self.named.items():
                is_wanted = pl.col("subject").is_in(_iris(ENTITY, ids)) & (
                    pl.col("property") == f"<{_TEXTS[stage]}>"
                )
                for _ in self._kept(texts.filter(is_wanted), self.languages):
                    pass

    def lines(self) -> list[pl.Series]:
        """Everything answered, as N-Triples lines in any order; a line may be there several times."""
        return self._found

    def _rows(self, stage: str, ids: Collection[str]) -> pl.DataFrame:
        """The statements about some items that `queries.pattern` describes."""
        domain, items = self.domain, _iris(ENTITY, ids)
        if stage == queries.MEMBERS:
            return self._matching(domain.class_properties, pl.col("object").is_in(items))
        is_about = pl.col("subject").is_in(items)
        if stage == queries.CLAIMS:
            return self._matching(domain.claim_properties, is_about)
        if stage == queries.ROUTES:
            return self._matching(domain.route_origin_properties, is_about)
        classes = _iris(ENTITY, (*domain.country_classes, *domain.historical_classes))
        countries = self._matching([INSTANCE_OF], is_about & pl.col("object").is_in(classes))
        former = countries.filter(pl.col("object").is_in(_iris(ENTITY, domain.historical_classes)))
        on_continent = pl.col("subject").is_in(countries["subject"].implode())
        replaced = pl.col("subject").is_in(former["subject"].implode())
        continents = self._matching([domain.continent_property], on_continent)
        return pl.concat([countries, continents, self._matching([domain.successor_property], replaced)])

    def _matching(self, properties: Sequence[str], condition: pl.Expr) -> pl.DataFrame:
        is_wanted = pl.col("property").is_in(_iris(DIRECT, properties)) & condition
        return pl.scan_parquet(self.parts).filter(is_wanted).collect(engine="streaming")

    def _kept(self, rows: pl.DataFrame, languages: Collection[str] | None = None) -> Iterator[list[str]]:
        """Rows as the lines that an endpoint's answer would hold, chunk by chunk; they are kept as well."""
        sparql = engine()
        for chunk in rows.iter_slices(_CHUNK):
            text = "".join(f"{subject} {name} {value} .\n" for subject, name, value in chunk.iter_rows())
            try:
                lines = [
                    triple_line(triple)
                    for triple in sparql.parse(text.encode(), format=sparql.RdfFormat.N_TRIPLES, lenient=True)
                    if languages is None or getattr(triple.object, "language", None) in languages
                ]
            except SyntaxError as error:
                # The engine counts lines of the chunk; the statement can be looked for in the dump.
                line = text.split("\n")[(error.lineno or 1) - 1]
                what = f"a statement is not N-Triples: {line[:_SHOWN_BYTES]!r}"
                raise RowError(what, where=str(self.dump), fix="download the dump again") from None
            self._found.append(pl.Series("line", lines, pl.String))
            yield lines


def _iris(start: str, names: Iterable[str]) -> pl.Series:
    """Terms for `is_in`, which takes a list of one row."""
    return pl.Series([f"<{start}{name}>" for name in names], dtype=pl.String).implode()


BLOCK_BYTES = 1 << 22
"""Unpacked bytes that are searched at a time: few enough to stay in the processor's cache."""

LINE_BYTES = 1 << 25
"""Longest line that is read."""

PART_BYTES = 1 << 28
"""Unpacked bytes of the dump behind one part, read again at most after a kill."""

_SHOWN_BYTES = 200
"""Bytes of a wrong line that messages show."""

_HEAD_BYTES = 1 << 20
_AGAIN = "download the dump again"
_NAMES = "name the dump ….nt, or ….nt.gz where it is compressed by gzip"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one reading of a dump keeps."""

    name: str
    """For the names of parts and for progress."""
    properties: frozenset[str]
    """Addresses of the properties; of labels and descriptions where there are subjects."""
    subjects: frozenset[str] | None = None
    """Addresses of the subjects; all when absent."""


def _dump_info(dump: Path) -> DumpInfo:
    """Name, length and beginning of a dump.

    Raises:
        InputError: If the name does not tell its format, or the file cannot be read.
    """
    if not dump.name.endswith((".nt", ".nt.gz")):
        raise InputError(f"{dump}: not named as a dump in N-Triples; {_NAMES}, or get latest-truthy.nt.gz")
    with open_content(dump, what="dump") as file:
        head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    return DumpInfo(file=dump.name, bytes=dump.stat().st_size, head_sha256=head)


def _read_dump(dump: Path, folder: Path, reading: _Reading, on_progress: ProgressCallback) -> list[Path]:
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


def _parts(folder: Path, reading: _Reading) -> list[Path]:
    return sorted(folder.glob(f"{reading.name}-*.parquet"))


def _mib(n_bytes: int) -> int:
    """MiB, begun ones as whole ones, so that a small file has one."""
    return -(-n_bytes >> 20)


def _read_parts(dump: Path, folder: Path, reading: _Reading) -> Iterator[int]:
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


def _search(dump: Path, reading: _Reading) -> Callable[[int, bytes], pl.DataFrame]:
    """A function that finds the wanted statements of a block, given with the position of its beginning."""
    wanted = _matcher(reading.properties, reading.subjects)

    def found(start: int, block: bytes) -> pl.DataFrame:
        where = f"{dump}, unpacked bytes {start:,} to {start + len(block):,}"
        if b"\0" in block:  # what a broken download leaves; a line without its name would be passed over
            raise RowError("holds zero bytes, which no dump has", where=where, fix=_AGAIN)
        try:
            # The first reading has seen every line.
            wrong = _misfit(block) if reading.subjects is None else None
            if wrong is not None:
                raise _WrongLine(wrong)
            return wanted(block)
        except _WrongLine as error:
            line = re.search(rb"^%s\r?$" % re.escape(error.line), block, re.MULTILINE)
            where = f"{dump}, line at unpacked byte {start + (line.start() if line else 0):,}"
            shown = error.line[:_SHOWN_BYTES].decode(errors="replace")
            problem = f"not a triple as Wikidata's dumps write them: {shown!r}"
            raise RowError(problem, where=where, fix=f"{_NAMES}, or {_AGAIN}") from None
        except pl.exceptions.ComputeError as error:
            raise RowError(f"cannot be read ({error})", where=where, fix=_AGAIN) from None

    return found


def _write_part(folder: Path, reading: _Reading, position: int, found: list[pl.DataFrame]) -> None:
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


_TRIPLE = re.compile(rb"(?:<[^<>\s]+>|_:\S+) <[^<>\s]+> \S.* \.\r?$|#|\r?$", re.MULTILINE)
"""A line as Wikidata writes it: one blank between the terms, as the search for properties expects."""

_LITERAL = r'"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>]+>)?'
_EXACT = rf"^(?:<[^<>]+>|_:[^<> ]+) <[^<>]+> (?:<[^<>]+>|_:[^<> ]+|{_LITERAL}) \.$|^#"
"""The same to the end of the object. It takes too long for every line that may be wanted."""

_SUBJECT_BYTES = 2 * len(f"<{ENTITY}") - 1
"""Longest subject of a plain line: one that begins as an item does cannot hold another beginning in so few."""

_SHORT_BYTES = 80
"""Few lines are shorter, so their ends are looked at; to look at those of all takes a tenth of the search."""

_ID_CHARACTERS = 12
"""The longest identifier with the ``>`` behind it; so short a text is held in the column, not beside it."""


class _WrongLine(ValueError):
    """A line is not as Wikidata's dumps write them."""

    def __init__(self, line: bytes) -> None:
        super().__init__(line)
        self.line = line


def _misfit(block: bytes) -> bytes | None:
    """The first or last line of a block of whole lines, if it is not a triple; `_matcher` sees to others."""
    for start in (0, block.rfind(b"\n", 0, -1) + 1):
        # Found in place: to cut a line out of a block must not copy the block.
        if not _TRIPLE.match(block, start):
            end = block.find(b"\n", start)
            return block[start : None if end < 0 else end].rstrip(b"\r")
    return None


def _matcher(properties: Collection[str], subjects: Collection[str] | None) -> Callable[[bytes], pl.DataFrame]:
    """A function that finds the wanted lines of a block: ``subject``, ``property``, ``object``.

    Where there are no subjects it raises `_WrongLine` over a short line that does not end as a triple does, and
    over one that holds the ending of a wanted property and is not a triple, such as two lines in one.
    """
    iris = [f"<{name}>" for name in properties]
    terms = pl.col("line").str.splitn(" ", 3).struct.rename_fields(["subject", "property", "object"])
    is_wanted = pl.col("property").is_in(iris)
    if subjects is None:
        is_wanted &= pl.col("subject").str.starts_with("<")
        # Most lines hold no such ending. It is looked for without what all addresses begin with, since the
        # engine looks for the first characters, and these should be rare.
        endings = "|".join(re.escape(re.split("[/#]", name)[-1]) for name in properties)
        may_be_wanted = pl.col("line").str.contains(f"[/#](?:{endings})> ")
    else:
        # Categories are hashed once; `is_in` would hash all subjects again for every block.
        ids = pl.Enum([name.removeprefix(ENTITY) for name in subjects])
        addresses = pl.Enum([f"<{name}>" for name in subjects])
        start = pl.col("line").str.slice(len(f"<{ENTITY}"), _ID_CHARACTERS)
        id_of = start.str.splitn(">", 2).struct.field("field_0")
        may_be_wanted = id_of.cast(ids, strict=False).is_not_null()
        is_wanted &= pl.col("subject").cast(addresses, strict=False).is_not_null()
    is_short = pl.col("subject").str.len_bytes() <= _SUBJECT_BYTES
    is_item = pl.col("subject").str.starts_with(f"<{ENTITY}") & is_short
    is_plain = is_wanted & is_item & ~pl.col("object").str.contains(" <", literal=True)

    def found(block: bytes) -> pl.DataFrame:
        lines = pl.read_lines(block)
        may = lines.lazy().filter(may_be_wanted).select(terms).unnest("line")
        strip = pl.col("object").str.strip_suffix(" .")
        if subjects is not None:  # the first reading has seen every line
            return may.filter(is_wanted).with_columns(strip).collect()
        short = lines.filter(pl.col("line").str.len_bytes() < _SHORT_BYTES)
        _check_none(short.filter(~pl.col("line").str.contains(r" \.$|^#|^$")))
        kept = may.with_columns(is_plain=is_plain).collect()
        if not kept["is_plain"].all(ignore_nulls=False):
            _check_none(lines.filter(may_be_wanted).filter(~pl.col("line").str.contains(_EXACT)))
            kept = kept.filter(is_wanted)
        return kept.select("subject", "property", strip)

    return found


def _check_none(wrong: pl.DataFrame) -> None:
    if wrong.height:
        raise _WrongLine(wrong["line"][0].encode())
