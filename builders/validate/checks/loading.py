"""Check of loading: what users do first, with the library they do it with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from blend.builders.validate.checked_release import Release
from blend.builders.validate.report import Problem, error
from blend.loaders.files.content import check_tables
from blend.schemas.arrow_types import features
from blend.schemas.errors import InputError
from blend.schemas.manifest import TableInfo
from blend.schemas.rows import model_of

_FIX = "compare the card's header with release.json, and rebuild the release"
_SHOWN_CHARACTERS = 300


def check_loading(release: Release) -> Iterator[Problem]:
    """Splits load with datasets.

    Whole and in streams, with the rows and types that they should have.

    * error: `datasets.load_dataset` fails, whole or streaming, or gives other splits, rows or types; with a
      cache of its own, and without a connection
    """
    configs: dict[str, list[TableInfo]] = {}
    for table in release.manifest.tables:
        configs.setdefault(table.config, []).append(table)
    # A cache of its own: another copy of the same release may have been loaded before.
    with _without_progress_bars(), TemporaryDirectory(prefix="blend-validate-") as cache:
        for config, tables in configs.items():
            if not all(table in release.tables for table in tables):  # told by the check of tables
                continue
            try:
                check_tables(release.path / file for table in tables for file in table.files)
            except InputError as refused:
                yield error(f"load_dataset(…, {config!r})", f"is not tried ({refused})", _FIX)
                continue
            for streaming in (False, True):
                yield from _loaded(release, config, tables, cache, streaming=streaming)


def _loaded(
    release: Release, config: str, tables: Sequence[TableInfo], cache: str, *, streaming: bool
) -> Iterator[Problem]:
    from datasets import load_dataset

    where = f"load_dataset(…, {config!r}{', streaming=True' if streaming else ''})"
    # Whatever goes wrong in there, and much can, is what users would meet.
    try:
        splits = load_dataset(str(release.path), config, cache_dir=cache, streaming=streaming)
        first_rows = {name: next(iter(rows), None) for name, rows in splits.items()}
    except Exception as broken:
        stated = " ".join(str(broken).split())
        yield error(where, f"fails with {type(broken).__name__}: {stated[:_SHOWN_CHARACTERS]}", _FIX)
        return
    expected = [table.split for table in tables]
    if list(splits) != expected:
        yield error(where, f"has the splits {', '.join(splits)}, not {', '.join(expected)}", _FIX)
    for table in tables:
        if table.split in splits:
            location = f"{where}[{table.split!r}]"
            yield from _rows(table, release.tables[table], splits[table.split], location)
            first = next(iter(release.tables[table].drop("location").head(1).to_dicts()), None)
            if first_rows[table.split] != first:
                yield error(location, "begins with another row than the file", _FIX)


def _rows(table: TableInfo, held: pl.DataFrame, rows: Any, where: str) -> Iterator[Problem]:
    """Number of rows where it is known without reading them all, and the types."""
    if hasattr(rows, "__len__") and len(rows) != len(held):
        yield error(where, f"has {len(rows):,} rows, not {len(held):,}", _FIX)
    expected = features(model_of(table.config))
    if rows.features != expected:
        names = expected.keys() | rows.features.keys()
        wrong = sorted(name for name in names if rows.features.get(name) != expected.get(name))
        what = f"has other types than the model in {', '.join(wrong)}"
        yield error(where, what, "leave the types out of the card's header, they stand in the files")


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    """Keep the progress bars of ``datasets`` from the terminal inside the block."""
    import datasets

    shown = datasets.is_progress_bar_enabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            datasets.enable_progress_bars()
