"""Checks of the tables: digests, columns, rows against their model, and the split that rows stand in."""

from collections import Counter
from collections.abc import Iterator

import polars as pl
from pydantic import ValidationError

from blend.builders.validate.report import CORRECT_AND_REBUILD, REBUILD, Problem, error, info
from blend.builders.validate.subject import Subject, Survey, id_column, is_known
from blend.schemas.arrow import arrow_schema
from blend.schemas.configs import CONFIGS, MULTIPLE_CHOICE_QUESTIONS, QUESTION_CONFIGS, model_of
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.fitting import doubtful
from blend.schemas.layout import MANIFEST_NAME
from blend.schemas.manifest import TableInfo
from blend.schemas.misfits import Misfit, misfits
from blend.schemas.text import counted

_SHOWN_CHARACTERS = 60


def check_tables(subject: Subject) -> Iterator[Problem]:
    """Tables have their rows and columns.

    Number of rows, digests and columns are those of release.json, and columns those of the model.
    """
    names = Counter((table.config, table.split) for table in subject.manifest.tables)
    for (config, split), times in names.items():
        if times > 1:
            yield error(MANIFEST_NAME, f"table {config}/{split} is listed {times} times", REBUILD)
    for table in subject.manifest.tables:
        survey = subject.surveys[table.config, table.split]
        place = f"{table.config}/{table.split}"
        if isinstance(survey, str):
            yield error(place, f"{survey}, its rows are not checked", "copy or build the release again")
        else:
            yield from _digests(table, survey, place)
            yield from _columns(table, survey, place)


def check_rows(subject: Subject) -> Iterator[Problem]:
    """Rows are what their model says."""
    for batch in subject.doubtful("rows"):
        model = model_of(batch.table.config)
        name = id_column(batch.table.config)
        for row in doubtful(batch.rows, model).iter_rows(named=True):
            try:
                model.model_validate(row)
            except ValidationError as broken:
                for misfit in misfits(broken):
                    yield _row_problem(misfit, batch.place(row[name]), row[name])


def check_splits(subject: Subject) -> Iterator[Problem]:
    """Rows stand in their locale's split."""
    unknown: Counter[str] = Counter()
    for batch in subject.batches(*QUESTION_CONFIGS, columns=["locale", "language"]):
        unknown.update(tag for tag in batch.rows["locale"] if tag not in subject.locales)
        locale = subject.locale_of(batch.table)
        if batch.table.config == MULTIPLE_CHOICE_QUESTIONS or locale is None:
            continue
        misplaced = batch.rows.filter(
            pl.col("locale").ne_missing(locale.tag) | pl.col("language").ne_missing(locale.language)
        )
        for row in misplaced.iter_rows(named=True):
            what = (
                f"{row['locale']} in language {row['language']!r} stands in split {batch.table.split}, "
                f"which is that of {locale.tag} in {locale.language!r}"
            )
            yield error(batch.place(row[id_column(batch.table.config)]), what, REBUILD)
    for tag, rows in sorted(unknown.items()):
        what = f"{tag} is in no registry: script and regions of its {counted(rows, 'row')} are not checked"
        yield info(MANIFEST_NAME, what, "give the locales that the release was built with")


def _digests(table: TableInfo, survey: Survey, place: str) -> Iterator[Problem]:
    if survey.rows != table.rows:
        what = f"{counted(survey.rows, 'row')}, {MANIFEST_NAME} says {table.rows:,}"
        yield error(place, what, REBUILD)
    for kind, held, said in (
        ("rows", survey.content_sha256, table.content_sha256),
        ("columns", survey.schema_sha256, table.schema_sha256),
    ):
        if held != said:
            what = f"the digest of the {kind} is {held[:12]}…, {MANIFEST_NAME} says {said[:12]}…"
            yield error(place, what, REBUILD)


def _columns(table: TableInfo, survey: Survey, place: str) -> Iterator[Problem]:
    if not is_known(table.config):
        known = ", ".join(CONFIGS)
        what = f"unknown configuration {table.config!r}, its rows are not checked; known are {known}"
        yield error(place, what, f"validate with the version of {DISTRIBUTION} that built the release")
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
    yield error(place, what, REBUILD)


def _row_problem(misfit: Misfit, where: str, row_id: str) -> Problem:
    if misfit.is_ours:  # the models' own sentences, which name the row again
        return error(where, misfit.message.removeprefix(f"{row_id}: "), CORRECT_AND_REBUILD)
    value = repr(misfit.value)
    shown = value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…"
    return error(where, f"column {misfit.place}: {misfit.given(shown)}", CORRECT_AND_REBUILD)
