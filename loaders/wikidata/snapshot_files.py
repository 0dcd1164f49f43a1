"""Files of a snapshot: where answers wait, what stands under its name already, and how it is written."""

import gzip
import hashlib
import io
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from filelock import FileLock, Timeout

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.pins import file_sha256
from blend.loaders.files.storage import is_disk_full, storage_error
from blend.loaders.wikidata import queries
from blend.loaders.wikidata.accounts import read_snapshot_info
from blend.loaders.wikidata.session import Session, note_written, read_written
from blend.loaders.wikidata.sparql import construct_query
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.errors import ConflictError, InputError
from blend.schemas.language.text_comparison import pluralise
from blend.schemas.recipe.domains import Domain
from blend.schemas.release.snapshots import SNAPSHOT_NAME, DumpInfo, SnapshotInfo, StageInfo

if TYPE_CHECKING:
    from blend.loaders.wikidata.dump import DumpAnswers

_CHUNK_LINES = 100_000


@contextmanager
def partial_folder(out: Path) -> Iterator[Path]:
    """Where answers wait until all are there, ``OUT.partial``, for one process at a time.

    Raises:
        ConflictError: If another process is taking the snapshot.
        StorageError: If the disk is full.
    """
    folder = out.with_name(f"{out.name}.partial")
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out.with_name(f".{out.name}.lock"))
    try:
        with _translate_errors(out), lock.acquire(blocking=False), _tidied(folder, Path(lock.lock_file)):
            yield folder
    except Timeout:
        raise ConflictError(f"{out}: another process is taking this snapshot; wait for it") from None


@contextmanager
def _tidied(folder: Path, lock: Path) -> Iterator[None]:
    """Leave no lock behind, and no folder of this run without an answer in it."""
    is_new = not folder.exists()
    try:
        yield
    finally:
        if is_new and folder.is_dir() and not any(folder.glob("*.nt")) and not any(folder.glob("*.parquet")):
            shutil.rmtree(folder)
        lock.unlink(missing_ok=True)


@contextmanager
def _translate_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise storage_error(out, error, kept="what was answered is kept; ") from error


def check_outs(outs: Collection[Path]) -> None:
    """Check that snapshots can have these names.

    Raises:
        InputError: If one does not end in ``.nt.gz``, or another snapshot has its account in this folder.
    """
    for out in outs:
        if not out.name.endswith(".nt.gz"):
            raise InputError(
                f"{out}: a snapshot is gzipped N-Triples; name it {out.name.partition('.')[0]}.nt.gz"
            )
        account = out.with_name(SNAPSHOT_NAME)
        if account.exists() and read_snapshot_info(account).file != out.name:
            raise InputError(
                f"{account}: is the account of another snapshot; choose another folder for {out.name}"
            )
    if len({out.parent for out in outs}) < len(outs):
        raise InputError("each snapshot has its account beside it; give each domain's file a folder of its own")


def check_nothing_is_replaced(outs: Iterable[Path], folders: Iterable[Path]) -> dict[Path, SnapshotInfo]:
    """Check that none of the snapshots is there, other than by an earlier run that was stopped before its end.

    A release names its snapshot by digest, and what a live service said cannot be asked for again.

    Args:
        outs: Files to write.
        folders: Where that earlier run has noted what it wrote.

    Returns:
        The accounts of those that the earlier run finished, by file.

    Raises:
        InputError: If a snapshot or its account would be replaced.
    """
    written = frozenset[str]().union(*map(read_written, folders))
    finished: dict[Path, SnapshotInfo] = {}
    for out in outs:
        account = out.with_name(SNAPSHOT_NAME)
        info = read_snapshot_info(account) if account.exists() else None
        if out.exists():
            digest = file_sha256(out) if written else None
            if digest not in written:
                raise InputError(
                    f"{out}: {'a file' if info is None else _described(info)} is there already and would be "
                    "replaced; choose another `out`, or move it away"
                    f"{'' if info is None else f' together with {SNAPSHOT_NAME}'}"
                )
            if info is not None and info.sha256 == digest:
                finished[out] = info
        elif info is not None:
            raise InputError(
                f"{account}: is the account of {_described(info)}, which is not beside it as {out.name}, and "
                "would be replaced; choose another `out`, or move it to where that snapshot is"
            )
    return finished


def _described(info: SnapshotInfo) -> str:
    about = f"{pluralise(info.triples, 'triple')} about {pluralise(info.items, 'item')}"
    return f"a snapshot of {info.finished[:10]} with {about}"


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
    answers: "Session | DumpAnswers",
    out: Path,
    started: str,
    items: int,
    *,
    folder: Path,
    endpoint: str | None = None,
    dump: tuple[DumpInfo, ...] = (),
) -> SnapshotInfo | None:
    """Write what was answered, every different line once in byte order, and its account; none of no item."""
    if not items:
        return None
    answers.on_progress("write the snapshot", 0, 1)
    lines = pl.concat([pl.Series("line", [], pl.String), *answers.lines()]).unique().sort()
    packed, content = _gzipped(lines)
    info = SnapshotInfo(
        file=out.name,
        endpoint=endpoint,
        dump=dump,
        started=started,
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
    # Noted first: where the snapshot stands, the next run knows it as this one's.
    note_written(folder, info.sha256)
    atomic_write(out, packed)
    # The account last: where it stands, the snapshot that it tells of is there.
    atomic_write(out.with_name(SNAPSHOT_NAME), info.to_json())
    answers.on_progress("write the snapshot", 1, 1)
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


def _stages(answers: "Session | DumpAnswers") -> tuple[StageInfo, ...]:
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
