"""Evaluation from Python: ask a model, score what it answered, compare, show; the command line calls these.

::

    run = run_task("org/blend@v1.2.0", "multiple-choice", model="org/name", out="runs/name")
    scored = score_run(run)
    compare_runs([run, other])
    write_report([run, other], "report.html")
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

from blend.eval.asking_parameters import check_least, how_asked
from blend.eval.models.callers_model import OwnModel
from blend.eval.models.model_loading import Dtype
from blend.eval.models.protocols import Backend
from blend.eval.registry import task_of
from blend.eval.report.model_comparison import ModelComparison, compare_scored
from blend.eval.report.scored_runs import ScoredRun, check_comparable
from blend.eval.run_making import run_of_answers, run_of_model, warn_caller
from blend.eval.runs.asked_shards import OnStatus
from blend.eval.runs.prediction_files import write_predictions
from blend.eval.runs.run_directory import Run, read_run, runs_in
from blend.eval.runs.usage import OnPlan
from blend.eval.scores_json import read_scores
from blend.eval.scoring import check_options, score_answers, scoring_alone, write_scores
from blend.loaders.files.progress import ProgressCallback, progress_if_watched
from blend.schemas.errors import InputError

Runs = Sequence[ScoredRun | Run | str | Path]
"""Runs, or their directories."""


def run_task(
    release: str | Path,
    task: str,
    *,
    model: str | Path | OwnModel | None = None,
    out: str | Path,
    answers: str | Path | None = None,
    encoding: str | None = None,
    locales: Sequence[str] | None = None,
    limit: int | None = None,
    server: str | None = None,
    backend: Backend | None = None,
    concurrency: int | None = None,
    revision: str | None = None,
    device: str | None = None,
    dtype: Dtype | None = None,
    batch_size: int | None = None,
    chat: bool | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    system: str | None = None,
    thinking: Literal["on", "off", "default"] | None = None,
    reasoning_effort: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
    thought_marks: Sequence[tuple[str, str]] | None = None,
    shard: tuple[int, int] | None = None,
    batch: bool = False,
    batch_out: str | Path | None = None,
    batch_in: Sequence[str | Path] | str | Path | None = None,
    ray: str | None = None,
    ray_out: str | Path | None = None,
    ray_items: int | None = None,
    price: tuple[float, float] | None = None,
    budget: float | None = None,
    on_plan: OnPlan | None = None,
    on_progress: ProgressCallback | None = None,
    on_status: OnStatus | None = None,
    on_warning: Callable[[str], None] | None = None,
    **options: Any,
) -> Run:
    """Ask a model the questions of a task, and keep its answers; the same call goes on where it was stopped.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub.
        task: Name of a task: ``multiple-choice``, ``short-answer`` or another one.
        model: A directory, a Hub id, the name of a model on a ``server``, or any object that answers: it has
            ``generate(prompts)``, or what else the task asks with (`TextModel`, `OptionModel`,
            `CandidateModel`). With ``answers`` the name of the model that gave them.
        out: Directory of the run.
        answers: A table, JSON Lines or Parquet file of what another tool's model answered; nobody is asked.
        encoding: Of a table of answers that is not UTF-8.
        locales: Regions to ask about, by any of their names; all when absent.
        limit: Templates per region at most; all when absent.
        server: Address of an OpenAI-compatible server; the model is loaded here when absent.
        backend: Library that computes a model here: ``transformers``, or ``vllm`` of the extra ``vllm``; the
            first when absent.
        concurrency: Requests under way at a time on a server; 32 when absent.
        revision: Commit or tag of a model on the Hub.
        device: Where a model computes, as torch names it, or ``auto`` for all GPUs together; a GPU if there is
            one when absent.
        dtype: Numbers that it computes in: ``float32``, ``bfloat16`` or ``float16``; bfloat16 on a GPU and
            float32 elsewhere when absent.
        batch_size: Prompts computed at a time, as many as memory allows when absent; of an object, the prompts
            that it is handed at a time, 64 when absent.
        chat: Whether prompts go through the model's chat template; if it has one when absent.
        max_tokens: Tokens that a written answer may have, with what is thought before it; when absent 128, or
            16,384 of a model that thinks. Of an object, this and the next two are what its answers are said to
            be written with, which it sees to itself.
        temperature: 0 writes the likeliest token each time, as when absent; above it, tokens are drawn.
        seed: Where drawing starts; 0 when absent.
        system: Message in which an operator speaks to the model before each prompt; none when absent.
        thinking: Whether a model that can do both is told to think, by the variable of its chat template; as
            the template has it with ``default``, and when absent.
        reasoning_effort: How much a model thinks, in its own word for it, such as ``low``.
        extra_body: Further fields of every request to a server, as JSON has them.
        thought_marks: Pairs of marks around what a model thinks, such as ``("<plan>", "</plan>")``, besides
            those that are known (``docs/evaluation.md`` lists them).
        shard: Which of several machines that write to one run this is, from 1, and how many there are.
        batch: Have the ``server`` answer in batches: submit, wait, fetch. A call after a kill goes on waiting.
        batch_out: Ask nobody, and write the requests to this file, in the batch format that OpenAI, vLLM and
            others read; several files where it would be too large.
        batch_in: Ask nobody, and read the results of such files, in any order, or folders of answers that
            `request_runs.ask_requests` has written.
        ray: Have the workers of a Ray cluster ask, each with a copy of the model: ``auto`` for the cluster of
            this machine, or ``host:port`` of its head. For written answers of a ``server`` or of an object.
        ray_out: Folder or object store (``s3://bucket/run``) in which their answers are kept, for workers that
            do not see ``out`` under the same path; the run's own folder when absent.
        ray_items: Items that a worker asks before it keeps their answers; 1,000 when absent.
        price: Price of a million tokens in and of a million out, in any money.
        budget: Cost at that price from which on nobody is asked; what is under way then is still kept.
        on_plan: Hears how many requests and tokens a run will take, before the first question; an error that it
            raises keeps it from being asked.
        on_progress: Hears how many items of all are answered. When absent, a bar shows it at a terminal, and in
            a notebook that has ipywidgets.
        on_status: Hears every half minute how fast a cluster goes, for how much and how much longer; nobody
            when absent.
        on_warning: Hears what a user should know; when absent, Python's warnings say it. All of it is in
            ``outcome.warnings`` of the run as well.
        options: Further options of the task, such as ``style`` of multiple choice; those that are null have
            their defaults.

    Returns:
        The run, with how it stands in its ``outcome``.

    Raises:
        UnknownNameError: If there is no such task, region or backend; lists those there are.
        ArgumentError: If an option cannot be, two exclude each other, or an object given as the model does not
            answer as the task asks.
        InputError: If the release, the model or the answers cannot be used, or the directory holds another run.
        BlendError: If the model cannot be asked at all. What it answered until then is kept.
    """
    how = how_asked(
        server=server,
        backend=backend,
        concurrency=concurrency,
        revision=revision,
        device=device,
        dtype=dtype,
        batch_size=batch_size,
        chat=chat,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        system=system,
        thinking=thinking,
        reasoning_effort=reasoning_effort,
        extra_body=extra_body,
        thought_marks=thought_marks,
        shard=shard,
        batch=batch,
        batch_out=batch_out,
        batch_in=batch_in,
        ray=ray,
        ray_out=None if ray_out is None else str(ray_out),
        ray_items=ray_items,
        price=price,
        budget=budget,
    )
    chosen, directory, warn = task_of(task), Path(out), on_warning or warn_caller
    options = {"locales": locales, "limit": limit, **options}
    if answers is not None:
        name = None if model is None else str(model)
        return run_of_answers(
            release,
            chosen,
            Path(answers),
            directory,
            model=name,
            encoding=encoding,
            how=how,
            options=options,
            warn=warn,
        )
    return run_of_model(
        release,
        chosen,
        model,
        directory,
        how=how,
        options=options,
        on_plan=on_plan,
        on_progress=on_progress,
        on_status=on_status,
        warn=warn,
    )


def score_run(
    run: ScoredRun | Run | str | Path,
    *,
    rule: str = "default",
    seed: int = 0,
    allow_missing: bool = False,
    on_progress: ProgressCallback | None = None,
    on_warning: Callable[[str], None] | None = None,
    **options: Any,
) -> ScoredRun:
    """Score what a run has kept: ``scores.json`` and ``decisions.parquet`` in its directory.

    Args:
        run: The run, or its directory; it may still be under way.
        rule: By which rule answers are decided; each task has its own.
        seed: Seed of the intervals.
        allow_missing: Whether to score although more than 1 % of the items have no answer.
        on_progress: Hears how far the scoring of many texts is; as for `run_task` when absent.
        on_warning: Hears what a reader of the figures should know; as for `run_task` when absent.
        options: Further options of the task's scoring, such as ``lemmas`` of short answers.

    Returns:
        The run with its scores; ``frame`` holds every figure.

    Raises:
        UnknownNameError: If there is no such rule; lists the rules.
        ArgumentError: If the task's scoring has no such option, or it cannot be so.
        InputError: If too many items have no answer, or if what the run has kept cannot be read.
        MissingExtraError: If a library is not installed that the scoring needs.
        StorageError: If the scores cannot be written.
    """
    check_least(seed=seed)
    read, warn = _read(run), on_warning or warn_caller
    shown = progress_if_watched(unit="topics") if on_progress is None else nullcontext(on_progress)
    with shown as heard, scoring_alone(read):
        scored = score_answers(
            read, rule=rule, seed=seed, allow_missing=allow_missing, on_progress=heard, **options
        )
        write_scores(read, scored)
    for warning in scored.warnings:
        warn(warning)
    return ScoredRun(scored.scores.model, read, scored.scores, task_of(scored.scores.task))


def export_predictions(run: ScoredRun | Run | str | Path, out: str | Path) -> int:
    """Write what a run answered as the site of SemEval-2026 Task 7 takes it, and count the predictions.

    Args:
        run: The run, or its directory.
        out: The zip archive to write; what stands there is replaced.

    Raises:
        InputError: If the task has no such file, or the run is of other data.
        StorageError: If it cannot be written.
    """
    read = _read(run)
    form = task_of(read.description.task).predictions()
    if form is None:
        raise InputError(
            f"{read.directory}: {read.description.task} is no track of SemEval-2026 Task 7; it has "
            "short answers and multiple choice"
        )
    return write_predictions(read, form, Path(out))


def compare_runs(runs: Runs, *, seed: int = 0) -> ModelComparison:
    """Compare scored runs of the same questions: who is better, where, and is it chance.

    Args:
        runs: Two or more scored runs, or their directories; their signatures are equal, the model apart.
        seed: Seed of intervals and tests.

    Raises:
        InputError: If there are fewer than two, if one is not scored, if their signatures differ, if no item
            was answered in all of them, or if no answer of the task is better than another one.
    """
    check_least(seed=seed)
    if len(runs) < 2:
        raise InputError("one run cannot be compared; name two or more")
    scored = read_scored(runs)
    check_comparable(scored)
    found = compare_scored(scored, seed=seed)
    if found is None:
        raise InputError(
            f"{scored[0].task.title.lower()} are not correct or wrong, so no model is better; show the runs "
            "side by side in a report"
        )
    return found


def write_report(runs: Runs, out: str | Path, *, seed: int = 0, semeval_questions: bool = False) -> Path:
    """Show scored runs on one HTML page that needs no network; it appears whole or not at all.

    Args:
        runs: Scored runs, their directories, or directories of several; runs of one task have equal
            signatures, the model apart.
        out: The file; a page that is there is replaced.
        seed: Seed of intervals and tests.
        semeval_questions: Whether single questions of SemEval-2026 Task 7 are on the page as well: its terms
            forbid to pass them on.

    Raises:
        InputError: If no run is named, one is not scored, signatures differ, or ``out`` is a directory
            or a file that is no page.
        MissingExtraError: If the libraries that draw are not installed.
        StorageError: If it cannot be written.
    """
    check_least(seed=seed)
    from blend.eval.report.report_page import save_report

    each = [one for run in runs for one in (runs_in(Path(run)) if isinstance(run, str | Path) else [run])]
    save_report(read_scored(each), Path(out), seed=seed, semeval_questions=semeval_questions)
    return Path(out)


def read_scored(runs: Runs) -> tuple[ScoredRun, ...]:
    """Scored runs, in the order in which they are named, with the scores that their directories hold.

    Raises:
        InputError: If a directory is not one of a run, is named twice, or its run is not scored.
    """
    read_runs = [_read(run) for run in runs]
    named = Counter(run.directory.resolve() for run in read_runs)
    for path, n in named.items():
        if n > 1:
            raise InputError(f"{path.name}: the run is named twice; name every run once")
    scores = [read_scores(run) for run in read_runs]
    # The same model in two tasks is not two runs to be told apart: each task has its own tables.
    models = Counter((one.task, one.model) for one in scores)
    found = []
    for run, one in zip(read_runs, scores, strict=True):
        check_options(run)
        alone = models[one.task, one.model] == 1
        found.append(
            ScoredRun(
                one.model if alone else f"{one.model} ({run.directory.name})", run, one, task_of(one.task)
            )
        )
    return tuple(found)


def _read(run: ScoredRun | Run | str | Path) -> Run:
    """The run that is meant, by itself or by its directory."""
    if isinstance(run, ScoredRun):
        return run.run
    return run if isinstance(run, Run) else read_run(Path(run))
