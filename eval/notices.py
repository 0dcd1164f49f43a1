"""Notices: what a user should know about what was done all the same, and how far it is."""

import dataclasses
import inspect
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from blend.eval.runs.run_directory import Run, RunOutcome
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.schemas.errors import BlendWarning

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
