"""Push: a run's score goes into the repository of the model, where the Hub shows it on leaderboards.

The Hub reads ``.eval_results/*.yaml`` of model repositories and lists the values under the benchmark, a dataset
repository with an ``eval.yaml``. A pull request is the default, since the model is often somebody else's.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import yaml

from blend.eval.registry import TASKS, task_of
from blend.eval.runs.run_directory import read_run
from blend.eval.scores_json import ALL, Score, Scores, read_scores
from blend.loaders.hub.hub_errors import translate_errors
from blend.loaders.hub.request_timeouts import TIMEOUT_S, request_timeouts
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.errors import HubError, InputError
from blend.version import __version__

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry


class Pushed(NamedTuple):
    """Results that were sent to a model's repository."""

    path: str
    """Path of the file there."""
    content: str
    """Its text."""
    url: str | None
    """Address of the pull request or commit; null when nothing was sent."""


def push_scores(
    run: Path,
    model: str,
    *,
    dataset: str,
    revision: str | None = None,
    direct: bool = False,
    dry_run: bool = False,
) -> Pushed:
    """Write a run's headline score into a model repository's ``.eval_results/``.

    Args:
        run: A run directory that has been scored.
        model: Repository of the model, ``org/model``.
        dataset: Repository of the release on the Hub, ``org/name``.
        revision: Commit of the release there; its version stands in the notes in any case.
        direct: Commit on ``main`` instead of opening a pull request.
        dry_run: Send nothing.

    Returns:
        The file, and where it can be seen. A file of the same dataset and task is replaced.

    Raises:
        InputError: If the run has not been scored, or its task has no figure for a leaderboard.
        HubError: If the Hub refuses or cannot be reached; nothing was changed then, unless its answer was lost.
    """
    scores = read_scores(read_run(run))
    path = f".eval_results/{dataset.replace('/', '--')}--{scores.task}.yaml"
    content = _yaml(_entry(scores, dataset, revision))
    if dry_run:
        return Pushed(path, content, None)
    return Pushed(path, content, _commit(model, path, content, scores, direct=direct))


def _entry(scores: Scores, dataset: str, revision: str | None) -> "EvalResultEntry":
    from huggingface_hub import EvalResultEntry

    headline = _headline(scores)
    interval = "" if headline.low is None else f", 95 % interval {headline.low:.1f} to {headline.high:.1f}"
    return EvalResultEntry(
        dataset_id=dataset,
        task_id=scores.task,
        value=round(float(headline.value or 0.0), 2),
        dataset_revision=revision,
        notes=f"{headline.metric} in percent{interval}; {scores.signature}",
    )


def _headline(scores: Scores) -> Score:
    wanted = task_of(scores.task).headline
    for score in scores.scores:
        if (score.metric, score.scope, score.key) == (wanted, "overall", ALL) and score.value is not None:
            return score
    raise InputError(
        f"task {scores.task}: it has no {wanted or 'figure for a leaderboard'}; score a run of "
        f"{' or '.join(name for name, task in TASKS.items() if task.headline)} with at least one answer"
    )


def _yaml(entry: "EvalResultEntry") -> str:
    from huggingface_hub import eval_result_entries_to_yaml

    return yaml.safe_dump(eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=110)


def _commit(model: str, path: str, content: str, scores: Scores, *, direct: bool) -> str:
    # One request and no second try: when an answer is lost, another pull request would stand beside the first.
    with request_timeouts(TIMEOUT_S), translate_errors(f"Hub model {model}", purpose="write"):
        from huggingface_hub import CommitOperationAdd, HfApi

        api = HfApi(library_name=DISTRIBUTION, library_version=__version__)
        info = api.create_commit(
            model,
            [CommitOperationAdd(path, content.encode())],
            commit_message=f"Add the score of {scores.release}, {scores.task}",
            commit_description=scores.signature,
            create_pr=not direct,
        )
    url = info.commit_url if direct else info.pr_url
    if not url:
        raise HubError(f"Hub model {model}: no address in the answer; look at its pull requests")
    return str(url)
