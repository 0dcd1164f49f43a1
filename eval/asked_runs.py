"""Runs with the items that they asked, made from the release anew; and what their user hears meanwhile."""

import dataclasses
import inspect
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from blend.eval.items import TaskItems, text_digest
from blend.eval.registry import task_of
from blend.eval.release_items import location_of, read_items
from blend.eval.runs.run_description import RunDescription, read_description
from blend.eval.runs.run_directory import ITEMS_NAME, Run, RunOutcome, change_description, kept_items
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.schemas.errors import BlendWarning, InputError


def read_run(directory: str | Path, *, release: str | Path | None = None) -> Run:
    """The run in a directory, complete or not, for reading.

    Args:
        directory: A run directory.
        release: Where the release lies now that was asked; as the run says when absent. The run then knows it.

    Raises:
        InputError: If the directory holds no run that this version reads.
    """
    folder = Path(directory)
    description = read_description(folder)
    if (folder / ITEMS_NAME).exists():
        return Run(folder, description, cache(lambda: kept_items(folder, description)))
    run = Run(folder, description, cache(lambda: _made_anew(folder, description)))
    if release is None:
        return run
    moved = description.release.model_copy(update={"location": location_of(release)})
    found = description.model_copy(update={"release": moved})
    asked = cache(lambda: _made_anew(folder, found))
    asked()
    return Run(folder, change_description(run, release=moved).description, asked)


def _made_anew(directory: Path, run: RunDescription) -> TaskItems:
    """The items of a run, from its release.

    Raises:
        BlendError: If the release is not there, or not as it was, or gives other items to this version.
    """
    location = run.release.location
    assert location is not None
    elsewhere = "say where it lies now: `blend eval score RUN --release DIR`"
    try:
        found = read_items(location, task_of(run.task), in_parts=True, **run.options)
    except InputError as error:
        raise InputError(f"{directory}: its questions come from the release: {error}; {elsewhere}") from error
    there = found.release
    if there.tables != run.release.tables:
        raise InputError(
            f"{directory}: the run asked {run.release.name} {run.release.version}, and {location} holds "
            f"{there.name} {there.version} with other tables; {elsewhere}"
        )
    prompts = {name: text_digest(text) for name, text in found.asked.prompts.items()}
    if found.asked.n_items != run.n_items or prompts != run.prompts:
        raise InputError(
            f"{directory}: was asked by version {run.sdk_version}, which put the questions otherwise; score it "
            "with that version, or run again into another directory"
        )
    return found.asked


_PACKAGE = f"{Path(__file__).parent}/"


def warn(notice: str) -> None:
    """Say it as Python says warnings, at the line that called this package."""
    outside = (n for n, one in enumerate(inspect.stack(), 1) if not one.filename.startswith(_PACKAGE))
    warnings.warn(notice, BlendWarning, stacklevel=next(outside, 1))


def announced(run: Run, outcome: RunOutcome, before: Sequence[str] = ()) -> Run:
    """The run with its outcome, whose warnings somebody has heard."""
    for warning in outcome.warnings:
        warn(warning)
    return dataclasses.replace(run, outcome=outcome._replace(warnings=(*before, *outcome.warnings)))


def watched(on_progress: ProgressCallback | None, *, unit: str) -> AbstractContextManager[Any]:
    """Who hears of progress: whom the caller names, or else a bar where somebody watches."""
    return progress_if_watched(unit=unit) if on_progress is None else nullcontext(on_progress)
