"""Asking a judge about the replies of a run: a run of its own in that one's directory."""

import re
from pathlib import Path

from blend.eval.asked_runs import read_run
from blend.eval.asking import ask
from blend.eval.judging.families import model_names, shared_families
from blend.eval.judging.judge_prompt import VERSION
from blend.eval.judging.replies import judge_items
from blend.eval.judging.verdicts import JUDGE, JUDGES_FOLDER, replies_digest
from blend.eval.models.callers_model import TextModel
from blend.eval.models.chosen import Asking, Decoding, Local, Server
from blend.eval.notices import announced, watched
from blend.eval.registry import task_of
from blend.eval.release_items import ReleaseItems
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.run_directory import Run
from blend.eval.scoring import check_options
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import ArgumentError, InputError

_NAME = re.compile(r"[^\W_][\w.-]*")


def judge_run(
    run: ScoredRun | Run | str | Path,
    *,
    model: str | Path | Local | Server | TextModel,
    name: str | None = None,
    own_family: bool = False,
    decoding: Decoding | None = None,
    asking: Asking | None = None,
    on_progress: ProgressCallback | None = None,
) -> Run:
    """Ask a model whether the replies of a run are correct; the same call goes on where it was stopped.

    What the string rule is sure of, and replies that were judged already, are not sent. Then
    ``score_run(run, rule="judge")`` scores by the verdicts.

    Args:
        run: The run, or its directory; complete, since a judge that has begun judges these replies alone.
        model: The judge: a `Local` model, or its directory or Hub id alone, a `Server`, or an object that has
            ``generate(prompts)``.
        name: What the judge is called in ``RUN/judges``; the last part of the model's name when absent.
        own_family: Whether it may judge a model of its own family, which judges tend to prefer.
        decoding: As of `evaluation.run_task`, like all that follow.
        asking: See there.
        on_progress: See there.

    Returns:
        The judge's run, in ``RUN/judges/NAME``, with how it stands in its ``outcome``.

    Raises:
        ArgumentError: If a parameter cannot be, or the judge is of the family of the model that it judges.
        InputError: If the answers of the run's task cannot be judged, if it has none, if the rule is sure of
            all of them, or if there is another judge of that name.
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    judged = run.run if isinstance(run, ScoredRun) else run if isinstance(run, Run) else read_run(Path(run))
    used = Local(path=str(model)) if isinstance(model, str | Path) else model
    named = used.path if isinstance(used, Local) else getattr(used, "name", type(used).__name__)
    called = name or _folder_name(named)
    if not _NAME.fullmatch(called):
        raise ArgumentError(f"`name`: {called!r} is not possible (letters, digits, dots, hyphens, underscores)")
    judges = judged.description.model
    if not own_family and (shared := shared_families([named], model_names(judges))):
        raise ArgumentError(
            f"{named} would judge {judges.id}, a model of its own family ({', '.join(shared)}), and judges "
            "prefer their own; name another judge, or say that it may with `own_family=True`"
        )
    asked = _asked(judged)
    out = judged.directory / JUDGES_FOLDER / called
    try:
        with watched(on_progress, unit="replies") as heard:
            kept, outcome = ask(asked, used, out, decoding or Decoding(), asking or Asking(), heard)
    except InputError as error:
        error.args = (str(error).replace("`out`", "`name`"),)
        raise
    return announced(kept, outcome)


def _asked(run: Run) -> ReleaseItems:
    """What a judge is asked about a run."""
    check_options(run)
    task = task_of(run.description.task)
    replies = task.replies_to_judge(run)
    if replies is None:
        raise InputError(
            f"{run.directory}: answers to {task.name} are not judged; short answers and free lists are"
        )
    asked = judge_items(replies)
    if not asked.n_items:
        if all(gold.is_empty() for _, gold in asked.in_parts()):
            raise InputError(
                f"{run.directory}: the run has no answers yet that could be judged; ask the model first"
            )
        raise InputError(
            f"{run.directory}: the default rule is sure of every reply, so there is nothing to ask a judge; "
            "score by it"
        )
    options = {"prompt": VERSION, "replies": replies_digest(run)}
    # No release gives a judge's items, so its run keeps them.
    release = run.description.release.model_copy(update={"location": None})
    return ReleaseItems(release, JUDGE, (), options, asked)


def _folder_name(model: str) -> str:
    """The last part of a model's name, as a directory can be called."""
    return re.sub(r"[^\w.-]+", "-", model.rstrip("/").rpartition("/")[2]).strip("-_.")
