"""Shards: the answers to a range of a run's items, written by one of many workers, whole and once.

A shard is named for the positions of its items, ``part-items000004000-000005000.parquet`` for the 1,000 behind
the first 4,000, before anybody is asked: a worker that is asked a second time, or one that was thought dead,
writes the same name, and of two only the first is kept. Items that are asked again because their answer was an
error stand in a further round, ``part-items000004000-000005000-again1.parquet``.

Shards lie in the folder of answers, where they are parts like others (`answer_files`), or in an object store,
of which the folder then keeps the address.
"""

import hashlib
import io
import platform
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

import polars as pl

from blend.eval.runs.run_tables import write_new_frame
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import parquet_rows, read_content
from blend.schemas.errors import InputError, RowError, StorageError

ADDRESS_NAME = "shards.url"
"""File in the folder of answers that names the object store in which shards lie."""

_TRIES = 5
"""How often a store is asked to take a shard, with the repeats of its client: answers are paid for."""

_PAUSE_S = 30.0

_LASTING = (PermissionError, FileNotFoundError, ImportError, NotImplementedError, TypeError, ValueError)
"""Errors of a store that no waiting would mend."""

_NAME = re.compile(r"part-items(\d+)-(\d+)(?:-again(\d+))?\.parquet")
_RESTORE = "restore it from a copy, or delete it to have its items asked again"


class ShardName(NamedTuple):
    """Which items a shard holds."""

    start: int
    """Position of the first item in the run, from 0."""
    stop: int
    """Position behind the last one."""
    round: int = 0
    """0, or how often items of the run had been asked again."""

    @classmethod
    def of(cls, file_name: str) -> "ShardName | None":
        """The name in that of a file; null for another file."""
        found = _NAME.fullmatch(file_name)
        return None if found is None else cls(*(int(part or 0) for part in found.groups()))

    @property
    def file(self) -> str:
        """The name of its file."""
        again = f"-again{self.round}" if self.round else ""
        return f"part-items{self.start:09}-{self.stop:09}{again}.parquet"


@dataclass(frozen=True)
class ItemShard:
    """Items that are asked together."""

    name: ShardName
    """What their answers are kept under."""
    items: pl.DataFrame
    """``position``, ``item_id``, ``locale``, ``prompt_id``, ``prompt`` and ``sample``, in order."""
    failed_before: bool = False
    """Whether they were asked before, and their answers were errors."""

    def halves(self) -> "tuple[ItemShard, ItemShard]":
        """Both halves of two items or more, under names of their own."""
        middle = self.items.height // 2
        at = int(self.items["position"][middle])
        first = replace(self, name=self.name._replace(stop=at), items=self.items[:middle])
        return first, replace(self, name=self.name._replace(start=at), items=self.items[middle:])


class ShardStore(Protocol):
    """Where the shards of a run lie; workers get a copy of what `signed` gives."""

    @property
    def address(self) -> str:
        """What names it."""
        ...

    def names(self) -> list[str]:
        """The files of shards, by name."""
        ...

    def commit(self, name: str, rows: pl.DataFrame) -> bool:
        """Keep a shard unless one of its name is kept already; returns whether it was."""
        ...

    def recover(self) -> None:
        """Remove what killed workers have begun."""
        ...

    def signed(self) -> AbstractContextManager["ShardStore"]:
        """The same for workers elsewhere: while the block runs, they can check that they see this very one."""
        ...

    def check_seen(self) -> None:
        """Raise `StorageError` on a machine that sees another place under this address than the driver."""
        ...


@dataclass(frozen=True)
class FolderShards:
    """Shards in a folder that every worker sees under the same path; see `ShardStore`."""

    folder: Path
    """The folder of answers, or another one."""
    sign: str | None = None
    """Name of a file by which a worker knows the driver's folder; none where nobody else writes."""

    @property
    def address(self) -> str:
        """What names it."""
        return str(self.folder)

    def names(self) -> list[str]:
        """See `ShardStore.names`."""
        return sorted(path.name for path in self.folder.glob("part-items*.parquet"))

    def commit(self, name: str, rows: pl.DataFrame) -> bool:
        """See `ShardStore.commit`.

        Raises:
            StorageError: If this is another machine's folder of the same path.
        """
        self.check_seen()
        self.folder.mkdir(parents=True, exist_ok=True)
        return write_new_frame(self.folder / name, rows)

    @contextmanager
    def signed(self) -> Iterator["FolderShards"]:
        """See `ShardStore.signed`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sign = self.folder / f".part-items-{uuid4().hex}.tmp"  # one that `recover` removes after a kill
        sign.touch()
        try:
            yield replace(self, sign=sign.name)
        finally:
            sign.unlink(missing_ok=True)

    def check_seen(self) -> None:
        """See `ShardStore.check_seen`.

        Raises:
            StorageError: If this is another folder than the driver's; names the machine.
        """
        if self.sign is not None and not (self.folder / self.sign).exists():
            raise StorageError(
                f"{self.folder}: {platform.node()} has another folder there than the driver; give one that "
                "every node sees under the same path"
            )

    def recover(self) -> None:
        """See `ShardStore.recover`."""
        for path in self.folder.glob("*part-items*.tmp"):
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class StoredShards:
    """Shards under an address that fsspec knows, such as ``s3://bucket/run``; see `ShardStore`."""

    address: str
    """The address of their folder."""

    def names(self) -> list[str]:
        """See `ShardStore.names`.

        Raises:
            StorageError: If the store cannot be listed.
        """
        files, root = self._opened()
        try:
            files.invalidate_cache()
            found = files.ls(root, detail=False) if files.exists(root) else []
        except Exception as error:  # each store has its own
            raise self._problem(error) from error
        names = (str(path).rpartition("/")[2] for path in found)
        return sorted(name for name in names if ShardName.of(name))

    def read(self, name: str, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of a shard.

        Raises:
            RowError: If the shard is damaged.
            StorageError: If the store does not give it.
        """
        where = f"{self.address}/{name}"
        return parquet_rows(io.BytesIO(self._content(name)), where=where, fix=_RESTORE, columns=columns)

    def sha256(self, name: str) -> str:
        """The digest of a shard.

        Raises:
            StorageError: If the store does not give it.
        """
        return hashlib.sha256(self._content(name)).hexdigest()

    def _content(self, name: str) -> bytes:
        files, root = self._opened()
        try:
            return bytes(files.cat_file(f"{root}/{name}"))
        except Exception as error:
            raise self._problem(error) from error

    def commit(self, name: str, rows: pl.DataFrame) -> bool:
        """See `ShardStore.commit`; the store is told to create the object, and never to replace one.

        One that does not take it is asked again, for some minutes.

        Raises:
            StorageError: If the store does not take it.
        """
        files, root = self._opened()
        content = io.BytesIO()
        rows.write_parquet(content, compression="zstd")
        for left in reversed(range(_TRIES)):
            try:
                files.makedirs(root, exist_ok=True)
                files.pipe_file(f"{root}/{name}", content.getvalue(), mode="create")
            except FileExistsError:
                return False
            except Exception as error:
                if not left or isinstance(error, _LASTING):
                    raise self._problem(error) from error
                sleep(_PAUSE_S)
            else:
                break
        return True

    def recover(self) -> None:
        """See `ShardStore.recover`: an object is there as a whole, or not at all."""

    def signed(self) -> AbstractContextManager["StoredShards"]:
        """See `ShardStore.signed`."""
        return nullcontext(self)

    def check_seen(self) -> None:
        """See `ShardStore.check_seen`: an address of a store is the same on every machine."""

    def _opened(self) -> tuple[Any, str]:
        import fsspec

        try:
            files, root = fsspec.core.url_to_fs(self.address)
        except ImportError as error:
            raise InputError(f"`ray_out={self.address}`: {error}; so do on every node") from error
        except ValueError as error:
            raise InputError(
                f"`ray_out={self.address}`: {error}; give an address such as s3://bucket/run"
            ) from error
        return files, str(root).rstrip("/")

    def _problem(self, error: Exception) -> StorageError:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return StorageError(
            f"{self.address}: the store cannot be used ({reason}); every shard that was kept stays: correct "
            "`ray_out` or its credentials, and run the same again"
        )


def shards_of(answers: Path) -> FolderShards | StoredShards:
    """Where the shards of a run lie.

    Args:
        answers: Its folder of answers.

    Raises:
        RowError: If the file that says so does not.
    """
    path = answers / ADDRESS_NAME
    if not path.exists():
        return FolderShards(answers)
    address = read_content(path).decode("utf-8", "replace").strip()
    if "://" not in address and not Path(address).is_absolute():
        raise RowError(
            f"{address[:60]!r} is no address of a folder or a store",
            where=str(path),
            fix="write there the `ray_out` that the run was given",
        )
    return _store_at(address)


def settle_store(answers: Path, out: str | None) -> FolderShards | StoredShards:
    """Where the shards of a run lie, settled before the first of them is asked for.

    Args:
        answers: Its folder of answers.
        out: The folder or object store that the user names; what was settled before, else the folder of
            answers, when absent.

    Raises:
        InputError: If its shards lie elsewhere, or it is no address of a store.
        StorageError: If the store cannot be used.
    """
    held = shards_of(answers)
    wanted = held if out is None else _store_at(out)
    names = wanted.names()  # whether it can be reached, before anybody is asked
    if wanted == held:
        return held
    if held.address != str(answers) or held.names():
        raise InputError(
            f"`ray_out={out}`: the shards of this run lie in {held.address}; leave `ray_out` out to go on"
        )
    if names:
        raise InputError(f"`ray_out={out}`: holds the shards of another run; name an empty place")
    atomic_write(answers / ADDRESS_NAME, wanted.address + "\n")
    return wanted


def _store_at(address: str) -> FolderShards | StoredShards:
    local = address.removeprefix("file://")
    # fsspec writes local files where they are read, so that a kill would leave half of one.
    return StoredShards(address.rstrip("/")) if "://" in local else FolderShards(Path(local).absolute())


def free_ranges(start: int, stop: int, held: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of a range of positions that no other range holds, in order.

    Args:
        start: Where it begins.
        stop: Where it ends.
        held: Ranges in order, none of which holds a position of another one.
    """
    first = max(0, bisect_right(held, (start, start)) - 1)
    for begins, ends in held[first:]:
        if begins >= stop:
            break
        if begins > start:
            yield start, begins
        start = max(start, ends)
    if start < stop:
        yield start, stop
