"""Checks of the tables: digests, columns, rows against their model, and their ids."""

from collections import Counter
from collections.abc import Iterator

import polars as pl

from blend.builders.validate.checked_release import Release, TableContent, id_column, is_known
from blend.builders.validate.report import CORRECT_AND_REBUILD, REBUILD, Problem, error
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.errors import DISTRIBUTION
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
