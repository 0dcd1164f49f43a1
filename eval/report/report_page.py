"""Report: scored runs side by side, as one HTML page that needs no network."""

import re
from collections.abc import Sequence
from typing import Any

from blend.eval.recorded_answers import asks_semeval
from blend.eval.report import ScoredRun
from blend.eval.report.model_comparison import check_comparable, compare_scored
from blend.eval.report.question_browser import embed_questions, page_environment
from blend.eval.report.report_sections import cell, chart_library
from blend.eval.runs import is_of_people
from blend.eval.scores_json import FEW_MARK
from blend.eval.tasks import task_of
from blend.schemas.errors import InputError
from blend.schemas.summaries import NOTHING

_COLUMNS = 6
"""Figures in a row of the overview: more would be cut off beside a model's name on a usual screen."""

_PAGE_BYTES = 6_000_000
"""Bytes that the single questions of a page may take; with charts and the library that draws them it stays
below 8 MB, which mail and browsers take."""


def build_report(runs: Sequence[ScoredRun], *, seed: int = 0, semeval_questions: bool = False) -> str:
    """The report on scored runs, as HTML.

    Args:
        runs: Runs; those of one task must have equal signatures, the model apart.
        seed: Seed of intervals and tests.
        semeval_questions: Whether single questions of SemEval-2026 Task 7 are on the page as well: its terms
            forbid to pass them on.

    Raises:
        InputError: If no run is named, or the signatures of a task's runs differ.
        MissingExtraError: If the libraries that draw are not installed.
    """
    if not runs:
        raise InputError("no run to report on; name one or more run directories")
    # It may neither end its script element nor open another, whatever strings it holds.
    library = re.sub(r"<(?=/?script|!--)", r"\\x3c", chart_library(), flags=re.IGNORECASE)
    by_task: dict[str, list[ScoredRun]] = {}
    for run in sorted(runs, key=lambda run: is_of_people(run.run.description)):
        by_task.setdefault(run.scores.task, []).append(run)
    page_bytes = _PAGE_BYTES // len(by_task)
    tasks = [_task(of_task, seed, page_bytes, semeval_questions) for of_task in by_task.values()]
    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            tasks=tasks,
            items=list(dict.fromkeys(words for task in tasks for words in task["clusters"])),
            charts={
                # By the id of the element that they are drawn in.
                f"{task['runs'][0].task.name}-{section.name}-{number}": chart.spec
                for task in tasks
                for section in task["sections"]
                for number, chart in enumerate(section.charts)
            },
            library=library,
            n_columns=_COLUMNS,
            few_mark=FEW_MARK,
            repeats=_BETWEEN_RUNS,
        )
    )


def _task(runs: Sequence[ScoredRun], seed: int, page_bytes: int, semeval_questions: bool) -> dict[str, Any]:
    """Part of the page about one task, by the names that the template has for it."""
    notes = check_comparable(runs)
    task = task_of(runs[0].scores.task)
    runs = task.ordered(runs)
    withheld = not semeval_questions and any(asks_semeval(run.run.items("template_id")) for run in runs)
    # Null for a task whose answers are not decided one by one.
    answers = [] if withheld else [found for run in runs if (found := task.single_answers(run)) is not None]
    known = task.known_questions(runs[0]) if answers else {}
    return {
        "runs": runs,
        "overview": _overview(runs),
        "comparisons": compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        "sections": [section for section in task.sections(runs) if section is not None],
        "questions": embed_questions(runs, answers, known, page_bytes=page_bytes) if answers else None,
        "withheld": withheld,
        "clusters": task.clusters(runs[0]),
        "notes": notes,
    }


def _overview(runs: Sequence[ScoredRun]) -> tuple[list[str], list[list[str]]]:
    """A line of each run; a figure that one of them lacks stands as a dash."""
    lines = [
        task_of(run.scores.task).overview(run)
        | _repeat_columns(run)
        | ({} if run.scores.usage is None else run.scores.usage.columns())
        for run in runs
    ]
    head = list(dict.fromkeys(name for line in lines for name in line))
    return head, [[line.get(name, NOTHING) for name in head] for line in lines]


_BETWEEN_RUNS = "between runs, %"
"""Head of the column with the score and the interval that it would have in further runs."""


def _repeat_columns(run: ScoredRun) -> dict[str, str]:
    """Cells of the overview about the figure that a task is about; none where questions were asked once."""
    for metric in run.task.repeated:
        for name in (f"{metric}-macro", metric):
            if (score := run.overall(f"{name}-between-runs")) is not None:
                return {_BETWEEN_RUNS: cell(score)}
    return {}
