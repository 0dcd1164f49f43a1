"""Runs of all rungs: one model asked multiple choice, true or false, regions and short answers in one go."""

import inspect
from pathlib import Path
from typing import Any

from blend.eval.evaluation import run_task
from blend.eval.models.callers_model import OwnModel
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs.run_directory import Run
from blend.eval.task import offered
from blend.eval.tasks.rungs import RUNGS, TrueFalse
from blend.schemas.errors import ArgumentError

_OF_ONE_RUN = {"answers", "batch_out", "batch_in"}
"""Parameters of `run_task` that name files of one run."""

_STYLES = {"letters": "texts", "json": "written"}
"""Styles of questions with letters to those of true or false that are as them."""


def run_rungs(
    release: str | Path, *, model: str | Path | OwnModel | None, out: str | Path, **options: Any
) -> dict[str, Run]:
    """Ask a model every rung; the same call goes on where it was stopped.

    Args:
        release: As of `evaluation.run_task`.
        model: Likewise.
        out: Directory of a run directory for each rung, by the name of its task.
        options: As of `run_task`, and those of the tasks: each is given to the rungs that have it. A ``budget``
            is that of each rung.

    Returns:
        The runs, by task, in the order of `RUNGS`.

    Raises:
        ArgumentError: If no rung has an option, as one that names files of a single run, or one cannot be.
        InputError: If the release lacks a rung; nobody was asked then. Else as of `run_task`.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    of_runs = inspect.signature(run_task).parameters.keys() - _OF_ONE_RUN
    how = {name: given.pop(name) for name in of_runs & given.keys()}
    of_rungs = {rung: {n: given[n] for n in offered(TASKS[rung].options) if n in given} for rung in RUNGS}
    for name in sorted(given.keys() - set().union(*of_rungs.values())):
        raise ArgumentError(f"`{name}`: none of {', '.join(RUNGS)} has such an option; leave it out")
    if (style := given.get("style")) in _STYLES:
        of_rungs[TrueFalse.name]["style"] = _STYLES[style]
    for rung, of_rung in of_rungs.items():
        read_items(release, TASKS[rung], locales=how.get("locales"), limit=how.get("limit"), **of_rung)
    return {
        rung: run_task(release, rung, model=model, out=Path(out) / rung, **how, **of_rung)
        for rung, of_rung in of_rungs.items()
    }
