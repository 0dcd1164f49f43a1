"""Check of true or false: its rows are of the options of the multiple-choice questions."""

from collections.abc import Iterator

import polars as pl

from blend.builders.mcq.true_false import true_false_rows
from blend.builders.validate.checked_release import Batch, Release
from blend.builders.validate.report import REBUILD, Problem, error
from blend.schemas.arrow_types import published_names
from blend.schemas.frames import MCQ_ROWS
from blend.schemas.rows import (
    LETTERS,
    MULTIPLE_CHOICE_QUESTIONS,
    TRUE_FALSE_QUESTIONS,
    key_of,
    model_of,
)


def check_rungs(release: Release) -> Iterator[Problem]:
    """Rungs are of the multiple-choice questions.

    Each row is what its multiple-choice question makes it.

    * error: a row is of no question, or has other texts or another answer than its question makes; an option
      has no true-false row, where others of its question have one
    """
    mcqs, locales = _questions(release), release.locales
    options, read = set[str](), set[str]()
    for batch in release.batches(TRUE_FALSE_QUESTIONS):
        rows = _named(batch)
        made = true_false_rows(mcqs.join(rows, on="mcq_id", how="semi"), locales)
        yield from _differing(batch, rows, made)
        options.update(made["true_false_id"])
        read.update(rows["true_false_id"])
    if missing := options - read:
        what = f"{len(missing):,} options have no row beside others of their question, such as {min(missing)}"
        yield error(TRUE_FALSE_QUESTIONS, what, REBUILD)


def _questions(release: Release) -> pl.DataFrame:
    """The multiple-choice questions, `MCQ_ROWS`, of which rungs can be made; other checks tell of the rest."""
    parts = [_named(batch) for batch in release.batches(MULTIPLE_CHOICE_QUESTIONS)]
    return pl.concat([pl.DataFrame(schema=MCQ_ROWS), *parts]).filter(
        pl.all_horizontal(pl.col("options", "option_regions").list.len() == len(LETTERS)),
        pl.col("locale").is_in(release.locales.tags),
        pl.col("answer").is_between(0, len(LETTERS) - 1),
    )


def _named(batch: Batch) -> pl.DataFrame:
    """The rows with columns named by the fields of their model."""
    return batch.rows.rename(
        {alias: name for name, alias in published_names(model_of(batch.table.config)).items()}
    )


def _differing(batch: Batch, rows: pl.DataFrame, made: pl.DataFrame) -> Iterator[Problem]:
    """The rows that are not among those that the multiple-choice questions make."""
    key = key_of(batch.table.config)
    expected = {(row["mcq_id"], row[key]): row for row in made.iter_rows(named=True)}
    for row in rows.iter_rows(named=True):
        of_question = expected.get((row["mcq_id"], row[key]))
        if of_question is None:
            what = f"is of no option of multiple-choice question {row['mcq_id']}"
        elif names := [name for name, value in row.items() if value != of_question[name]]:
            what = f"{', '.join(names)} not as multiple-choice question {row['mcq_id']} makes them"
        else:
            continue
        yield error(batch.location(row[key]), what, REBUILD)
