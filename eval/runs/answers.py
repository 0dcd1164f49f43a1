"""Answers on disk: a journal that only grows while a run goes on, and one Parquet file once all were asked.

A journal is JSON Lines, one answer per line. A process that is killed can leave half of a line at its end; the
next one that opens the journal cuts it off, and that item is asked again. The last row of an item counts: an
item is asked a second time only where its answer was an error.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from blend.loaders.files.whole import sync_directory, whole_file
from blend.schemas.errors import RowError

ANSWERS = pl.Schema(
    {
        "item_id": pl.String(),
        "locale": pl.String(),
        "prompt_id": pl.String(),
        "text": pl.String(),
        "logprobs": pl.List(pl.Float64()),
        "option_tokens": pl.List(pl.Int64()),
        "option_bytes": pl.List(pl.Int64()),
        "tokens_in": pl.Int64(),
        "tokens_out": pl.Int64(),
        "finish_reason": pl.String(),
        "error": pl.String(),
        "asked": pl.String(),
    }
)
"""One row per item that was asked.

``text`` is what the model wrote, null where options were scored; ``logprobs`` are the sums of the
log-probabilities (natural logarithm) of each option's tokens, over ``option_tokens`` tokens and
``option_bytes`` bytes; ``finish_reason`` is ``stop``, ``length`` or ``error``; ``error`` says why there is no
answer; ``asked`` is the exact prompt where another tool asked it and said so. What is unknown is null.
"""

PARQUET = "answers.parquet"
JOURNAL = "journal.jsonl"

_SYNC_EVERY_S = 1.0


class Journal:
    """Answers as they come in; what `append` has returned from survives a kill of the process."""

    def __init__(self, path: Path) -> None:
        cut_half_line(path)
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

    def close(self) -> None:
        """Make everything durable and let go of the file."""
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """The journal in a folder of answers, open for appending while the block runs."""
    opened = Journal(folder / JOURNAL)
    try:
        yield opened
    finally:
        opened.close()


def cut_half_line(path: Path) -> int:
    """Cut what follows the last line feed of a file, if there is one; returns how many bytes that were."""
    if not path.exists():
        return 0
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())
    return len(content) - whole


def read_answers(folder: Path) -> pl.DataFrame:
    """What was answered so far: `ANSWERS`, one row per item asked, in no particular order.

    Args:
        folder: Folder of answers, of a run that is complete, under way or killed; nothing in it is changed.

    Raises:
        RowError: If a line of the journal, other than half of one at the end, is not an answer; names it.
    """
    parts = [pl.DataFrame(schema=ANSWERS)]
    if (folder / PARQUET).exists():
        parts.append(_parquet(folder / PARQUET))
    if (folder / JOURNAL).exists():
        parts.append(_journal(folder / JOURNAL))
    if len(parts) < 3:
        return parts[-1].unique("item_id", keep="last", maintain_order=True)
    return pl.concat(parts).unique("item_id", keep="last", maintain_order=True)


def finish(folder: Path, items: pl.DataFrame, answers: pl.DataFrame) -> None:
    """Write the answers of all items as Parquet, in the order of the items, and remove the journal.

    A kill between the two leaves both, which reads the same.
    """
    rows = items.select("item_id").join(answers, on="item_id", how="inner", maintain_order="left")
    write_frame(folder / PARQUET, rows.select(list(ANSWERS)).cast(ANSWERS))
    (folder / JOURNAL).unlink(missing_ok=True)
    sync_directory(folder)


def write_frame(path: Path, rows: pl.DataFrame) -> None:
    """Write a Parquet file that appears complete under its name or not at all."""
    with whole_file(path) as beside:
        rows.write_parquet(beside, compression="zstd")


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path).select(list(ANSWERS)).cast(ANSWERS)
    except pl.exceptions.PolarsError as error:
        raise RowError(
            f"not the answers of a run ({str(error).splitlines()[0]})",
            where=str(path),
            fix="restore the file, or delete it to have all items asked again",
        ) from error


def _journal(path: Path) -> pl.DataFrame:
    content = path.read_bytes()
    lines = content[: content.rfind(b"\n") + 1].splitlines()
    rows = [_line(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]
    return pl.DataFrame(rows, schema=ANSWERS, orient="row")


def _line(line: bytes, place: str) -> dict[str, Any]:
    try:
        answer = json.loads(line)
        unknown = set(answer) - set(ANSWERS)
        if not unknown and isinstance(answer["item_id"], str):
            return dict(answer)
    except (ValueError, TypeError, KeyError):
        pass
    raise RowError(
        "the line is not an answer", where=place, fix="delete this line; its item will be asked again"
    )
