"""Checks of the tables: digests, columns, rows against their model, and their ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from blend.builders.validate.checked_release import Release, TableContent, id_column, is_known
from blend.builders.validate.report import CORRECT_AND_REBUILD, REBUILD, Problem, error
from blend.loaders.files.content import check_tables as check_memory
from blend.schemas.arrow_types import arrow_schema, features
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.manifest import MANIFEST_NAME, TableInfo
from blend.schemas.models import field_errors
from blend.schemas.rows import CONFIGS, model_of
from blend.schemas.texts import pluralise

_SHOWN_CHARACTERS = 60


def check_tables(release: Release) -> Iterator[Problem]:
    """Tables have their rows and columns.

    Number of rows, digests and columns are those of release.json, and columns those of the model.

    * error: a table cannot be read, or has other rows, digests or columns; text is not UTF-8
    """
    names = Counter((table.config, table.split) for table in release.manifest.tables)
    for (config, split), times in names.items():
        if times > 1:
            yield error(MANIFEST_NAME, f"table {config}/{split} is listed {times} times", REBUILD)
    for table in release.manifest.tables:
        content = release.contents[table.config, table.split]
        location = f"{table.config}/{table.split}"
        if isinstance(content, str):
            yield error(location, f"{content}, its rows are not checked", "copy or build the release again")
            continue
        if len(content.rows) != table.rows:
            what = f"{pluralise(len(content.rows), 'row')}, {MANIFEST_NAME} says {table.rows:,}"
            yield error(location, what, REBUILD)
        for kind, held, stated in (
            ("rows", content.content_sha256, table.content_sha256),
            ("columns", content.schema_sha256, table.schema_sha256),
        ):
            if held != stated:
                what = f"the digest of the {kind} is {held[:12]}…, {MANIFEST_NAME} says {stated[:12]}…"
                yield error(location, what, REBUILD)
        yield from _columns(table, content, location)


def check_rows(release: Release) -> Iterator[Problem]:
    """Rows are what their model says.

    Only rows that are go on to the checks below that compare columns and tables.

    * error: a row is not what its model says (`blend schema`)
    """
    for invalid in release.invalid_rows.values():
        for location, row_id, broken in invalid:
            for one in field_errors(broken):
                value = repr(one.value)
                shown = value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…"
                # The models' own sentences name the row again.
                what = (
                    one.message.removeprefix(f"{row_id}: ")
                    if one.is_ours
                    else f"column {one.location}: {one.given(shown)}"
                )
                yield error(location, what, CORRECT_AND_REBUILD)


def check_ids(release: Release) -> Iterator[Problem]:
    """Ids are unique in their split.

    * error: an id occurs twice in a split
    """
    for table, rows in release.tables.items():
        again = rows.filter(~pl.col(id_column(table.config)).is_first_distinct())
        for location in again["location"]:
            yield error(location, "an earlier row of the split has the same id", CORRECT_AND_REBUILD)


def _columns(table: TableInfo, content: TableContent, location: str) -> Iterator[Problem]:
    if not is_known(table.config):
        known = ", ".join(CONFIGS)
        what = f"unknown configuration {table.config!r}, its rows are not checked; known are {known}"
        yield error(location, what, f"validate with the version of {DISTRIBUTION} that built the release")
        return
    expected = {field.name: str(field.type) for field in arrow_schema(model_of(table.config))}
    held = {field.name: str(field.type) for field in content.schema}
    if list(held.items()) == list(expected.items()):
        return
    wrong = [f"{name} is missing" for name in expected if name not in held]
    wrong += [f"{name} is unknown" for name in held if name not in expected]
    wrong += [
        f"{name} is {held[name]}, not {dtype}"
        for name, dtype in expected.items()
        if name in held and held[name] != dtype
    ]
    what = f"columns are not those of the model, rows are not checked: {', '.join(wrong) or 'other order'}"
    yield error(location, what, REBUILD)


# Check of loading: what users do first, with the library they do it with.


_FIX = "compare the card's header with release.json, and rebuild the release"
_SHOWN_OF_ERRORS = 300


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
                check_memory(release.path / file for table in tables for file in table.files)
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
        yield error(where, f"fails with {type(broken).__name__}: {stated[:_SHOWN_OF_ERRORS]}", _FIX)
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
