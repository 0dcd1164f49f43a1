"""Evaluation from Python: ask a model, score what it answered, compare, show; the command line calls these.

::

    run = run_task("org/blend@v1.2.0", "multiple-choice", "org/name", "runs/name")
    scored = score_run(run)
    compare_runs([run, other])
    write_report([run, other], "report.html")
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from blend.eval.asking import ask, keep_recorded, questions_for
from blend.eval.models.chosen import Asking, Decoding, Local, OwnModel, Recorded, Server
from blend.eval.recorded_answers import write_predictions
from blend.eval.release_items import announced, read_run, warn, watched
from blend.eval.report import ScoredRun
from blend.eval.report.model_comparison import ModelComparison, check_comparable, compare_scored
from blend.eval.runs.run_directory import Run, runs_in
from blend.eval.scores_json import read_scores
from blend.eval.scoring import score_answers, scoring_alone, write_scores
from blend.eval.tasks import task_of
from blend.loaders.files.progress import ProgressCallback
from blend.schemas.errors import InputError
from blend.schemas.frames import ITEM
from blend.schemas.rows import LETTERS

_ChosenModel = str | Path | Local | Server | Recorded | OwnModel
"""A model of any kind; a text or path is a `Local` one, and an object answers itself."""

Runs = Sequence[ScoredRun | Run | str | Path]
"""Runs, or their directories."""


def run_task(
    release: str | Path,
    task: str,
    model: _ChosenModel,
    out: str | Path,
    *,
    decoding: Decoding | None = None,
    asking: Asking | None = None,
    locales: Sequence[str] | None = None,
    limit: int | None = None,
    on_progress: ProgressCallback | None = None,
    **options: Any,
) -> Run:
    """Ask a model the questions of a task, and keep its answers; the same call goes on where it was stopped.

    Args:
        release: A directory, or ``org/name@v1.0.0`` on the Hub.
        task: Name of a task: ``multiple-choice``, ``short-answer`` or another one.
        model: `Local`, or its directory or Hub id alone; `Server`; `Recorded`, what another tool's model
            answered; or any object that answers: it has ``generate(prompts)``, or what else the task asks with
            (`TextModel`, `OptionModel`, `CandidateModel`).
        out: Directory of the run.
        decoding: How answers are written. Of an object it is what its answers are said to be written with,
            which it sees to itself.
        asking: By which way, on which of several machines, and at what cost.
        locales: Regions to ask about, by any of their names; all when absent.
        limit: Templates per region at most; all when absent.
        on_progress: Hears how many items of all are answered. When absent, a bar shows it at a terminal, and in
            a notebook that has ipywidgets.
        options: Further options of the task, such as ``style`` of multiple choice; those that are null have
            their defaults.

    Returns:
        The run, with how it stands in its ``outcome``.

    Raises:
        UnknownNameError: If there is no such task or region; lists those there are.
        ArgumentError: If an option cannot be, two exclude each other, or an object given as the model does not
            answer as the task asks.
        InputError: If the release, the model or the answers cannot be used, or the directory holds another run.
        BlendError: If the model cannot be asked at all. What it answered until then is kept.

    Warns:
        BlendWarning: Of what a user should know; all of it is in ``outcome.warnings`` as well.
    """
    chosen, how = task_of(task), (decoding or Decoding(), asking or Asking())
    options = {"locales": locales, "limit": limit, **options}
    if isinstance(model, Recorded):
        return announced(*keep_recorded(release, chosen, model, Path(out), *how, options))
    used = Local(path=str(model)) if isinstance(model, str | Path) else model
    asked, notes = questions_for(release, chosen, used, *how, options)
    for note in notes:
        warn(note)
    with watched(on_progress) as heard:
        run, outcome = ask(asked, used, Path(out), *how, heard)
    return announced(run, outcome, notes)


def score_run(
    run: ScoredRun | Run | str | Path,
    *,
    rule: str = "default",
    seed: int = 0,
    allow_missing: bool = False,
    release: str | Path | None = None,
    on_progress: ProgressCallback | None = None,
    **options: Any,
) -> ScoredRun:
    """Score what a run has kept: ``scores.json`` and ``decisions.parquet`` in its directory.

    Args:
        run: The run, or its directory; it may still be under way.
        rule: By which rule answers are decided; each task has its own.
        seed: Seed of the intervals.
        allow_missing: Whether to score although more than 1 % of the items have no answer.
        release: Where the release lies now that was asked, of a run in a directory; where it was when absent.
        on_progress: Hears how far the scoring of many texts is; as for `run_task` when absent.
        options: Further options of the task's scoring, such as ``lemmas`` of short answers.

    Returns:
        The run with its scores; ``frame`` holds every figure.

    Raises:
        UnknownNameError: If there is no such rule; lists the rules.
        ArgumentError: If the task's scoring has no such option, or it cannot be so.
        InputError: If too many items have no answer, or if what the run has kept cannot be read.
        MissingExtraError: If a library is not installed that the scoring needs.
        StorageError: If the scores cannot be written.

    Warns:
        BlendWarning: Of what a reader of the figures should know.
    """
    read = _read(run, release=release)
    with watched(on_progress) as heard, scoring_alone(read):
        scored = score_answers(
            read, rule=rule, seed=seed, allow_missing=allow_missing, on_progress=heard, **options
        )
        scores = write_scores(read, scored)
    for warning in scored.warnings:
        warn(warning)
    return ScoredRun(scores.model, read, scores, task_of(scores.task))


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
    if len(runs) < 2:
        raise InputError("one run cannot be compared; name two or more")
    scored = read_scored(runs)
    for note in check_comparable(scored):
        warn(note)
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
    from blend.eval.report.pages import build_report
    from blend.loaders.files.atomic import PAGE_MARK, replace_own_file

    each = [one for run in runs for one in (runs_in(Path(run)) if isinstance(run, str | Path) else [run])]
    page = build_report(read_scored(each), seed=seed, semeval_questions=semeval_questions)
    replace_own_file(Path(out), page, mark=PAGE_MARK, what="a page")
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
    alike = defaultdict[tuple[str, str], list[Path]](list)
    for run, one in zip(read_runs, scores, strict=True):
        alike[one.task, one.model].append(run.directory.resolve())
    found = []
    for run, one in zip(read_runs, scores, strict=True):
        of_model = alike[one.task, one.model]
        name = one.model if len(of_model) == 1 else f"{one.model} ({_apart(run.directory.resolve(), of_model)})"
        found.append(ScoredRun(name, run, one, task_of(one.task)))
    return tuple(found)


def _apart(path: Path, paths: Sequence[Path]) -> Path:
    """The end of a path that no other one of some has: its name, or as many folders above it as that takes."""
    ends = (path.parts[-length:] for length in range(1, len(path.parts) + 1))
    return Path(*next(end for end in ends if [one.parts[-len(end) :] for one in paths].count(end) == 1))


def _read(run: ScoredRun | Run | str | Path, *, release: str | Path | None = None) -> Run:
    """The run that is meant, by itself or by its directory; ``release`` as of `read_run`."""
    if isinstance(run, ScoredRun):
        return run.run
    return run if isinstance(run, Run) else read_run(run, release=release)


def item_answers(runs: Sequence[ScoredRun]) -> pl.DataFrame:
    """Read the decisions of comparable runs.

    A question that was asked in several rotations or samples is one item: its answers are not independent.

    Returns:
        A row per model and item: ``model``, ``item_id``, ``template_id``, ``locale``, ``region``, ``topic``
        (empty where there is none), ``correct``, the share of its answers that are, and the shares that choose
        each of the wrong options, in the order in which they follow the correct one; ``wrong`` where nothing is
        chosen.

    Raises:
        InputError: If the signatures of the runs differ, the model apart, the task's answers are not correct or
            wrong, decisions cannot be read, or there are none.
    """
    for note in check_comparable(runs):
        warn(note)
    answers = pl.concat(_answers(run).with_columns(model=pl.lit(run.name)) for run in runs)
    if answers.is_empty():
        raise InputError("no item has an answer; ask the models again, and score their runs")
    return answers


def _answers(run: ScoredRun) -> pl.DataFrame:
    """The items of a run, and shares of its answers: those that are correct, and the wrong ones by option."""
    task = task_of(run.scores.task)
    if task.compared(run) is None:
        raise InputError(f"{task.title.lower()} are not correct or wrong, so items cannot be analysed")
    decided = task.questions(run).drop_nulls("correct").with_columns(pl.col("topic").fill_null(""))
    wrong = {"wrong": 1 - pl.col("correct").cast(pl.Float64)}
    if "chosen" in decided.columns:
        # A rotation moves all options alike.
        behind = (pl.col("chosen") - pl.col("answer")) % len(LETTERS)
        wrong = {f"wrong{n}": behind.eq_missing(n) for n in range(1, len(LETTERS))}
    # A rotation has its question beside it; a repeat is named `item#1` (`items.repeated`).
    item = pl.col("question_id" if "question_id" in decided.columns else "item_id")
    named = item.str.replace(r"#\d+$", "") if "sample" in decided.columns else item
    shares = (share.mean().alias(name) for name, share in {"correct": pl.col("correct"), **wrong}.items())
    return decided.with_columns(item_id=named).group_by(*ITEM).agg(shares)
