"""Rung questions: what natives are asked of the rungs of a release, to see how well people answer them."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blend.builders.digests import digest
from blend.loaders.releases.references import resolve_release
from blend.loaders.releases.tables import read_config
from blend.schemas.prompts.rung_prompts import TRUE_FALSE_PROMPT
from blend.schemas.rows.configs import MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS
from blend.schemas.rows.published_rows import LETTERS
from blend.schemas.rows.rung_rows import YesNo


def rung_questions(release: str | Path) -> pl.DataFrame:
    """The questions of the rungs that people choose an answer to, one of each template and locale.

    Each template is dealt to one of the rungs that hold it, by its digest, so that no rung gives away what
    another one asks.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub.

    Returns:
        ``id`` (task and item, ``true-false/ID``), ``locale`` whose people are asked, ``template_id``,
        ``question``, ``options`` and ``replies``, what a model would say for each option; in an order that says
        nothing, so that the options of a question, of which one is true, are apart.

    Raises:
        UnknownNameError: If the release lacks a rung.
        BlendError: If it cannot be read.
    """
    folder, words = resolve_release(release), [word.value for word in YesNo]
    choices, options = (
        read_config(folder, config) for config in (MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS)
    )
    request = TRUE_FALSE_PROMPT.rpartition("?")[2]
    options = options.with_columns(
        question=pl.col("prompt").str.strip_suffix(request), options=pl.lit(pl.Series([words])).first()
    )
    rungs = pl.concat(
        [
            _rung(choices, "multiple-choice", "mcq_id", LETTERS),
            _rung(options, "true-false", "true_false_id", words),
        ]
    )
    held = rungs.group_by("template_id").agg(pl.col("task").unique().sort())
    dealt = [(name, tasks[digest(name) % len(tasks)]) for name, tasks in held.iter_rows()]
    found = rungs.join(pl.DataFrame(dealt, ["template_id", "task"], orient="row"), on=["template_id", "task"])
    return found.drop("task").sort(pl.Series([digest(name) for name in found["id"]], dtype=pl.UInt64))


def _rung(rows: pl.DataFrame, task: str, key: str, replies: Sequence[str]) -> pl.DataFrame:
    """The questions of one rung: of each template and locale the first."""
    return rows.filter(pl.col("mcq_id") == pl.col("mcq_id").min().over("template_id", "locale")).select(
        *("locale", "template_id", "question"),
        task=pl.lit(task),
        id=pl.format("{}/{}", pl.lit(task), key),
        options=pl.col("options").cast(pl.List(pl.String)),
        replies=pl.lit(pl.Series([list(replies)])).first(),
    )
