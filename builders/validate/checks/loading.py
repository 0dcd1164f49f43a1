"""Check of loading: what users do first, with the library they do it with."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from blend.builders.validate.report import Problem, error, warning
from blend.builders.validate.subject import Subject
from blend.loaders.files.unpacked import check_tables
from blend.schemas.arrow import features
from blend.schemas.configs import model_of
from blend.schemas.errors import InputError
from blend.schemas.manifest import TableInfo
from blend.schemas.text import counted

_FIX = "compare the card's header with release.json, and rebuild the release"
_SHOWN_CHARACTERS = 300


def check_loading(subject: Subject) -> Iterator[Problem]:
    """Splits load with datasets.

    Whole and in streams, with the rows and types that they should have.
    """
    configs: dict[str, list[TableInfo]] = {}
    for table in subject.manifest.tables:
        configs.setdefault(table.config, []).append(table)
    # A cache of its own: another copy of the same release may have been loaded before.
    with _without_progress_bars(), _overheard() as said, TemporaryDirectory(prefix="blend-validate-") as cache:
        for config, tables in configs.items():
            if not all(table in subject.sound for table in tables):  # told by the check of tables
                continue
            try:
                check_tables(subject.path / file for table in tables for file in table.files)
            except InputError as refused:
                yield error(f"load_dataset(…, {config!r})", f"is not tried ({refused})", _FIX)
                continue
            for streaming in (False, True):
                yield from _loaded(subject, config, tables, cache, streaming=streaming)
        for message, times in said.items():
            what = f"datasets warns, {times} times: {message[:_SHOWN_CHARACTERS]}"
            yield warning("load_dataset(…)", what, _FIX)


def _loaded(
    subject: Subject, config: str, tables: Sequence[TableInfo], cache: str, *, streaming: bool
) -> Iterator[Problem]:
    from datasets import load_dataset

    where = f"load_dataset(…, {config!r}{', streaming=True' if streaming else ''})"
    try:
        splits = load_dataset(str(subject.path), config, cache_dir=cache, streaming=streaming)
    # Whatever goes wrong in there, and much can, is what users would meet.
    except Exception as broken:
        yield _failed(where, broken)
        return
    if list(splits) != [table.split for table in tables]:
        what = f"has the splits {', '.join(splits)}, not {', '.join(table.split for table in tables)}"
        yield error(where, what, _FIX)
    for table in tables:
        if table.split in splits:
            yield from _rows(subject, table, splits[table.split], f"{where}[{table.split!r}]")


def _rows(subject: Subject, table: TableInfo, rows: Any, where: str) -> Iterator[Problem]:
    """Number of rows where it is known without reading them all, the first row, and the types."""
    try:
        first = next(iter(rows), None)
    except Exception as broken:
        yield _failed(where, broken)
        return
    if hasattr(rows, "__len__") and len(rows) != table.rows:
        yield error(where, f"has {counted(len(rows), 'row')}, not {table.rows:,}", _FIX)
    if first != _first(subject, table):
        yield error(where, "begins with another row than the file", _FIX)
    yield from _types(table, rows.features, where)


def _types(table: TableInfo, held: Any, where: str) -> Iterator[Problem]:
    expected = features(model_of(table.config))
    if held != expected:
        wrong = sorted(name for name in expected.keys() | held.keys() if held.get(name) != expected.get(name))
        what = f"has other types than the model in {', '.join(wrong)}"
        yield error(where, what, "leave the types out of the card's header, they stand in the files")


def _first(subject: Subject, table: TableInfo) -> dict[str, Any] | None:
    return next((row for batch in subject.read(table) for row in batch.rows.head(1).to_dicts()), None)


def _failed(where: str, broken: Exception) -> Problem:
    said = " ".join(str(broken).split())
    return error(where, f"fails with {type(broken).__name__}: {said[:_SHOWN_CHARACTERS]}", _FIX)


class _Listener(logging.Handler):
    """Counts the warnings that ``datasets`` logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Count a message."""
        self.messages[record.getMessage()] += 1


@contextmanager
def _overheard() -> Iterator[Counter[str]]:
    """What ``datasets`` would print into the users' terminal, counted instead of printed."""
    import datasets.utils.logging as own_logging

    own_logging.get_verbosity()  # sets up the library's handlers, which it otherwise does at its first message
    logger = logging.getLogger("datasets")
    listener = _Listener()
    usual = list(logger.handlers)
    logger.handlers = [listener]
    try:
        yield listener.messages
    finally:
        logger.handlers = usual


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    import datasets

    shown = datasets.is_progress_bar_enabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            datasets.enable_progress_bars()
