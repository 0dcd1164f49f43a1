"""Runs of recorded answers: a file of what another tool's model answered becomes a run that can be scored."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blend.eval.asked_runs import read_run
from blend.eval.asking import refuse
from blend.eval.models.chosen import Asking, Decoding, Recorded
from blend.eval.prediction_files import is_predictions, read_predictions
from blend.eval.release_items import read_items
from blend.eval.runs.answer_logs import style_of
from blend.eval.runs.answers import write_answers
from blend.eval.runs.ask_model import outcome_of
from blend.eval.runs.recorded_answers import read_recorded
from blend.eval.runs.run_directory import Run, RunOutcome, opened
from blend.eval.task import Task
from blend.loaders.files.content import gunzipped
from blend.schemas.errors import ArgumentError

_ASKED_ONLY = ("max_tokens", "temperature", "seed", "system", "thinking")


def keep_recorded(
    release: str | Path,
    task: Task,
    given: Recorded,
    out: Path,
    decoding: Decoding,
    asking: Asking,
    options: Mapping[str, Any],
) -> tuple[Run, RunOutcome]:
    """Make a run of the answers in a file: of the task's own kind of table, or of answers to items.

    A file that ends in ``.gz`` is unpacked first.
    """
    of_models = decoding.given(*_ASKED_ONLY) | {"plan": asking.on_plan and True}
    of_models |= asking.given("batch_out", "batch_in", "budget", "shard", "price")
    refuse(of_models, "where a model is asked, and recorded answers ask nobody")
    with gunzipped(given.path) as answers:
        if task.takes_table(answers):
            refuse(options, "for answers to items, and this is a table of texts")
            kept = task.run_of_table(answers, out, model=given.name)
            return read_run(out), kept
        given = given.model_copy(update={"path": answers})
        return _keep_answers(release, task, given, out, options)


def _keep_answers(
    release: str | Path, task: Task, given: Recorded, out: Path, options: Mapping[str, Any]
) -> tuple[Run, RunOutcome]:
    stated = {name: value for name, value in options.items() if value is not None}
    style = style_of(given.path)
    of_log = {"style": style} if style is not None and "style" in task.of_texts else {}
    asked = read_items(release, task, **{**task.of_texts, **of_log, **stated})
    if asked.asked.kind == "candidates":
        raise ArgumentError(
            "recorded answers are texts, and this task keeps scores of candidates; name a `model` without them"
        )
    path, form = given.path, task.predictions()
    if form is None or not is_predictions(path, form, asked.asked):
        recorded = read_recorded(path, asked.asked, model=given.name)
    else:
        recorded = read_predictions(path, asked.asked, form, model=given.name)
    warnings = (*asked.asked.warnings, *(f"{path.name}: {warning}" for warning in recorded.warnings))
    with opened(out, asked, recorded.description, None) as run:
        write_answers(run.answers_folder / "main.jsonl", recorded.answers)
        outcome = outcome_of(run, n_asked=0)
        return run, outcome._replace(warnings=(*warnings, *outcome.warnings), usage=None)
