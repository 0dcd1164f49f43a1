"""Snapshots from a dump: what an endpoint with the same statements would answer, without asking one.

The dump is read twice, for any number of domains. The first reading keeps the statements of the few properties
that the domains name; the questions of a snapshot are put to these. The second one keeps the labels and
descriptions of the items that the answers name.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.dump_parts import SHOWN_BYTES, Reading, dump_info, read_dump
from blend.loaders.wikidata.partial import NOT_ASKED, check_outs, partial_snapshots
from blend.loaders.wikidata.session import Tally, terms
from blend.loaders.wikidata.snapshot import ask_everything, languages_of
from blend.loaders.wikidata.snapshot_files import found_snapshots, write_snapshot
from blend.loaders.wikidata.sparql import triple_line
from blend.loaders.wikidata.store import DESCRIPTION, DIRECT, ENTITY, INSTANCE_OF, LABEL, engine
from blend.schemas.errors import RowError
from blend.schemas.manifest import SnapshotInfo
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
    """Take from a dump exactly the statements that domains need, as `take_snapshot` does from an endpoint.

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
        ConflictError, StorageError, MissingExtraError: As from `take_snapshot`.

    References:
        https://www.wikidata.org/wiki/Wikidata:Database_download#RDF_dumps
    """
    dump = Path(dump)
    wanted = None if languages is None else languages_of(languages)
    check_outs(domains)
    read = dump_info(dump)
    engine()
    plan = {
        "dump": read.model_dump(),
        "domains": [domain.model_dump(mode="json", exclude=NOT_ASKED) for domain in domains.values()],
        "languages": None if wanted is None else list(wanted),
    }
    with partial_snapshots(domains, plan) as partial:
        infos: dict[Path, SnapshotInfo | None] = {**partial.finished}
        if infos.keys() < domains.keys():
            for out, (answers, items) in _answers(domains, dump, partial.folder, wanted, on_progress).items():
                if out not in infos:
                    infos[out] = write_snapshot(answers, out, partial, items, on_progress, dump=read)
    return found_snapshots(infos, domains)


def _answers(
    domains: Mapping[Path, Domain],
    dump: Path,
    folder: Path,
    languages: tuple[str, ...] | None,
    on_progress: ProgressCallback,
) -> "dict[Path, tuple[DumpAnswers, int]]":
    """The answers and the number of items of each domain, by the file to write; reads the dump twice."""
    properties = frozenset(DIRECT + name for domain in domains.values() for name in _properties(domain))
    parts = read_dump(dump, folder, Reading("statements", properties), on_progress)
    answers = {out: DumpAnswers(dump, parts, domain, languages, on_progress) for out, domain in domains.items()}
    items = {out: ask_everything(each.ask, each.domain) for out, each in answers.items()}
    named = [ids for each in answers.values() for ids in each.named.values()]
    subjects = frozenset(ENTITY + qid for ids in named for qid in ids)
    texts = read_dump(dump, folder, Reading("texts", frozenset(_TEXTS.values()), subjects), on_progress)
    for each in answers.values():
        each.keep_texts(texts)
    return {out: (each, items[out]) for out, each in answers.items()}


def _properties(domain: Domain) -> set[str]:
    """The properties that the questions of a domain are about."""
    countries = {INSTANCE_OF, domain.continent_property, domain.successor_property}
    return {*domain.class_properties, *domain.claim_properties, *domain.route_origin_properties, *countries}


@dataclass(slots=True)
class DumpAnswers:
    """Answers to the questions of one domain, from the statements that were kept of a dump."""

    dump: Path
    parts: list[Path]
    domain: Domain
    languages: tuple[str, ...] | None
    on_progress: ProgressCallback
    tallies: dict[str, Tally] = field(default_factory=dict)
    named: dict[str, set[str]] = field(default_factory=dict)
    """Items whose labels or descriptions were asked for, by stage."""
    _found: list[pl.Series] = field(default_factory=list)

    def ask(self, stage: str, ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """The triples about some items; of labels and descriptions none, which `keep_texts` reads later."""
        items = set(ids)
        if stage in _TEXTS:
            self.named[stage] = items
        elif items:
            for lines in self._kept(stage, self._rows(stage, items)):
                yield from map(terms, lines)
            self.on_progress(f"search for {stage}", 1, 1)

    def keep_texts(self, parts: Sequence[Path]) -> None:
        """Read the labels and descriptions that were asked for."""
        for texts in map(pl.read_parquet, parts):
            for stage, ids in self.named.items():
                is_wanted = pl.col("subject").is_in(_iris(ENTITY, ids)) & (
                    pl.col("property") == f"<{_TEXTS[stage]}>"
                )
                for _ in self._kept(stage, texts.filter(is_wanted), self.languages):
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

    def _kept(
        self, stage: str, rows: pl.DataFrame, languages: Collection[str] | None = None
    ) -> Iterator[list[str]]:
        """Rows as the lines that an endpoint's answer would hold, chunk by chunk; they are kept as well."""
        sparql, tally = engine(), self.tallies.setdefault(stage, Tally())
        tally.requests += 1
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
                what = f"a statement is not N-Triples: {line[:SHOWN_BYTES]!r}"
                raise RowError(what, where=str(self.dump), fix="download the dump again") from None
            tally.triples += len(lines)
            self._found.append(pl.Series("line", lines, pl.String))
            yield lines


def _iris(start: str, names: Iterable[str]) -> pl.Series:
    """Terms for `is_in`, which takes a list of one row."""
    return pl.Series([f"<{start}{name}>" for name in names], dtype=pl.String).implode()
