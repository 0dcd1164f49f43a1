"""Making runs: of what a model answers, or of answers that a file holds."""

import dataclasses
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from blend.eval.asking import ask, items_for
from blend.eval.asking_parameters import HowAsked, given, refuse
from blend.eval.models.callers_model import OwnModel
from blend.eval.models.thoughts import likely_marks
from blend.eval.release_items import read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import keep_recorded
from blend.eval.runs.prediction_files import is_predictions, read_predictions
from blend.eval.runs.recorded_answers import read_recorded
from blend.eval.runs.run_directory import Run, RunOutcome, read_run
from blend.eval.runs.usage import OnPlan, read_usage
from blend.eval.task import Task
from blend.loaders.files.content import gunzipped
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.schemas.errors import ArgumentError

_PACKAGE = f"{Path(__file__).parent}/"


def run_of_answers(
    release: str | Path,
    task: Task,
    answers: Path,
    out: Path,
    *,
    model: str | None,
    encoding: str | None,
    how: HowAsked,
    options: Mapping[str, Any],
    warn: Callable[[str], None],
) -> Run:
    """Make a run of the answers in a file: of the task's own kind of table, or of answers to items.

    A file that ends in ``.gz`` is unpacked first.
    """
    with gunzipped(answers) as unpacked:
        return _run_of_answers(
            release, task, unpacked, out, model=model, encoding=encoding, how=how, options=options, warn=warn
        )


def _run_of_answers(
    release: str | Path,
    task: Task,
    answers: Path,
    out: Path,
    *,
    model: str | None,
    encoding: str | None,
    how: HowAsked,
    options: Mapping[str, Any],
    warn: Callable[[str], None],
) -> Run:
    if task.takes_table(answers, encoding=encoding):
        of_items = {name: value for name, value in options.items() if name not in ("locales", "limit")}
        of_texts = {"thought_marks": how.thought_marks or None}
        refuse({**how.named(), **of_items, **of_texts}, "where a model is asked, and a table asks nobody")
        kept = task.run_of_table(answers, out, model=model, encoding=encoding)
        return with_outcome(read_run(out), kept, (), warn)
    asked = read_items(release, task, **{**task.of_texts, **given(**options)})
    for warning in asked.asked.warnings:
        warn(warning)
    refuse(how.named(), "where a model is asked, and `answers` asks nobody")
    if asked.asked.kind == "candidates":
        raise ArgumentError(
            "`answers` holds texts, and this task keeps scores of candidates; name a `model` without them"
        )
    form = task.predictions()
    if form is None or not is_predictions(answers, form, asked.asked):
        recorded = read_recorded(answers, asked.asked, model=model, encoding=encoding)
    elif encoding is not None:
        raise ArgumentError("`encoding` makes no sense for a file of predictions, which is UTF-8; leave it out")
    else:
        recorded = read_predictions(answers, asked.asked, form, model=model)
    warnings = tuple(f"{answers.name}: {warning}" for warning in recorded.warnings)
    marks = how.thought_marks or None
    likely = likely_marks(recorded.answers["text"].drop_nulls().to_list(), marks or ())
    if likely is not None:
        warning = (
            f"{answers.name}: nearly all responses open with {' … '.join(likely)}, which is scored as part of "
            "them; if these are thoughts, name the pair (`thought_marks`)"
        )
        warnings += (warning,)
    with opened(out, asked, recorded.description, None, thought_marks=marks) as run:
        outcome = keep_recorded(run, recorded)._replace(warnings=warnings)
    return with_outcome(run, outcome, asked.asked.warnings, warn)


def run_of_model(
    release: str | Path,
    task: Task,
    model: str | Path | OwnModel | None,
    out: Path,
    *,
    how: HowAsked,
    options: Mapping[str, Any],
    on_plan: OnPlan | None,
    on_progress: ProgressCallback | None,
    warn: Callable[[str], None],
) -> Run:
    """Make a run of what a model answers."""
    asked, warnings = items_for(release, task, model, how, options)
    for warning in warnings:
        warn(warning)
    if model is None:
        raise ArgumentError("nobody to ask: name a `model`, or a file of recorded `answers`")
    shown = progress_if_watched(unit="questions") if on_progress is None else nullcontext(on_progress)
    with shown as heard:
        run, outcome = ask(asked, model, out, how, heard, on_plan)
    return with_outcome(run, outcome._replace(usage=read_usage(run)), warnings, warn)


def with_outcome(run: Run, outcome: RunOutcome, before: Sequence[str], warn: Callable[[str], None]) -> Run:
    """The run with its outcome, whose warnings somebody has heard."""
    for warning in outcome.warnings:
        warn(warning)
    return dataclasses.replace(run, outcome=outcome._replace(warnings=(*before, *outcome.warnings)))


def warn_caller(warning: str) -> None:
    """Say it as Python says warnings, at the line that called this package."""
    outside = (n for n, one in enumerate(inspect.stack(), 1) if not one.filename.startswith(_PACKAGE))
    depth = next(outside, 1)
    warnings.warn(warning, stacklevel=depth)
