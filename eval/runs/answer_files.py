"""Answers on disk: a journal that only grows while a run goes on, and Parquet once all were asked.

A journal is JSON Lines, one answer per line. A process that is killed can leave half of a line at its end; the
next one that opens the journal cuts it off, and that item is asked again. The last row of an item counts: an
item is asked a second time only where its answer was an error.

A journal that has grown large becomes a part, ``part-00001.parquet``, and starts anew, so that millions of
answers never have to be in memory at once. Several machines that share a run each have a journal and parts of
their own, ``journal-2of4.jsonl`` and ``part-2of4-00001.parquet``.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.eval.runs.run_tables import read_frame, table_sha256, write_frame
from blend.loaders.files.atomic import sync_directory
from blend.loaders.files.content import read_content
from blend.loaders.files.pins import file_sha256
from blend.schemas.errors import RowError

ANSWERS = pl.Schema(
    {
        "item_id": pl.String(),
        "locale": pl.String(),
        "prompt_id": pl.String(),
        "text": pl.String(),
        "thought": pl.String(),
        "logprobs": pl.List(pl.Float64()),
        "option_tokens": pl.List(pl.Int64()),
        "option_bytes": pl.List(pl.Int64()),
        "tokens_in": pl.Int64(),
        "tokens_out": pl.Int64(),
        "tokens_thought": pl.Int64(),
        "finish_reason": pl.String(),
        "error": pl.String(),
        "asked": pl.String(),
    }
)
"""One row per item that was asked.

``text`` is what the model said, null where options were scored, and ``thought`` what it thought before, null
where it did not or nobody tells (answers of another tool have both in ``text``: `written_answers` tells them
apart); ``logprobs`` are the sums of the log-probabilities (natural logarithm) of each option's tokens, over
``option_tokens`` tokens and ``option_bytes`` bytes; ``tokens_out`` counts ``tokens_thought`` as well;
``finish_reason`` is ``stop``, ``length``, ``content_filter``, ``error`` or a server's word that nobody knows;
``error`` says why there is no answer; ``asked`` is the exact prompt where another tool asked it and said so.
What is unknown is null.
"""

PARQUET = "answers.parquet"
JOURNAL = "journal.jsonl"

PART_BYTES = 64 * 2**20
"""Size of a journal from which on it becomes a part."""

_SYNC_EVERY_S = 1.0
_ASK_AGAIN = "restore the file, or delete it to have all items asked again"


class Journal:
    """Answers as they come in; what `append` has returned from survives a kill of the process."""

    def __init__(self, path: Path, *, part_bytes: int | None = None) -> None:
        cut_half_line(path)
        self._path = path
        self._part_bytes = PART_BYTES if part_bytes is None else part_bytes
        self._file = path.open("ab")
        self._synced = time.monotonic()

    def append(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Add answers, rows of `ANSWERS`; what is null may be left out."""
        lines = [json.dumps(dict(answer), ensure_ascii=True) + "\n" for answer in answers]
        self._file.write("".join(lines).encode())
        self._file.flush()
        # A process that dies loses nothing that was flushed; a machine that does, a second of answers at most.
        if time.monotonic() - self._synced > _SYNC_EVERY_S:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()
        if self._file.tell() >= self._part_bytes:
            self._start_anew()

    def _start_anew(self) -> None:
        """Make a part of what the journal holds; a kill before it is empty leaves the same twice."""
        os.fsync(self._file.fileno())
        make_part(self._path)
        self._file.seek(0)
        self._file.truncate()

    def close(self) -> None:
        """Make everything durable and let go of the file."""
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


@contextmanager
def journal(folder: Path, shard: str = "") -> Iterator[Journal]:
    """The journal in a folder of answers, open for appending while the block runs.

    Args:
        folder: Folder of answers.
        shard: Which of several machines writes, ``2of4``; empty for one alone.
    """
    opened = Journal(folder / journal_name(shard))
    try:
        yield opened
    finally:
        opened.close()


def journal_name(shard: str = "") -> str:
    """File name of the journal of one of several machines, or of one alone."""
    return f"journal-{shard}.jsonl" if shard else JOURNAL


def make_part(path: Path) -> None:
    """Write what a journal holds as the next part beside it; an empty one makes none."""
    rows = _journal(path)
    if rows.is_empty():
        return
    stem = path.stem.replace("journal", "part", 1)
    number = sum(1 for _ in path.parent.glob(f"{stem}-?????.parquet")) + 1
    write_frame(path.parent / f"{stem}-{number:05}.parquet", rows)


def close_journal(folder: Path, shard: str = "") -> None:
    """Make a part of what a journal still holds, and remove it; a kill in between leaves the same twice."""
    path = folder / journal_name(shard)
    if path.exists():
        make_part(path)
        path.unlink()
        sync_directory(folder)


def has_parts(folder: Path) -> bool:
    """Whether answers lie in parts: those of a run too large, or of too many machines, for one file."""
    return bool(parts_of(folder)) or any(path.name != JOURNAL for path in journals_of(folder))


def parts_of(folder: Path) -> list[Path]:
    """The parts in a folder of answers, by name."""
    return sorted(folder.glob("part-*.parquet"))


def journals_of(folder: Path) -> list[Path]:
    """The journals in a folder of answers, by name."""
    return sorted(folder.glob("journal*.jsonl"))


def cut_half_line(path: Path) -> int:
    """Cut what follows the last line feed of a file, if there is one; returns how many bytes that were."""
    if not path.exists():
        return 0
    content = read_content(path)
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        with path.open("r+b") as file:
            file.truncate(complete)
            os.fsync(file.fileno())
    return len(content) - complete


def read_answers(folder: Path, *columns: str, thoughts: bool = True) -> pl.DataFrame:
    """Read what was answered so far: `ANSWERS` or some of its columns, one row per item asked, in any order.

    Args:
        folder: Folder of answers, of a run that is complete, under way or killed; nothing in it is changed.
        columns: Columns to read, ``item_id`` and ``error`` among them; all when absent.
        thoughts: Whether thoughts are read, which can be a hundred times as long as answers; else an empty text
            stands for each.

    Raises:
        RowError: If a line of the journal, other than half of one at the end, is not an answer; names it.
    """
    names = list(columns) or list(ANSWERS)
    found = [_read(table, names, thoughts=thoughts) for table in answer_tables(folder)]
    return last_ones(pl.concat([pl.DataFrame(schema={name: ANSWERS[name] for name in names}), *found]))


def _read(table: "AnswerTable", names: Sequence[str], *, thoughts: bool) -> pl.DataFrame:
    rows = table.read(names)
    if thoughts or "thought" not in names:
        return rows
    return rows.with_columns(thought=pl.when(pl.col("thought").is_not_null()).then(pl.lit("")))


class AnswerTable(NamedTuple):
    """Some of the answers of a run, which are read when they are wanted."""

    name: str
    """Name of the file."""
    read: Callable[[Sequence[str]], pl.DataFrame]
    """Reads some columns of `ANSWERS`."""
    sha256: Callable[[], str]
    """Digest of its bytes."""


def answer_tables(folder: Path) -> list[AnswerTable]:
    """List all that holds answers of a run, journals last; together they are what `read_answers` reads."""
    complete = folder / PARQUET
    # Anything of that name, so that what is no table is told.
    paths = [*([complete] if os.path.lexists(complete) else []), *parts_of(folder)]
    tables = [AnswerTable(path.name, partial(_parquet, path), partial(table_sha256, path)) for path in paths]
    journals = [
        AnswerTable(path.name, _journal(path).select, partial(file_sha256, path))
        for path in journals_of(folder)
    ]
    return [*tables, *journals]


def answers_digest(folder: Path) -> str:
    """SHA-256 that is another one as soon as anything was answered since, or answered anew."""
    files = {table.name: table.sha256() for table in answer_tables(folder)}
    return sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()


def last_ones(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per item: the last one that is no error, else the last one."""
    if rows["item_id"].n_unique() == rows.height:
        return rows
    # Machines that share a run write side by side: an error of one can stand behind the answer of another.
    rows = rows.sort(pl.col("error").is_null(), maintain_order=True)
    return rows.unique("item_id", keep="last", maintain_order=True)


class AnswerReader:
    """The answers of some items at a time, for a run whose answers are too many for memory."""

    def __init__(self, folder: Path) -> None:
        """Prepare: learn which items stand where.

        Raises:
            RowError: If a line of a journal is not an answer, or a table not as it was written; names it.
        """
        self._tables = answer_tables(folder)
        # Of an id its digest of eight bytes; where two ids have the same, a table is read in vain.
        held = [
            table.read(["item_id"]).select(digest=pl.col("item_id").hash(), table=pl.lit(number, pl.UInt32))
            for number, table in enumerate(self._tables)
        ]
        self._held = pl.concat([pl.DataFrame(schema={"digest": pl.UInt64, "table": pl.UInt32}), *held])

    def of(self, items: pl.DataFrame, *columns: str, thoughts: bool = True) -> pl.DataFrame:
        """Answers of items, one row for each that has one, in no particular order.

        Args:
            items: With ``item_id``.
            columns: Columns of `ANSWERS`, ``item_id`` and ``error`` among them.
            thoughts: As of `read_answers`.

        Raises:
            RowError: If a file is not one of answers.
        """
        digests = items.select(digest=pl.col("item_id").hash())
        tables = self._held.join(digests, on="digest", how="semi")["table"].unique().sort()
        read = (_read(self._tables[number], columns, thoughts=thoughts) for number in tables)
        found = [rows.join(items, on="item_id", how="semi") for rows in read]
        return last_ones(pl.concat([pl.DataFrame(schema={name: ANSWERS[name] for name in columns}), *found]))


def finish(folder: Path, items: pl.DataFrame, answers: pl.DataFrame) -> None:
    """Write the answers of all items as Parquet, in the order of the items, and remove the journal.

    A kill between the two leaves both, which reads the same.
    """
    rows = items.select("item_id").join(answers, on="item_id", how="inner", maintain_order="left")
    write_frame(folder / PARQUET, rows.select(list(ANSWERS)).cast(ANSWERS))
    (folder / JOURNAL).unlink(missing_ok=True)
    sync_directory(folder)


def not_answers(path: Path, error: Exception) -> RowError:
    """Make the message on a file that cannot be read as answers."""
    return RowError(
        f"not the answers of a run ({str(error).splitlines()[0]})",
        where=str(path),
        fix=_ASK_AGAIN,
    )


def _parquet(path: Path, names: Sequence[str]) -> pl.DataFrame:
    try:
        rows = read_frame(path, *names, fix=_ASK_AGAIN)
        return rows.select(names).cast({n: ANSWERS[n] for n in names})
    except pl.exceptions.PolarsError as error:
        raise not_answers(path, error) from error


def _journal(path: Path) -> pl.DataFrame:
    content = read_content(path)
    lines = content[: content.rfind(b"\n") + 1].splitlines()
    rows = [_line(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]
    return pl.DataFrame(rows, schema=ANSWERS, orient="row")


def _line(line: bytes, location: str) -> dict[str, Any]:
    try:
        answer = json.loads(line)
        unknown = set(answer) - set(ANSWERS)
        if not unknown and isinstance(answer["item_id"], str):
            return dict(answer)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise RowError(
        "the line is not an answer", where=location, fix="delete this line; its item will be asked again"
    )
