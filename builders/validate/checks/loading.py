"""Check of loading: what users do first, with the library they do it with."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import Problem, error, warning
from blend.loaders.files.content import check_tables
from blend.schemas.arrow_types import features
from blend.schemas.errors import InputError
from blend.schemas.manifest import TableInfo
from blend.schemas.rows import model_of
from blend.schemas.texts import pluralise

_FIX = "compare the card's header with release.json, and rebuild the release"
_SHOWN_CHARACTERS = 300


def check_loading(release: Release) -> Iterator[Problem]:
    """Splits load with datasets.

    Whole and in streams, with the rows and types that they should have.

    * error: `datasets.load_dataset` fails, whole or streaming, or gives other splits, rows or types; with a
      cache of its own, and without a connection
    * warning: what `datasets` itself warns of
    """
    configs: dict[str, list[TableInfo]] = {}
    for table in release.manifest.tables:
        configs.setdefault(table.config, []).append(table)
    # A cache of its own: another copy of the same release may have been loaded before.
    with (
        _without_progress_bars(),
        _overheard() as stated,
        TemporaryDirectory(prefix="blend-validate-") as cache,
    ):
        for config, tables in configs.items():
            if not all(table in release.valid_tables for table in tables):  # told by the check of tables
                continue
            try:
                check_tables(release.path / file for table in tables for file in table.files)
            except InputError as refused:
                yield error(f"load_dataset(…, {config!r})", f"is not tried ({refused})", _FIX)
                continue
            for streaming in (False, True):
                yield from _loaded(release, config, tables, cache, streaming=streaming)
        for message, times in stated.items():
            what = f"datasets warns, {times} times: {message[:_SHOWN_CHARACTERS]}"
            yield warning("load_dataset(…)", what, _FIX)


def _loaded(
    release: Release, config: str, tables: Sequence[TableInfo], cache: str, *, streaming: bool
) -> Iterator[Problem]:
    from datasets import load_dataset

    where = f"load_dataset(…, {config!r}{', streaming=True' if streaming else ''})"
    try:
        splits = load_dataset(str(release.path), config, cache_dir=cache, streaming=streaming)
    # Whatever goes wrong in there, and much can, is what users would meet.
    except Exception as broken:
        yield _failed(where, broken)
        return
    if list(splits) != [table.split for table in tables]:
        what = f"has the splits {', '.join(splits)}, not {', '.join(table.split for table in tables)}"
        yield error(where, what, _FIX)
    for table in tables:
        if table.split in splits:
            yield from _rows(release, table, splits[table.split], f"{where}[{table.split!r}]")


def _rows(release: Release, table: TableInfo, rows: Any, where: str) -> Iterator[Problem]:
    """Number of rows where it is known without reading them all, the first row, and the types."""
    try:
        first = next(iter(rows), None)
    except Exception as broken:
        yield _failed(where, broken)
        return
    if hasattr(rows, "__len__") and len(rows) != table.rows:
        yield error(where, f"has {pluralise(len(rows), 'row')}, not {table.rows:,}", _FIX)
    if first != _first(release, table):
        yield error(where, "begins with another row than the file", _FIX)
    yield from _types(table, rows.features, where)


def _types(table: TableInfo, held: Any, where: str) -> Iterator[Problem]:
    expected = features(model_of(table.config))
    if held != expected:
        wrong = sorted(name for name in expected.keys() | held.keys() if held.get(name) != expected.get(name))
        what = f"has other types than the model in {', '.join(wrong)}"
        yield error(where, what, "leave the types out of the card's header, they stand in the files")


def _first(release: Release, table: TableInfo) -> dict[str, Any] | None:
    return next((row for batch in release.read(table) for row in batch.rows.head(1).to_dicts()), None)


def _failed(where: str, broken: Exception) -> Problem:
    stated = " ".join(str(broken).split())
    return error(where, f"fails with {type(broken).__name__}: {stated[:_SHOWN_CHARACTERS]}", _FIX)


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
