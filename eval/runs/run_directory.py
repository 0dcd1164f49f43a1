"""Run directories: ``run.json``, which says what was asked of whom, and a folder of answers.

Items and gold follow from the release and the options, and stand nowhere twice. Where there is no release, as
of a table of texts or the replies that a judge reads, they are kept beside the answers.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from blend.eval.items import TaskItems
from blend.eval.models import ChatOptions, Decoding, ModelDescription
from blend.eval.models.chosen import Price, Shard, money
from blend.eval.models.replies import FINISH_REASONS
from blend.eval.runs import (
    DESCRIPTION_NAME,
    RecordedAnswers,
    ReleaseItems,
    RunDescription,
    go_on_with,
    read_description,
)
from blend.eval.runs.answers import RESTORE, WRITTEN, AnswerFile, Answers, as_scored, storing
from blend.loaders.files.atomic import atomic_file, atomic_write, check_own_folder, is_left_over
from blend.loaders.files.content import file_sha256, open_content, open_sha256, parquet_rows
from blend.schemas.errors import InputError, RowError
from blend.schemas.models import FrozenModel
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import agreeing, pluralise

ITEMS_NAME = "items.parquet"
_GOLD_NAME = "gold.parquet"
ANSWERS_FOLDER = "answers"
TOKENS_NAME = "tokens.parquet"
TOKENS = pl.Schema(
    {"candidate_set": pl.String(), "candidate": pl.String(), "n_tokens": pl.Int64(), "n_unknown": pl.Int64()}
)
"""What the model's tokenizer makes of the candidates, a row each: its tokens, and those of them that it does
not know."""

PART = 20_000
"""Items of a part (`Run.answered_parts`)."""

MAX_MISSING = 0.01
"""Share of items without an answer above which nothing is scored unless the caller says so."""


class Usage(FrozenModel):
    """What a run has taken until now."""

    requests: int
    """Items asked, those that failed among them."""
    filtered: int = 0
    """Items whose answer a content filter of the server has stopped."""
    tokens_in: int | None
    """Tokens of the prompts; null where nobody tells."""
    tokens_out: int | None
    """Tokens written, thoughts among them; likewise."""
    tokens_thought: int | None
    """Tokens thought, as far as a server tells them apart; likewise."""

    def in_words(self, price: Price | None = None) -> str:
        """A line for people, with the cost at a price."""
        parts = [pluralise(self.requests, "request")]
        if self.filtered:
            parts[0] += f" ({self.filtered:,} stopped by a content filter)"
        if self.tokens_in is not None:
            parts.append(f"{self.tokens_in:,} tokens in")
        if self.tokens_out is not None:
            thought = "" if self.tokens_thought is None else f" ({self.tokens_thought:,} of them thought)"
            parts.append(f"{self.tokens_out:,} out{thought}")
        if price is not None and self.tokens_in is not None:
            parts.append(f"cost {money(price.of(self.tokens_in, self.tokens_out))}")
        return ", ".join(parts)

    def columns(self) -> dict[str, str]:
        """What is known, by the heads of a table's columns."""
        counts = {
            "filtered": self.filtered or None,
            "tokens in": self.tokens_in,
            "tokens out": self.tokens_out,
            "tokens thought": self.tokens_thought,
        }
        return {name: f"{count:,}" for name, count in counts.items() if count is not None}


class RunOutcome(NamedTuple):
    """State of a run."""

    n_items: int
    """Items of the run."""
    n_missing: int
    """Items without an answer."""
    n_failed: int
    """Items of those whose answer was an error; the next run into the same directory asks them again."""
    first_error: str | None
    """Why the first of them failed."""
    warnings: tuple[str, ...] = ()
    """What a user should know about what was asked."""
    files: tuple[Path, ...] = ()
    """Files of requests that were written in place of asking."""
    usage: Usage | None = None
    """What the run has taken until now; null where nobody was asked."""

    @property
    def can_be_scored(self) -> bool:
        """Whether it has answers enough to be scored as it is."""
        return self.n_missing <= MAX_MISSING * self.n_items


@dataclass(frozen=True, slots=True, repr=False)
class Run(Summarised):
    """A run on disk."""

    directory: Path
    """Where it lies."""
    description: RunDescription
    """What was asked of whom."""
    asked: Callable[[], TaskItems] = field(compare=False)
    """Makes its items and gold."""
    shard: Shard | None = None
    """Which of several machines this process is that write to the run; null for one alone."""
    outcome: RunOutcome | None = None
    """How it stood when it was asked last; null for a run that was only opened or read."""
    held: Answers | None = field(default=None, compare=False)
    """Its answers as they were at one moment, for who reads them more than once; null where none are held."""

    def as_tables(self) -> list[Table]:
        """What was asked, and how far it is."""
        asked, how = self.description, self.outcome
        who, release = asked.model.id, asked.release.label
        standing = pluralise(asked.n_items, "item")
        rows: list[tuple[str, Any]] = [("directory", str(self.directory)), ("SDK", asked.sdk_version)]
        if how is not None:
            standing = f"{how.n_items - how.n_missing:,} of {standing} answered"
            rows += [("failed", how.n_failed), ("first error", how.first_error)] if how.n_failed else []
        title = f"{asked.task} of {release}, asked of {who}, {standing}"
        return [Table.of(title, ("what", "value"), [(what, str(value)) for what, value in rows])]

    @property
    def share(self) -> slice:
        """Which of the items this process asks: all, or every ``of``-th of a shard."""
        return slice(None) if self.shard is None else slice(self.shard.number - 1, None, self.shard.of)

    @property
    def answers_folder(self) -> Path:
        """The folder in which its answers lie."""
        return self.directory / ANSWERS_FOLDER

    def items(self, *columns: str) -> pl.DataFrame:
        """The items asked, `items.ITEMS` or some of its columns, in order."""
        return self.asked().items.select(columns or pl.all())

    def gold(self, *columns: str) -> pl.DataFrame:
        """What counts as correct, as the task's module says, or some of its columns."""
        return self.asked().gold.select(columns or pl.all())

    def candidates(self) -> pl.DataFrame:
        """The candidates of a run that has any, ``candidate_set`` and ``candidate``."""
        found = self.asked().candidates
        assert found is not None
        return found

    def kept(self) -> Answers:
        """The answers so far, or those that are held."""
        return Answers(self.answers_folder) if self.held is None else self.held

    def answered_parts(
        self, *columns: str, items: Sequence[str] = ()
    ) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield the items, some at a time and in order, each part with its answers as of `answers.as_scored`.

        Args:
            columns: Columns of `answers.ANSWERS` besides ``item_id``, ``error`` and `answers.WRITTEN`, where an
                empty text stands for each thought.
            items: Columns of the items, ``item_id`` among them; all when absent.

        Raises:
            RowError: If a file of the run cannot be read.
        """
        kept = self.kept()
        for part in self.items(*items).iter_slices(PART):
            answers = kept.read("item_id", "error", *WRITTEN, *columns, items=part, thoughts=False)
            yield part, as_scored(answers, self.description)

    def answered_items(self, *columns: str, items: Sequence[str] = ()) -> Iterator[pl.DataFrame]:
        """Yield the same with the gold, in one frame, of a task that has a row of it for each item.

        Of answers there are ``text``, ``error`` and the columns, null where there is none.
        """
        gold, of_answers = self.gold(), ("item_id", "text", "error", *columns)
        for part, answers in self.answered_parts(*columns, items=items):
            known = part.join(gold, on="item_id", how="left", maintain_order="left")
            yield known.join(answers.select(of_answers), on="item_id", how="left", maintain_order="left")

    def answers(self, *columns: str, items: pl.DataFrame | None = None, thoughts: bool = True) -> pl.DataFrame:
        """Read the answers so far; arguments as of `answers.Answers.read`."""
        return self.kept().read(*columns, items=items, thoughts=thoughts)

    def answer_file(self, name: str = "main") -> AnswerFile:
        """The file into which this process alone writes answers; of a shard, that shard's.

        Raises:
            ConflictError: If another process writes it.
        """
        if self.shard is not None:
            name = f"{self.shard.number}of{self.shard.of}"
        return AnswerFile(self.answers_folder / f"{name}.jsonl")

    def write(self, name: str, text: str) -> None:
        """Write a file of the run, in place of an earlier one.

        Raises:
            StorageError: If it cannot be written.
        """
        with storing(self.directory):
            atomic_write(self.directory / name, text)


_TOKENS = ("tokens_in", "tokens_out", "tokens_thought")


def outcome_of(run: Run) -> RunOutcome:
    """Say how a run stands, and what it took: each item once."""
    kept, n_items = run.kept(), run.description.n_items
    rows = kept.read("error", "finish_reason", *_TOKENS)
    errors, ends = rows["error"].drop_nulls(), rows["finish_reason"]
    # A sum over nothing but nulls is unknown, and not 0.
    sums = {name: int(rows[name].sum()) if rows[name].count() else None for name in _TOKENS}
    usage = Usage(requests=rows.height, filtered=int((ends == "content_filter").sum()), **sums)
    unknown = ends.filter(~ends.is_in([*FINISH_REASONS, "error"]))
    warnings = tuple(
        f"{pluralise(n, 'answer')} {agreeing(n, 'has', 'have')} the finish reason {reason!r}, which is not "
        f"known; {agreeing(n, 'it is', 'they are')} taken as whole, so look whether "
        f"{agreeing(n, 'its text', 'their texts')} may have been cut"
        for reason, n in sorted(unknown.drop_nulls().value_counts().iter_rows())
    )
    asked, served = run.description.model.id, getattr(run.description.model, "served_as", None)
    if served is not None and not is_name_of(served, asked):
        warnings += (f"the server answers as {served!r}, and {asked!r} was asked; check which model it is",)
    n_failed, first_error = errors.len(), next(iter(errors), None)
    n_missing = n_items - rows.height + n_failed
    return RunOutcome(n_items, n_missing, n_failed, first_error, warnings, usage=usage)


_VERSION = re.compile(r"[-@:](\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4})$")
"""What providers add to the name of a model for one version of it: a date, or a number."""


def is_name_of(served: str, asked: str) -> bool:
    """Whether two names of a provider can be one model's: one may leave out folder and version."""
    there, here = (name.rpartition("/")[2].lower().removesuffix("-latest") for name in (served, asked))
    return there in (here, _VERSION.sub("", here)) or _VERSION.sub("", there) == here


def runs_in(directory: Path) -> list[Path]:
    """List the run directories in a directory, by name; the directory itself where it is one, or holds none."""
    if (directory / DESCRIPTION_NAME).exists() or not directory.is_dir():
        return [directory]
    below = sorted(path.parent for path in directory.glob(f"*/{DESCRIPTION_NAME}"))
    return below or [directory]


def kept_items(directory: Path, description: RunDescription) -> TaskItems:
    """The items and gold of a run that no release makes.

    Raises:
        RowError: If a table is absent, cannot be read, or has changed.
    """
    items, gold = (
        read_frame(directory / name, sha256=description.tables.get(name)) for name in (ITEMS_NAME, _GOLD_NAME)
    )
    return TaskItems(items, gold, {}, description.kind)


def open_run(
    directory: Path,
    asked: ReleaseItems,
    model: ModelDescription | RecordedAnswers,
    decoding: Decoding | None,
    *,
    chat_options: ChatOptions | None = None,
    shard: Shard | None = None,
) -> Run:
    """A run directory to write answers into: a new one, or the one in which the same run was started.

    Args:
        directory: Absent, empty, or the directory of a run.
        asked: What is asked.
        model: Who is asked.
        decoding: How texts are generated; null where none are.
        chat_options: What is said besides the prompts; null where nothing is.
        shard: Which of several machines that write to the run this is; one alone when absent.

    Raises:
        InputError: If the directory holds another run (names what differs) or something else.
        StorageError: If it cannot be written, or if the disk is full; what was answered until then is kept.
    """
    description = RunDescription.of(asked, model=model, decoding=decoding, chat_options=chat_options)
    with storing(directory):
        # Shards that start at one moment write the same.
        if (directory / DESCRIPTION_NAME).exists():
            description = go_on_with(directory, description)
            if description != read_description(directory):
                atomic_write(directory / DESCRIPTION_NAME, description.to_json())
        else:
            description = _start(directory, description, asked.asked)
    return Run(directory, description, lambda: asked.asked, shard)


def _start(directory: Path, description: RunDescription, asked: TaskItems) -> RunDescription:
    """Write what a run needs, its description last: without it nothing was asked yet."""
    # A run that was killed before it had its description may have left these.
    check_own_folder(
        directory,
        what="the directory of a run",
        is_ours=lambda name: name in (ITEMS_NAME, _GOLD_NAME, ANSWERS_FOLDER) or is_left_over(name),
    )
    answers = directory / ANSWERS_FOLDER
    if any(answers.glob("*.jsonl")):
        raise InputError(
            f"{directory}: holds answers and no {DESCRIPTION_NAME}, so nobody knows whose they are; "
            "restore it from a copy, or choose another `out`"
        )
    answers.mkdir(parents=True, exist_ok=True)
    if description.release.location is None:
        tables = {ITEMS_NAME: asked.items, _GOLD_NAME: asked.gold}
        for name, rows in tables.items():
            write_frame(directory / name, rows)
        digests = {name: file_sha256(directory / name) for name in tables}
        description = description.model_copy(update={"tables": digests})
    atomic_write(directory / DESCRIPTION_NAME, description.to_json())
    return description


def change_description(run: Run, **changes: Any) -> Run:
    """The run with other values in its description, which it keeps: where its release lies, who answered."""
    kept = read_description(run.directory).model_copy(update=changes)
    run.write(DESCRIPTION_NAME, kept.to_json())
    return dataclasses.replace(run, description=run.description.model_copy(update=changes))


def write_frame(path: Path, rows: pl.DataFrame) -> None:
    """Write a table of a run, in place of an earlier one.

    Raises:
        StorageError: If it cannot be written.
    """
    with storing(path.parent), atomic_file(path) as beside:
        rows.write_parquet(beside, compression="zstd")


def read_frame(
    path: Path, schema: pl.Schema | None = None, *, sha256: str | None = None, fix: str = RESTORE
) -> pl.DataFrame:
    """A table of a run, which this package alone writes.

    Args:
        path: The file.
        schema: Columns to read; all when absent.
        sha256: Digest of the file as it was written, where somebody keeps it.
        fix: What to do about a file that is not so any more, for the message.

    Raises:
        RowError: If it is missing, cannot be read, or is not as it was written.
    """
    where = str(path)
    try:
        with open_content(path) as file:
            if sha256 is not None and open_sha256(file) != sha256:
                raise RowError("has changed since it was written", where=where, fix=fix)
            file.seek(0)
            rows = parquet_rows(file, where=where, fix=fix, columns=[*(schema or ())])
    except RowError as error:
        raise RowError(error.what, where=error.where, fix=fix) from None
    if schema is not None and {**rows.schema} != {**schema}:
        raise RowError("has columns of other types than were written", where=where, fix=fix)
    return rows
