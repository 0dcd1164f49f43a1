"""The sheet: what a model predicted for some dishes, blind to the model, to the gold and to its order."""

from pathlib import Path

import polars as pl

from blend.eval.items import text_digest
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.triples import TripleTask
from blend.loaders.files.new_files import write_new_sheet
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.sheets import guarded, joined

SHEET = pl.Schema(
    {
        "id": pl.String(),
        "dish": pl.String(),
        "image": pl.String(),
        "ingredients": pl.List(pl.String()),
        "correct_ingredients": pl.String(),
        "comment": pl.String(),
    }
)
"""One row per dish: an id that names no model, its name, the address of a picture (null where there is none),
what the model predicts, in an order that says nothing; and, to be filled in, what of it is correct, and a
comment."""

SHOWN = 5
"""Predictions of a dish in a sheet."""

_ID_DIGITS = 12


def predictions(run: ScoredRun) -> pl.DataFrame:
    """Every item of a run with its predictions.

    Returns:
        The decisions with ``id``, ``dish``, ``image`` and ``ingredients``: the best `SHOWN` candidates or the
        entries of a list, ordered by a digest.

    Raises:
        InputError: If the task has no predictions to judge, or the run is not scored.
    """
    if not isinstance(run.task, TripleTask):
        raise InputError(
            f"{run.run.directory}: the task {run.task.name} has no predictions to judge; name a run of a task "
            "about triples"
        )
    column = run.task.terms.predicted
    gold = run.run.gold("item_id", "label", "image")
    rows = run.decisions().join(gold, on="item_id", how="left", maintain_order="left")
    listed = [
        sorted(dict.fromkeys(texts[:SHOWN]), key=lambda text: text_digest(f"{item}|{text}"))
        for item, texts in rows.select("item_id", column).iter_rows()
    ]
    ids = [
        text_digest("|".join([item, *texts]))[:_ID_DIGITS]
        for item, texts in zip(rows["item_id"], listed, strict=True)
    ]
    return rows.rename({"label": "dish"}).with_columns(
        pl.Series("id", ids, pl.String), pl.Series("ingredients", listed, pl.List(pl.String))
    )


def make_sheet(run: ScoredRun, *, sample: int, language: str | None = None, seed: int = 0) -> pl.DataFrame:
    """A sheet of some dishes.

    Args:
        run: A scored run of a task about triples.
        sample: Dishes, at most; each with one of its prompts. A digest chooses both.
        language: Language of the dishes' names; that of the first item when absent, since one person judges
            one.
        seed: Another seed chooses others.

    Returns:
        `SHEET`, by id. Dishes of which the model predicted nothing are left out.

    Raises:
        InputError: If nothing is left.
        UnknownNameError: If the run did not ask in the language; lists those in which it did.
    """
    every = predictions(run)
    held = every["language"].unique(maintain_order=True).to_list()
    if language is not None and language not in held:
        raise UnknownNameError("language of the run", language, held)
    rows = every.filter(
        (pl.col("language") == (language or (held[0] if held else ""))) & (pl.col("ingredients").list.len() > 0)
    )
    if rows.is_empty():
        raise InputError(f"{run.run.directory}: the model predicted nothing, so there is nothing to judge")
    chosen = pl.Series([text_digest(f"{seed}|{item}") for item in rows["item_id"]])
    return (
        rows.with_columns(
            chosen=chosen, correct_ingredients=pl.lit(None, pl.String), comment=pl.lit(None, pl.String)
        )
        .sort("chosen")
        .unique("qid", keep="first", maintain_order=True)
        .head(sample)
        .sort("id")
        .select(list(SHEET))
    )


def write_sheet(sheet: pl.DataFrame, path: Path) -> None:
    """Write a sheet for people to fill in; see `files.new_files.write_new_sheet`.

    Raises:
        InputError, StorageError: As `files.new_files.write_new_sheet`.
    """
    cells = sheet.with_columns(
        pl.Series("ingredients", [joined(texts) for texts in sheet["ingredients"].to_list()], pl.String)
    )
    texts = pl.col("dish", "ingredients").map_elements(guarded, return_dtype=pl.String, skip_nulls=True)
    write_new_sheet(path, cells.with_columns(texts))
