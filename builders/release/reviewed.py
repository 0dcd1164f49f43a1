"""Judging: the reviewed files behind multiple-choice questions, read and extended."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import polars as pl

from blend.builders.judges import make_judges, shipped_for
from blend.builders.judges.equivalence import Judge
from blend.loaders.responses.decisions import append_decisions, read_decisions
from blend.loaders.responses.exclusions import read_exclusions
from blend.loaders.responses.fillers import read_fillers
from blend.schemas.recipe import McqOptions


def judges_of(mcq: McqOptions, base: Path) -> Sequence[Judge]:
    """The judges of a recipe; what a chat model says is added to the decisions file at once.

    Args:
        mcq: The recipe's options of multiple-choice questions.
        base: Folder to which its paths refer.

    Raises:
        BlendError: If the options or the decisions file are not as they must be.
    """
    options = mcq.judge
    placed = options.model_copy(update={"model": _placed(options.model, base)})
    if options.decisions is None:
        return make_judges(placed, shipped=shipped_for(mcq))
    path = base / options.decisions
    decisions = read_decisions(path, missing_ok=options.kind == "chat")
    record = partial(append_decisions, path)
    return make_judges(placed, decisions=decisions, shipped=shipped_for(mcq), record=record)


def fillers_of(options: McqOptions, base: Path) -> pl.DataFrame | None:
    """The reviewed fillers of a recipe, `frames.FILLERS`, or null when it names none."""
    return None if options.fillers is None else read_fillers(base / options.fillers)


def exclusions_of(options: McqOptions, base: Path) -> pl.DataFrame | None:
    """The exclusions of a recipe, `frames.EXCLUSIONS`, or null when it names none."""
    return None if options.exclusions is None else read_exclusions(base / options.exclusions)


def _placed(model: str | None, base: Path) -> str | None:
    """A model directory beside the recipe by its full path; a name of a model as it is."""
    return str(base / model) if model is not None and (base / model).is_dir() else model
