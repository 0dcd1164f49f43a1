"""Push: a run's score goes into the repository of the model, where the Hub shows it on leaderboards.

The Hub reads ``.eval_results/*.yaml`` of model repositories and lists the values under the benchmark, a dataset
repository with an ``eval.yaml``. A pull request is the default, since the model is often somebody else's.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from blend import __version__
from blend.eval.release_items import read_run
from blend.eval.scores_json import ALL, SCORES_NAME, Score, Scores, read_scores
from blend.eval.tasks import TASKS, task_of
from blend.loaders.hub.requests import TIMEOUT_S, request_timeouts, translate_errors
from blend.loaders.servers import is_server_address
from blend.schemas.errors import DISTRIBUTION, HubError, InputError, without_passwords
from blend.schemas.manifest import SHORT_ANSWER, region_task

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry


class _Pushed(NamedTuple):
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
    source: str | None = None,
    direct: bool = False,
    dry_run: bool = False,
) -> _Pushed:
    """Write a run's headline score into a model repository's ``.eval_results/``.

    Of short answers the regions' scores stand beside it, since each region is a task of the release as well.

    Args:
        run: A run directory that has been scored.
        model: Repository of the model, ``org/model``.
        dataset: Repository of the release on the Hub, ``org/name``.
        revision: Commit of the release there; its version stands in the notes in any case.
        source: Address of a page about the run, such as its report; none when absent.
        direct: Commit on ``main`` instead of opening a pull request.
        dry_run: Send nothing.

    Returns:
        The file, and where it can be seen. A file of the same dataset and task is replaced.

    Raises:
        InputError: If the run has not been scored, its task has no figure for a leaderboard, or ``source`` is
            not an address.
        HubError: If the Hub refuses or cannot be reached; nothing was changed then, unless its answer was lost.
    """
    from huggingface_hub import eval_result_entries_to_yaml

    if source is not None and not is_server_address(source):
        raise InputError(
            f"`source`: {without_passwords(source)!r} is not the address of a page; write it in full, with https://"
        )
    scores = read_scores(read_run(run))
    scored_at = datetime.fromtimestamp((run / SCORES_NAME).stat().st_mtime, tz=UTC)
    task = task_of(scores.task).leaderboard or scores.task
    entries = _result_entries(
        scores,
        task,
        dataset_id=dataset,
        dataset_revision=revision,
        date=scored_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        source_url=source,
    )
    path = f".eval_results/{dataset.replace('/', '--')}--{task}.yaml"
    content = yaml.safe_dump(
        eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True, width=110
    )
    url = None if dry_run else _commit_result(model, path, content, scores, direct=direct)
    return _Pushed(path, content, url)


def _result_entries(scores: Scores, task: str, **about: Any) -> "list[EvalResultEntry]":
    """What the Hub shows: the headline, and of short answers each region."""
    from huggingface_hub import EvalResultEntry

    headline = _headline(scores)
    usage = "" if scores.usage is None else f"; {scores.usage.in_words()}"
    tasks = {task: headline}
    if task == SHORT_ANSWER:
        of_region = headline.metric.removesuffix("-macro")
        tasks |= {
            region_task(score.key): score
            for score in scores.scores
            if (score.metric, score.scope) == (of_region, "region") and score.value is not None
        }
    entries = []
    for name, score in tasks.items():
        interval = "" if score.low is None else f", 95 % interval {score.low:z.1f} to {score.high:z.1f}"
        notes = f"{score.metric} in percent{interval}{usage}; {scores.signature}"
        value = round(float(score.value or 0.0), 2)
        entries.append(EvalResultEntry(task_id=name, value=value, notes=notes, **about))
    return entries


def _headline(scores: Scores) -> Score:
    wanted = task_of(scores.task).headline
    for score in scores.scores:
        if (score.metric, score.scope, score.key) == (wanted, "overall", ALL) and score.value is not None:
            return score
    raise InputError(
        f"task {scores.task}: it has no {wanted or 'figure for a leaderboard'}; score a run of "
        f"{' or '.join(name for name, task in TASKS.items() if task.headline)} with at least one answer"
    )


def _commit_result(model: str, path: str, content: str, scores: Scores, *, direct: bool) -> str:
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
