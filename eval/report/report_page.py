"""The page: scored runs as one HTML file that needs no network, for a screen of any width."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template

from blend.eval.prediction_files import asks_semeval
from blend.eval.report.embedded_questions import PAGE_BYTES, EmbeddedQuestions, embed_questions
from blend.eval.report.ladder import ladder_sections
from blend.eval.report.model_comparison import ModelComparison, compare_scored
from blend.eval.report.page_template import for_script, page_environment, save_page
from blend.eval.report.repeat_columns import BETWEEN_RUNS, repeat_columns
from blend.eval.report.report_sections import ReportTable, Section, regions_in_words
from blend.eval.report.score_charts import FEW
from blend.eval.report.scored_runs import ScoredRun, check_comparable
from blend.eval.report.vega_lite import Spec, chart_library
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import FEW_MARK
from blend.schemas.errors import InputError

TEMPLATE = "report.html.j2"

COLUMNS = 6
"""Figures in a row of the overview: more would be cut off beside a model's name on a usual screen."""


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Part of the page about one task."""

    task: str
    """Name of the task."""
    title: str
    """Its heading."""
    signature: str
    """What all its scores share."""
    release: str
    """Name and version of the release."""
    runs: tuple[ScoredRun, ...]
    """The runs, in the order of the page."""
    overview: ReportTable
    """A line of each run."""
    clusters: tuple[str, ...]
    """What its intervals are over, where it is not templates."""
    comparisons: ModelComparison | None
    """How they differ; null for one run, or where none is better than another one."""
    sections: tuple[Section, ...]
    """Charts and tables."""
    n_samples: int = 1
    """How often every question was asked."""
    questions: EmbeddedQuestions | None = None
    """Every question with every answer; null where answers are not decided one by one."""
    withheld: bool = False
    """Whether its questions are left out, since nobody may pass them on."""
    charts: dict[str, Spec] = field(default_factory=dict)
    """Charts by the id of the element that they are drawn in."""


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
    library = chart_library()
    runs = sorted(runs, key=lambda run: is_of_people(run.run.description))
    by_task: dict[str, list[ScoredRun]] = {}
    for run in runs:
        by_task.setdefault(run.scores.task, []).append(run)
    page_bytes = PAGE_BYTES // len(by_task)
    tasks = [_task(of_task, seed, page_bytes, semeval_questions) for of_task in by_task.values()]
    ladder = ladder_sections(runs)
    return _template().render(
        tasks=tasks,
        ladder=ladder,
        items=list(
            dict.fromkeys(words for task in tasks for words in task.runs[0].task.clusters(task.runs[0]))
        ),
        charts=_charts("rungs", ladder) | {name: spec for task in tasks for name, spec in task.charts.items()},
        library=for_script(library),
        n_columns=COLUMNS,
        few=FEW,
        few_mark=FEW_MARK,
        repeats=BETWEEN_RUNS,
    )


def save_report(
    runs: Sequence[ScoredRun], out: Path, *, seed: int = 0, semeval_questions: bool = False
) -> None:
    """Write the report on scored runs; the file appears whole or not at all. Arguments as of `build_report`.

    Raises:
        InputError, MissingExtraError: See `build_report`; also if ``out`` is a directory.
        StorageError: If it cannot be written.
    """
    save_page(lambda: build_report(runs, seed=seed, semeval_questions=semeval_questions), out)


def _task(runs: Sequence[ScoredRun], seed: int, page_bytes: int, semeval_questions: bool) -> TaskReport:
    check_comparable(runs)
    task = runs[0].task
    runs = task.ordered(runs)
    sections = task.sections(runs, seed=seed)
    withheld = not semeval_questions and any(asks_semeval(run.run.items("template_id")) for run in runs)
    return TaskReport(
        task=task.name,
        title=task.title,
        signature=runs[0].scores.signature,
        release=runs[0].scores.release,
        runs=tuple(runs),
        overview=_overview(runs),
        clusters=task.clusters(runs[0]),
        comparisons=compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        sections=sections,
        n_samples=runs[0].run.description.options.get("samples", 1),
        **({} if withheld else _questions(runs, page_bytes)),
        withheld=withheld,
        charts=_charts(task.name, sections),
    )


def _charts(of: str, sections: Sequence[Section]) -> dict[str, Spec]:
    """Charts by the id of the element that they are drawn in."""
    return {
        f"{of}-{section.name}-{i}": chart.spec for section in sections for i, chart in enumerate(section.charts)
    }


def _questions(runs: Sequence[ScoredRun], page_bytes: int) -> dict[str, Any]:
    """The questions of runs one by one, where their answers are decided so."""
    answers = [found for run in runs if (found := run.task.single_answers(run)) is not None]
    if len(answers) < len(runs):
        return {}
    known = runs[0].task.known_questions(runs[0])
    return {"questions": embed_questions(runs, answers, known, page_bytes=page_bytes)}


def _overview(runs: Sequence[ScoredRun]) -> ReportTable:
    """A line of each run; a figure that one of them lacks stands as a dash."""
    lines = []
    for run in runs:
        table = run.task.overview(run)
        usage = run.scores.usage.columns() if run.scores.usage is not None else {}
        lines.append(dict(zip(table.head, table.rows[0], strict=True)) | repeat_columns(run) | usage)
    head = tuple(dict.fromkeys(name for line in lines for name in line))
    return ReportTable(head, tuple(tuple(line.get(name, "–") for name in head) for line in lines))


@cache
def _template() -> Template:
    environment = page_environment().overlay()
    environment.filters = environment.filters | {
        "figure": _figure,
        "p_value": _p_value,
        "regions": regions_in_words,
    }
    return environment.get_template(TEMPLATE)


def _figure(estimate: Any, signed: bool = False) -> str:
    """A score or an estimate with its interval: ``61.3 [58.0, 64.5]``."""
    form = "{:+.1f}".format if signed else "{:.1f}".format
    if estimate is None or estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return form(estimate.value)
    return f"{form(estimate.value)} [{form(estimate.low)}, {form(estimate.high)}]"


def _p_value(p_value: float) -> str:
    return "p\u00a0<\u00a00.001" if p_value < 0.001 else f"p\u00a0=\u00a0{p_value:.3f}"
