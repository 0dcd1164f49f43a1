"""Answers on disk: JSON Lines that only grow, a file for each writer, read a few at a time.

A line is the answer to one item. A process that is killed can leave half of a line at the end of its file: it
is not read, the next process that writes the file cuts it off, and its item is asked again. Of several answers
to an item the last one that is not an error counts, in the order of the files' names.

Answers of other tools hold thoughts in their texts; where answers are scored they are told apart, by the same
rule by which a run keeps them apart.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
from filelock import FileLock, Timeout

from blend.eval.models import Generation
from blend.eval.models.replies import ANY_MARK, split_thought
from blend.eval.runs import RecordedAnswers, RunDescription
from blend.loaders.files.atomic import append_rows, atomic_file, storage_errors
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
where it did not or nobody tells (answers of another tool have both in ``text``: `as_scored` tells them apart);
``logprobs`` are the sums of the log-probabilities (natural logarithm) of each option's tokens, over
``option_tokens`` tokens and ``option_bytes`` bytes; ``tokens_out`` counts ``tokens_thought`` as well;
``finish_reason`` is ``stop``, ``length``, ``content_filter``, ``error`` or a server's word that nobody knows;
``error`` says why there is no answer; ``asked`` is the exact prompt where another tool asked it and said so.
What is unknown is null.
"""

_SYNC_EVERY_S = 1.0
_ROWS = 20_000
"""Answers that are parsed at a time."""

_PLACES = {"item_id": pl.String, "is_error": pl.Boolean, "file": pl.UInt32, "start": pl.Int64, "stop": pl.Int64}
RESTORE = "restore it from a copy, or run again into another directory"
"""What to do about a file that is not as the run has written it."""


def storing(directory: Path) -> AbstractContextManager[None]:
    """Turn what keeps a run directory from being written in the block into an error that says what to do."""
    return storage_errors(directory, kept="what was answered until now is kept; ")


class AnswerFile:
    """The file of one writer; what `append` has returned from survives a kill of the process."""

    def __init__(self, path: Path) -> None:
        """Open it, for this process alone.

        Raises:
            ConflictError: If another process writes it.
            StorageError: If it cannot be written; as `append`.
        """
        self._run = path.parent.parent
        # The lock stays: removing it would let a third process lock a new one beside the second's.
        self._lock = FileLock(path.with_name(f".{path.name}.lock"))
        with storing(self._run):
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
        with storing(self._run):
            self._file.write(_lines(answers))
            self._file.flush()
            # A process that dies loses nothing that was flushed; a machine, a second of answers at most.
            if time.monotonic() - self._synced > _SYNC_EVERY_S:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def __enter__(self) -> "AnswerFile":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with storing(self._run):
                os.fsync(self._file.fileno())
                self._file.close()
        finally:
            self._lock.release()


def generated(answer: Generation) -> dict[str, Any]:
    """Columns of `ANSWERS` that a written answer fills."""
    columns = asdict(answer)
    return columns if answer.error is None else columns | {"text": None}


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
            raise InputError(f"{folder}: no such folder, so all would be asked again; {RESTORE}")
        self._files = _answer_files(folder)
        parts = [part for number in range(len(self._files)) for part in self._places(number)]
        places = pl.concat([pl.DataFrame(schema=_PLACES), *parts])
        if places["item_id"].n_unique() < places.height:
            # Machines that share a run write side by side: an error of one can stand behind another's answer.
            places = places.sort(pl.col("is_error"), descending=True, maintain_order=True)
            places = places.unique("item_id", keep="last").sort("file", "start")
        self.asked = places
        """``item_id`` and ``is_error`` of the items that were asked, those that failed among them."""

    def read(self, *columns: str, items: pl.DataFrame | None = None, thoughts: bool = True) -> pl.DataFrame:
        """`ANSWERS` or some of its columns, one row per item asked, in the order in which they were kept.

        Args:
            columns: Columns to read; all when absent.
            items: Items, by ``item_id``, whose answers are read; all when absent.
            thoughts: Whether thoughts are read, which can be a hundred times as long as answers; else an empty
                text stands for each.
        """
        schema = {name: ANSWERS[name] for name in columns or ANSWERS}
        # Whoever scores options counts their tokens.
        is_half = pl.col("logprobs").is_not_null() & pl.col("option_tokens").is_null()
        places = self.asked
        if items is not None:
            places = places.join(items, on="item_id", how="semi", maintain_order="left")
        found = [pl.DataFrame(schema=schema)]
        for some in places.iter_slices(_ROWS):
            try:
                rows = pl.read_ndjson(b"".join(self._lines(some)), schema=schema)
                is_whole = not {"logprobs", "option_tokens"} <= {*schema} or rows.filter(is_half).is_empty()
            except (pl.exceptions.PolarsError, UnicodeDecodeError):
                is_whole = False
            if not is_whole:
                folder = str(self._files[0].parent)
                raise RowError("not answers as a run keeps them", where=folder, fix=RESTORE)
            if "thought" in schema and not thoughts:
                rows = rows.with_columns(thought=pl.when(pl.col("thought").is_not_null()).then(pl.lit("")))
            found.append(rows)
        return pl.concat(found)

    def _places(self, number: int) -> Iterator[pl.DataFrame]:
        """Where the answers of a file stand, some at a time."""
        path, stop = self._files[number], 0
        found: list[tuple[str, bool, int, int, int]] = []
        with open_content(path) as file:
            for n, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                start, stop = stop, stop + len(line)
                found.append((*_item_of(line, f"{path}:{n}"), number, start, stop))
                if len(found) == _ROWS:
                    yield pl.DataFrame(found, schema=_PLACES, orient="row")
                    found = []
        yield pl.DataFrame(found, schema=_PLACES, orient="row")

    def _lines(self, places: pl.DataFrame) -> Iterator[bytes]:
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


WRITTEN = ("text", "thought", "finish_reason")
"""Columns of `ANSWERS` by which an answer is told from a thought."""

_CUTS = ("content_filter", "length")


def as_scored(answers: pl.DataFrame, run: RunDescription) -> pl.DataFrame:
    """Answers with what was said alone, and whether they were answered at all.

    Unanswered is a text whose thought does not end, one that says nothing, one that a content filter stopped,
    and one that was cut at the length allowed, of a model that ends by itself: one that writes after a chat
    template, and a caller's object or recorded answers that say so. A base model goes on for as long as it may,
    so what it wrote by then is its answer.

    Args:
        answers: `ANSWERS`, or some of its columns, `WRITTEN` among them.
        run: The run that they are of.

    Returns:
        The rows, with ``text`` as it was said and empty where unanswered, so that `says_nothing` finds all of
        these, and ``thought``.
    """
    answered = split_answers(answers)
    ends_by_itself = isinstance(run.model, RecordedAnswers) or run.model.backend == "python" or run.model.chat
    cuts = _CUTS if ends_by_itself else ("content_filter",)
    is_cut = pl.col("finish_reason").is_in(cuts) & pl.col("text").is_not_null()
    return answered.with_columns(text=pl.when(is_cut).then(pl.lit("")).otherwise("text"))


def spoken_text(text: str, finish_reason: str | None) -> str:
    """One answer of a model that ends by itself as `as_scored` has many: what it says, empty if unanswered."""
    return "" if finish_reason in _CUTS else split_thought(text).text


def says_nothing(column: str) -> pl.Expr:
    """Whether the texts in a column are unanswered; null without a text, as of errors and of scored options."""
    return pl.col(column).str.strip_chars() == ""


def split_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """Answers, as of `as_scored`, with what was said apart from what was thought.

    Returns:
        The rows, with ``text`` as it was said, empty where a thought does not end, and ``thought``.
    """
    texts = answers["text"].unique().drop_nulls()
    marked = texts.filter(texts.str.contains(ANY_MARK))
    if marked.is_empty():
        return answers
    # Every distinct text with a mark is told apart once.
    found = [split_thought(text) for text in marked]
    thoughts = pl.Series([one.thought for one in found], dtype=pl.String)
    here = pl.col("text").replace_strict(marked, thoughts, default=None, return_dtype=pl.String)
    both = pl.concat_str("thought", here, separator="\n", ignore_nulls=True)
    return answers.with_columns(
        text=pl.col("text").replace(marked, [one.text for one in found]),
        thought=pl.when(pl.col("thought").is_not_null() | here.is_not_null()).then(both),
    )
