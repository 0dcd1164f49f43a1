"""Asking a judge about the replies of a run: a run of its own in that one's directory."""

import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from blend.eval.asking import ask
from blend.eval.asking_parameters import how_asked
from blend.eval.judging.families import model_names, shared_families
from blend.eval.judging.judge_prompt import VERSION
from blend.eval.judging.replies import judge_items
from blend.eval.judging.verdicts import JUDGE, JUDGES_FOLDER, replies_digest
from blend.eval.models.callers_model import TextModel
from blend.eval.registry import task_of
from blend.eval.release_items import ReleaseItems
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.run_making import warn_caller, with_outcome
from blend.eval.runs.run_directory import Run, read_run
from blend.eval.runs.usage import OnPlan, read_usage
from blend.eval.scoring import check_options
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.schemas.errors import ArgumentError, InputError

REORDERED_SHARE = 0.1
"""Share of what a judge is asked that it is asked again, with the accepted answers in the opposite order."""

_NAME = re.compile(r"[^\W_][\w.-]*")


def judge_run(
    run: ScoredRun | Run | str | Path,
    *,
    model: str | Path | TextModel,
    name: str | None = None,
    own_family: bool = False,
    reordered: float = REORDERED_SHARE,
    on_plan: OnPlan | None = None,
    on_progress: ProgressCallback | None = None,
    on_warning: Callable[[str], None] | None = None,
    **how: Any,
) -> Run:
    """Ask a model whether the replies of a run are correct; the same call goes on where it was stopped.

    What the string rule is sure of, and replies that were judged already, are not sent. Then
    ``score_run(run, rule="judge")`` scores by the verdicts.

    Args:
        run: The run, or its directory; complete, since a judge that has begun judges these replies alone.
        model: The judge: a directory, a Hub id, the name of a model on a ``server``, or an object that has
            ``generate(prompts)``.
        name: What the judge is called in ``RUN/judges``; the last part of the model's name when absent.
        own_family: Whether it may judge a model of its own family, which judges tend to prefer.
        reordered: Share of its questions that it is asked again with the accepted answers in the opposite
            order, from 0 to 1; one in ten when absent.
        on_plan: As of `evaluation.run_task`, like the next three.
        on_progress: Likewise.
        on_warning: Likewise.
        how: Who is asked and how, further parameters of `evaluation.run_task` such as ``server``, ``batch``,
            ``price`` and ``max_tokens``.

    Returns:
        The judge's run, in ``RUN/judges/NAME``, with how it stands in its ``outcome``.

    Raises:
        ArgumentError: If a parameter cannot be, or the judge is of the family of the model that it judges.
        InputError: If the answers of the run's task cannot be judged, if it has none, if the rule is sure of
            all of them, or if there is another judge of that name.
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    judged = run.run if isinstance(run, ScoredRun) else run if isinstance(run, Run) else read_run(Path(run))
    named = str(model) if isinstance(model, str | Path) else getattr(model, "name", type(model).__name__)
    used, called, warn = how_asked(**how), name or _folder_name(named), on_warning or warn_caller
    if not 0 <= reordered <= 1:
        raise ArgumentError(f"`reordered`: {reordered} is not possible (it is a share from 0 to 1)")
    if not _NAME.fullmatch(called):
        raise ArgumentError(f"`name`: {called!r} is not possible (letters, digits, dots, hyphens, underscores)")
    judges = judged.description.model
    if not own_family and (shared := shared_families([named], model_names(judges))):
        raise ArgumentError(
            f"{named} would judge {judges.id}, a model of its own family ({', '.join(shared)}), and judges "
            "prefer their own; name another judge, or say that it may with `own_family=True`"
        )
    asked = _asked(judged, reordered)
    out = judged.directory / JUDGES_FOLDER / called
    shown = progress_if_watched(unit="replies") if on_progress is None else nullcontext(on_progress)
    try:
        with shown as heard:
            kept, outcome = ask(asked, model, out, used, heard, on_plan)
    except InputError as error:
        error.args = (str(error).replace("`out`", "`name`"),)
        raise
    return with_outcome(kept, outcome._replace(usage=read_usage(kept)), (), warn)


def _asked(run: Run, reordered: float) -> ReleaseItems:
    """What a judge is asked about a run."""
    check_options(run)
    task = task_of(run.description.task)
    replies = task.replies_to_judge(run)
    if replies is None:
        raise InputError(
            f"{run.directory}: answers to {task.name} are not judged; short answers and free lists are"
        )
    asked = judge_items(replies, reordered=reordered)
    if not asked.n_items:
        if all(gold.is_empty() for _, gold in asked.in_parts()):
            raise InputError(
                f"{run.directory}: the run has no answers yet that could be judged; ask the model first"
            )
        raise InputError(
            f"{run.directory}: the default rule is sure of every reply, so there is nothing to ask a judge; "
            "score by it"
        )
    options = {"prompt": VERSION, "reordered": reordered, "replies": replies_digest(run)}
    return ReleaseItems(run.description.release, JUDGE, (), options, asked)


def _folder_name(model: str) -> str:
    """The last part of a model's name, as a directory can be called."""
    return re.sub(r"[^\w.-]+", "-", model.rstrip("/").rpartition("/")[2]).strip("-_.")
