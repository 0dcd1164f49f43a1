"""Files of a snapshot: how what was answered is written, with its account beside it."""

import gzip
import hashlib
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import polars as pl

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.progress import ProgressCallback
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.partial import PartialSnapshots, replaced
from blend.loaders.wikidata.session import Tally
from blend.loaders.wikidata.sparql import construct_query
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.manifest import SNAPSHOT_NAME, DumpInfo, SnapshotInfo, StageInfo
from blend.schemas.recipe import Domain

_CHUNK_LINES = 100_000


class Answers(Protocol):
    """What was answered about a domain, by an endpoint or from a dump."""

    domain: Domain
    languages: tuple[str, ...] | None
    tallies: dict[str, Tally]

    def lines(self) -> Iterable[pl.Series]:
        """N-Triples lines in any order; a line may be there several times."""


class NoItemError(InputError):
    """No item of a domain was found, so there is no snapshot of it."""

    def __init__(self, domains: Iterable[Domain], taken: Mapping[Path, SnapshotInfo]) -> None:
        names = ", ".join(repr(domain.name) for domain in domains)
        super().__init__(
            f"no item of the domain {names} was found, so nothing was written for it; "
            "check the classes of the domain, and whether all of Wikidata was searched"
        )
        self.taken = dict(taken)
        """The accounts of the other domains' snapshots, which were written."""


def found_snapshots(
    infos: Mapping[Path, SnapshotInfo | None], domains: Mapping[Path, Domain]
) -> list[SnapshotInfo]:
    """The accounts in the order of the files, if all domains have items.

    Raises:
        NoItemError: If one has none.
    """
    taken = {out: info for out in domains if (info := infos[out]) is not None}
    if len(taken) < len(domains):
        raise NoItemError([domain for out, domain in domains.items() if out not in taken], taken)
    return list(taken.values())


def write_snapshot(
    answers: Answers,
    out: Path,
    partial: PartialSnapshots,
    items: int,
    on_progress: ProgressCallback,
    *,
    endpoint: str | None = None,
    dump: DumpInfo | None = None,
) -> SnapshotInfo | None:
    """Write what was answered, every different line once in byte order, and its account; none of no item.

    Raises:
        InputError: If another file stands under the name.
    """
    if not items:
        return None
    on_progress("write the snapshot", 0, 1)
    lines = pl.concat([pl.Series("line", [], pl.String), *answers.lines()]).unique().sort()
    packed, content = _gzipped(lines)
    info = SnapshotInfo(
        file=out.name,
        endpoint=endpoint,
        dump=dump,
        started=partial.started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        domain=answers.domain,
        languages=answers.languages,
        stages=_stages(answers),
        items=items,
        triples=len(lines),
        bytes=len(packed),
        sha256=hashlib.sha256(packed).hexdigest(),
        content_sha256=content,
        sdk_version=version(DISTRIBUTION),
    )
    if out.exists() and out.read_bytes() != packed:
        raise replaced(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(out, packed)
    # The account last: where it stands, the snapshot that it tells of is there.
    atomic_write(out.with_name(SNAPSHOT_NAME), info.to_json())
    on_progress("write the snapshot", 1, 1)
    return info


def _gzipped(lines: pl.Series) -> tuple[bytes, str]:
    """The lines compressed, without name or time in the header, and the digest of the text."""
    digest = hashlib.sha256()
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
        for start in range(0, len(lines), _CHUNK_LINES):
            text = "".join(f"{line}\n" for line in lines[start : start + _CHUNK_LINES]).encode()
            digest.update(text)
            file.write(text)
    return packed.getvalue(), digest.hexdigest()


def _stages(answers: Answers) -> tuple[StageInfo, ...]:
    return tuple(
        StageInfo(
            stage=stage,
            requests=answers.tallies[stage].requests,
            triples=answers.tallies[stage].triples,
            query=construct_query(
                queries.pattern(queries.Batch(stage, ("…",)), answers.domain, answers.languages)
            ),
        )
        for stage in queries.STAGES
        if stage in answers.tallies
    )
