"""Answers on disk: JSON Lines that only grow, a file for each writer, read a few at a time.

A line is the answer to one item. A process that is killed can leave half of a line at the end of its file: it
is not read, the next process that writes the file cuts it off, and its item is asked again. Of several answers
to an item the last one that is not an error counts, in the order of the files' names.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from filelock import FileLock, Timeout

from blend.eval.models.protocols import Generation
from blend.loaders.files.atomic import append_rows, atomic_file
from blend.loaders.files.content import file_sha256, open_content
from blend.schemas.errors import ConflictError, InputError, RowError

ANSWERS = pl.Schema(
    {
        "item_id": pl.String(),
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

MOST_CHARACTERS = 1 << 20
"""Characters of an answer, and of a thought, that are kept: a server that goes mad spoils no whole run."""

_LOG = logging.getLogger(__name__)

_SYNC_EVERY_S = 1.0
_ROWS = 20_000
"""Answers that are parsed at a time."""

_PLACES = {"item_id": pl.String, "is_error": pl.Boolean, "start": pl.Int64, "stop": pl.Int64}
_RESTORE = "restore it from a copy, or run again into another directory"


class AnswerFile:
    """The file of one writer; what `append` has returned from survives a kill of the process."""

    def __init__(self, path: Path) -> None:
        """Open it, for this process alone.

        Raises:
            ConflictError: If another process writes it.
        """
        # The lock stays: removing it would let a third process lock a new one beside the second's.
        self._lock = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ConflictError(
                f"{path}: another process writes its answers there; wait for it, or choose another `out`"
            ) from None
        if path.exists():
            append_rows(path, b"", lambda _: False)
        self._file = path.open("ab")
        self._synced = time.monotonic()

    def append(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Add answers, rows of `ANSWERS`; what is null is left out."""
        self._file.write(_lines(answers))
        self._file.flush()
        # A process that dies loses nothing that was flushed; a machine that does, a second of answers at most.
        if time.monotonic() - self._synced > _SYNC_EVERY_S:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def __enter__(self) -> "AnswerFile":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()
            self._lock.release()


def generated(answer: Generation) -> dict[str, Any]:
    """Columns of `ANSWERS` that a written answer fills."""
    text, thought, error = (
        None if one is None else one[:MOST_CHARACTERS] for one in (answer.text, answer.thought, answer.error)
    )
    is_cut = (text, thought) != (answer.text, answer.thought)
    if is_cut:
        n = max(len(answer.text), len(answer.thought or ""))
        _LOG.warning("an answer of %d characters is kept as one that was cut, at %d", n, MOST_CHARACTERS)
    return {
        "text": None if error is not None else text,
        "thought": thought,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "tokens_thought": answer.tokens_thought,
        "finish_reason": "length" if is_cut else answer.finish_reason,
        "error": error,
    }


def _lines(answers: Iterable[Mapping[str, Any]]) -> bytes:
    rows = ({name: value for name, value in answer.items() if value is not None} for answer in answers)
    # Half of a surrogate pair, where a server has cut a text, is no UTF-8.
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode(errors="replace")


def _answer_files(folder: Path) -> list[Path]:
    """The files in a folder of answers, by name."""
    return sorted(folder.glob("*.jsonl"))


def answers_digest(folder: Path) -> str:
    """SHA-256 that is another one as soon as anything was answered since, or answered anew."""
    files = {path.name: file_sha256(path) for path in _answer_files(folder)}
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()


class Answers:
    """The answers in a folder as they are now, one to each item; only where they stand is in memory."""

    def __init__(self, folder: Path) -> None:
        """Learn which items stand where.

        Args:
            folder: Folder of answers, of a run that is complete, under way or killed; nothing in it is changed.

        Raises:
            InputError: If there is no such folder.
            RowError: If a line, other than half of one at the end, is not an answer; names it.
        """
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder, so all would be asked again; {_RESTORE}")
        self._files = _answer_files(folder)
        parts = [part for number in range(len(self._files)) for part in self._places(number)]
        places = pl.concat(parts) if parts else self._frame(0, [])
        if places["item_id"].n_unique() < places.height:
            # Machines that share a run write side by side: an error of one can stand behind another's answer.
            places = places.sort(pl.col("is_error"), descending=True, maintain_order=True)
            places = places.unique("item_id", keep="last").sort("file", "start")
        self._places_of = places
        self.item_ids = places["item_id"]
        """Items that were asked, those that failed among them."""
        self.n_failed = int(places["is_error"].sum())
        """Items whose answer is an error."""

    @property
    def answered(self) -> pl.DataFrame:
        """``item_id`` of the items that have an answer which is no error."""
        return self._places_of.filter(~pl.col("is_error")).select("item_id")

    @property
    def failed(self) -> pl.DataFrame:
        """``item_id`` of the items whose answer is an error."""
        return self._places_of.filter("is_error").select("item_id")

    def read(self, *columns: str, thoughts: bool = True) -> pl.DataFrame:
        """`ANSWERS` or some of its columns, one row per item asked, in the order in which they were kept.

        Args:
            columns: Columns to read; all when absent.
            thoughts: Whether thoughts are read, which can be a hundred times as long as answers; else an empty
                text stands for each.
        """
        return self._rows(self._places_of, columns, thoughts=thoughts)

    def of(self, items: pl.DataFrame, *columns: str, thoughts: bool = True) -> pl.DataFrame:
        """The answers of some items, with ``item_id``, one row for each that has one; as of `read`."""
        places = self._places_of.join(items, on="item_id", how="semi", maintain_order="left")
        return self._rows(places, columns, thoughts=thoughts)

    def parts(self, *columns: str, thoughts: bool = True) -> Iterator[pl.DataFrame]:
        """Yield all answers, some at a time; as of `read`."""
        for places in self._places_of.iter_slices(_ROWS):
            yield self._rows(places, columns, thoughts=thoughts)

    def _places(self, number: int) -> Iterator[pl.DataFrame]:
        """Where the answers of a file stand, some at a time."""
        path, stop = self._files[number], 0
        found: list[tuple[str, bool, int, int]] = []
        with open_content(path) as file:
            for n, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                start, stop = stop, stop + len(line)
                found.append((*_item_of(line, f"{path}:{n}"), start, stop))
                if len(found) == _ROWS:
                    yield self._frame(number, found)
                    found = []
        yield self._frame(number, found)

    def _frame(self, number: int, found: list[tuple[str, bool, int, int]]) -> pl.DataFrame:
        frame = pl.DataFrame(found, schema=_PLACES, orient="row")
        return frame.with_columns(file=pl.lit(number, pl.UInt32))

    def _rows(self, places: pl.DataFrame, columns: Sequence[str], *, thoughts: bool) -> pl.DataFrame:
        names = columns or tuple(ANSWERS)
        found = [pl.DataFrame(schema={name: ANSWERS[name] for name in names})]
        for some in places.iter_slices(_ROWS):
            try:
                rows = pl.read_ndjson(
                    b"".join(self._contents(some)), schema={name: ANSWERS[name] for name in names}
                )
            except (pl.exceptions.PolarsError, UnicodeDecodeError):
                folder = str(self._files[0].parent)
                raise RowError("not answers as a run keeps them", where=folder, fix=_RESTORE) from None
            if "thought" in names and not thoughts:
                rows = rows.with_columns(thought=pl.when(pl.col("thought").is_not_null()).then(pl.lit("")))
            found.append(rows)
        return pl.concat(found)

    def _contents(self, places: pl.DataFrame) -> Iterator[bytes]:
        """The lines at some places."""
        for (number,), of_file in places.partition_by("file", as_dict=True, maintain_order=True).items():
            with open_content(self._files[number]) as file:
                for start, stop in of_file.select("start", "stop").iter_rows():
                    file.seek(start)
                    yield file.read(stop - start)


def _item_of(line: bytes, where: str) -> tuple[str, bool]:
    """The item that a line answers, and whether the answer is an error."""
    try:
        answer = json.loads(line)
        if isinstance(answer["item_id"], str):
            return answer["item_id"], answer.get("error") is not None
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    fix = "delete this line; its item will be asked again"
    raise RowError("the line is not an answer", where=where, fix=fix)


def write_answers(path: Path, answers: pl.DataFrame) -> None:
    """Write a file of answers, `ANSWERS` or some of its columns, that appears whole or not at all."""
    with atomic_file(path) as beside, beside.open("wb") as file:
        for some in answers.iter_slices(_ROWS):
            file.write(_lines(some.iter_rows(named=True)))
