"""Checks of the tables: digests, columns, rows against their model, their ids and the split they stand in."""

from collections import Counter
from collections.abc import Iterator

import polars as pl
from pydantic import ValidationError

from blend.builders.validate.checked_release import Release, Survey, id_column, is_known
from blend.builders.validate.report import CORRECT_AND_REBUILD, REBUILD, Problem, error, info
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.errors import DISTRIBUTION
from blend.schemas.manifest import MANIFEST_NAME, TableInfo
from blend.schemas.models import FieldError, field_errors
from blend.schemas.rows import CONFIGS, MULTIPLE_CHOICE_CONFIGS, QUESTION_CONFIGS, model_of
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
        survey = release.surveys[table.config, table.split]
        location = f"{table.config}/{table.split}"
        if isinstance(survey, str):
            yield error(location, f"{survey}, its rows are not checked", "copy or build the release again")
        else:
            yield from _digests(table, survey, location)
            yield from _columns(table, survey, location)


def check_rows(release: Release) -> Iterator[Problem]:
    """Rows are what their model says.

    * error: a row is not what its model says (`blend schema`)
    """
    for batch in release.batches():
        model, name = model_of(batch.table.config), id_column(batch.table.config)
        for row in batch.rows.iter_rows(named=True):
            try:
                model.model_validate(row)
            except ValidationError as broken:
                for field_error in field_errors(broken):
                    yield _row_problem(field_error, batch.location(row[name]), row[name])


def check_ids(release: Release) -> Iterator[Problem]:
    """Ids are unique in their split.

    * error: an id occurs twice in a split
    """
    for table in release.valid_tables:
        first: dict[str, str] = {}
        for batch in release.read(table, []):
            for row_id in batch.rows[id_column(table.config)]:
                if row_id in first:
                    what = f"the id occurs again; first in {first[row_id]}"
                    yield error(batch.location(row_id), what, CORRECT_AND_REBUILD)
                first.setdefault(row_id, batch.file)


def check_splits(release: Release) -> Iterator[Problem]:
    """Rows stand in their locale's split.

    * error: a row's locale or language is not that of its split
    * info: locales that are in no registry, whose script and regions are not checked
    """
    unknown: Counter[str] = Counter()
    for batch in release.batches(*QUESTION_CONFIGS, columns=["locale", "language"]):
        unknown.update(tag for tag in batch.rows["locale"] if tag not in release.locales)
        locale = release.locale_of(batch.table)
        if batch.table.config in MULTIPLE_CHOICE_CONFIGS or locale is None:
            continue
        misplaced = batch.rows.filter(
            pl.col("locale").ne_missing(locale.tag) | pl.col("language").ne_missing(locale.language)
        )
        for row in misplaced.iter_rows(named=True):
            what = (
                f"{row['locale']} in language {row['language']!r} stands in split {batch.table.split}, "
                f"which is that of {locale.tag} in {locale.language!r}"
            )
            yield error(batch.location(row[id_column(batch.table.config)]), what, REBUILD)
    for tag, rows in sorted(unknown.items()):
        what = f"{tag} is in no registry: script and regions of its {pluralise(rows, 'row')} are not checked"
        yield info(MANIFEST_NAME, what, "give the locales that the release was built with")


def _digests(table: TableInfo, survey: Survey, location: str) -> Iterator[Problem]:
    if survey.rows != table.rows:
        what = f"{pluralise(survey.rows, 'row')}, {MANIFEST_NAME} says {table.rows:,}"
        yield error(location, what, REBUILD)
    for kind, held, stated in (
        ("rows", survey.content_sha256, table.content_sha256),
        ("columns", survey.schema_sha256, table.schema_sha256),
    ):
        if held != stated:
            what = f"the digest of the {kind} is {held[:12]}…, {MANIFEST_NAME} says {stated[:12]}…"
            yield error(location, what, REBUILD)


def _columns(table: TableInfo, survey: Survey, location: str) -> Iterator[Problem]:
    if not is_known(table.config):
        known = ", ".join(CONFIGS)
        what = f"unknown configuration {table.config!r}, its rows are not checked; known are {known}"
        yield error(location, what, f"validate with the version of {DISTRIBUTION} that built the release")
        return
    expected = {field.name: str(field.type) for field in arrow_schema(model_of(table.config))}
    held = {field.name: str(field.type) for field in survey.schema}
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


def _row_problem(field_error: FieldError, where: str, row_id: str) -> Problem:
    if field_error.is_ours:  # the models' own sentences, which name the row again
        return error(where, field_error.message.removeprefix(f"{row_id}: "), CORRECT_AND_REBUILD)
    value = repr(field_error.value)
    shown = value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…"
    return error(where, f"column {field_error.location}: {field_error.given(shown)}", CORRECT_AND_REBUILD)
