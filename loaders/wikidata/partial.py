"""Snapshots under way: the folder in which answers wait, and what stands under the final names already.

The folder ``OUT.partial`` of the first file holds ``plan.json`` (what is looked for, where, since when) and
what was found so far. A file appears there under its name only when it is complete and on the disk, so what is
there can be relied on. A plan is made only where no snapshot stands, so one that stands beside it comes from
the same run, which writes it again. What lies in a folder without a plan is for a person to delete.
"""

import gzip
import hashlib
import io
import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import polars as pl
from filelock import FileLock, Timeout
from pydantic import ValidationError

from blend.loaders.files.atomic import atomic_write, is_disk_full, is_left_over, storage_error
from blend.loaders.files.content import read_json
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import DISTRIBUTION, ConflictError, InputError, RowError
from blend.schemas.manifest import SNAPSHOT_NAME, DumpInfo, SnapshotInfo
from blend.schemas.recipe import Domain

_PLAN_NAME = "plan.json"

NOT_ASKED = {"title", "item", "items", "part", "parts", "config", "templates", "groups"}
"""What a domain holds that makes no difference to the questions."""


@dataclass(frozen=True, slots=True)
class _PartialSnapshots:
    """Snapshots under way."""

    folder: Path
    """Where answers wait."""
    started: str
    """When the first run started, ISO 8601 in UTC."""


@contextmanager
def partial_snapshots(outs: Collection[Path], plan: Mapping[str, Any]) -> Iterator[_PartialSnapshots]:
    """Open the folder of snapshots, for one process at a time; it is removed when the block ends well.

    Raises:
        InputError: If a snapshot or its account would be replaced (a release names its snapshot by digest, and
            what a live service said cannot be asked for again), or the folder belongs to another plan.
        ConflictError: If another process is taking the snapshots.
        StorageError: If the disk is full.
    """
    # The first file names folder and lock, so that the same call finds them again.
    out = next(iter(outs))
    folder = out.with_name(f"{out.name}.partial")
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = out.with_name(f".{out.name}.lock")
    try:
        with FileLock(lock).acquire(blocking=False):
            try:
                started = _open_folder(folder, plan, outs)
                try:
                    yield _PartialSnapshots(folder, started)
                    # Before the answers: a run that is killed among them has ended, and is not gone on with.
                    (folder / _PLAN_NAME).unlink()
                finally:
                    # A run that found nothing leaves nothing behind.
                    answers = [*folder.glob("*.nt"), *folder.glob("*.parquet")]
                    if not (answers and (folder / _PLAN_NAME).exists()):
                        shutil.rmtree(folder)
            finally:
                lock.unlink(missing_ok=True)
    except Timeout:
        raise ConflictError(f"{out}: another process is taking this snapshot; wait for it") from None
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise storage_error(out, error, kept="what was answered is kept; ") from error


def check_outs(outs: Collection[Path]) -> None:
    """Check that snapshots can have these names.

    Raises:
        InputError: If one does not end in ``.nt.gz``, or two are in one folder.
    """
    for out in outs:
        if not out.name.endswith(".nt.gz"):
            raise InputError(
                f"{out}: a snapshot is gzipped N-Triples; name it {out.name.partition('.')[0]}.nt.gz"
            )
    if len({out.parent for out in outs}) < len(outs):
        raise InputError("each snapshot has its account beside it; give each domain's file a folder of its own")


def read_snapshot_info(path: Path) -> SnapshotInfo:
    """The account of a snapshot.

    Raises:
        RowError: If the file is not such an account.
    """
    try:
        return SnapshotInfo.model_validate_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        what, fix = "not the account of a snapshot", "delete it or take the snapshot again"
        raise RowError(what, where=str(path), fix=fix) from error


def check_account(snapshot: Path, sha256: str) -> None:
    """Check that a snapshot is the one that its account tells of, where one lies beside it.

    Raises:
        InputError: If it is another; names both digests.
    """
    path = snapshot.with_name(SNAPSHOT_NAME)
    account = read_snapshot_info(path) if path.exists() else None
    if account is not None and account.file == snapshot.name and account.sha256 != sha256:
        raise InputError(
            f"{snapshot}: has the sha256 {sha256}, but {SNAPSHOT_NAME} beside it says {account.sha256}, so it "
            f"was changed or damaged; copy or take the snapshot again, or delete {SNAPSHOT_NAME} to build from "
            "it as it is"
        )


def _open_folder(folder: Path, plan: Mapping[str, Any], outs: Iterable[Path]) -> str:
    """Make the folder, or check that it belongs to the same plan; returns when the first run started."""
    path = folder / _PLAN_NAME
    if path.exists():
        earlier = read_json(path)
        if not isinstance(earlier, dict) or "started" not in earlier:
            raise InputError(f"{path}: is damaged; delete the folder to start anew")
        different = sorted(key for key in plan if earlier.get(key) != plan[key])
        if different:
            raise InputError(
                f"{folder}: holds an unfinished snapshot with another {', '.join(different)}; "
                "finish that one with its own options, or delete the folder to start anew"
            )
        return str(earlier["started"])
    for out in outs:
        for there in (out, out.with_name(SNAPSHOT_NAME)):
            if there.exists():
                raise _there_already(there)
    folder.mkdir(exist_ok=True)
    if not all(is_left_over(found.name) for found in folder.iterdir()):
        fix = "move it away, or delete it to start anew"
        raise InputError(f"{folder}: holds answers, but not {_PLAN_NAME}, which says to what; {fix}")
    started = datetime.now(UTC).isoformat(timespec="seconds")
    atomic_write(path, json.dumps({**plan, "started": started}, indent=2, sort_keys=True) + "\n")
    return started


def _there_already(path: Path) -> InputError:
    return InputError(f"{path}: is there already and would be replaced; choose another folder, or move it away")


_CHUNK_LINES = 100_000


class _Answers(Protocol):
    """What was answered about a domain, by an endpoint or from a dump."""

    domain: Domain
    languages: tuple[str, ...] | None

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
    answers: _Answers,
    out: Path,
    partial: _PartialSnapshots,
    items: int,
    on_progress: ProgressCallback,
    *,
    endpoint: str | None = None,
    dump: DumpInfo | None = None,
) -> SnapshotInfo | None:
    """Write what was answered, every different line once in byte order, and its account; none of no item.

    Raises:
        InputError: If another file, or the account of another snapshot, stands under its name.
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
        items=items,
        triples=len(lines),
        bytes=len(packed),
        sha256=hashlib.sha256(packed).hexdigest(),
        content_sha256=content,
        sdk_version=version(DISTRIBUTION),
    )
    # A run that was killed has left the same bytes; anything else came to lie here since the plan was made.
    account = out.with_name(SNAPSHOT_NAME)
    if out.exists() and out.read_bytes() != packed:
        raise _there_already(out)
    if account.exists():
        earlier = read_snapshot_info(account)
        if (earlier.file, earlier.sha256) != (info.file, info.sha256):
            raise _there_already(account)
    out.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(out, packed)
    # The account last: where it stands, the snapshot that it tells of is there.
    atomic_write(account, info.to_json())
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
