"""The page: scored runs as one HTML file that needs no network, for a screen of any width."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Template

from blend.eval.recorded_answers import asks_semeval
from blend.eval.report.model_comparison import ModelComparison, compare_scored
from blend.eval.report.page_template import for_script, page_environment, save_page
from blend.eval.report.report_sections import (
    Section,
    cell,
    chart_library,
    figure,
    known_regions,
    region_name,
    table_section,
)
from blend.eval.report.scored_runs import ScoredRun, check_comparable
from blend.eval.report.single_answers import PAGE_BYTES, EmbeddedQuestions, embed_questions
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import FEW_MARK, Score
from blend.eval.tasks.multiple_choice import RUNGS
from blend.schemas.errors import InputError
from blend.schemas.summaries import NOTHING, Table

_COLUMNS = 6
"""Figures in a row of the overview: more would be cut off beside a model's name on a usual screen."""


class _TaskReport(NamedTuple):
    """Part of the page about one task."""

    runs: tuple[ScoredRun, ...]
    """The runs, in the order of the page; what they share is that of the first."""
    overview: tuple[list[str], list[list[str]]]
    """Names of its columns, and a line of each run."""
    comparisons: ModelComparison | None
    """How they differ; null for one run, or where none is better than another one."""
    sections: tuple[Section, ...]
    """Charts and tables."""
    questions: EmbeddedQuestions | None
    """Every question with every answer; null where answers are not decided one by one."""
    withheld: bool
    """Whether its questions are left out, since nobody may pass them on."""


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
    ladder = ladder_section(runs)
    first_runs = [task.runs[0] for task in tasks]
    return _template().render(
        tasks=tasks,
        ladder=ladder,
        items=list(dict.fromkeys(words for run in first_runs for words in run.task.clusters(run))),
        charts={
            # By the id of the element that they are drawn in.
            f"{task.runs[0].task.name}-{section.name}-{number}": chart.spec
            for task in tasks
            for section in task.sections
            for number, chart in enumerate(section.charts)
        },
        library=for_script(library),
        n_columns=_COLUMNS,
        few_mark=FEW_MARK,
        repeats=_BETWEEN_RUNS,
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


def _task(runs: Sequence[ScoredRun], seed: int, page_bytes: int, semeval_questions: bool) -> _TaskReport:
    check_comparable(runs)
    task = runs[0].task
    runs = task.ordered(runs)
    withheld = not semeval_questions and any(asks_semeval(run.run.items("template_id")) for run in runs)
    return _TaskReport(
        tuple(runs),
        _overview(runs),
        compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        tuple(section for section in task.sections(runs) if section is not None),
        None if withheld else _questions(runs, page_bytes),
        withheld,
    )


def _questions(runs: Sequence[ScoredRun], page_bytes: int) -> EmbeddedQuestions | None:
    """The questions of runs one by one, where their answers are decided so."""
    answers = [found for run in runs if (found := run.task.single_answers(run)) is not None]
    if len(answers) < len(runs):
        return None
    known = runs[0].task.known_questions(runs[0])
    return embed_questions(runs, answers, known, page_bytes=page_bytes)


def _overview(runs: Sequence[ScoredRun]) -> tuple[list[str], list[list[str]]]:
    """A line of each run; a figure that one of them lacks stands as a dash."""
    lines = [
        run.task.overview(run)
        | _repeat_columns(run)
        | ({} if run.scores.usage is None else run.scores.usage.columns())
        for run in runs
    ]
    head = list(dict.fromkeys(name for line in lines for name in line))
    return head, [[line.get(name, NOTHING) for name in head] for line in lines]


@cache
def _template() -> Template:
    environment = page_environment().overlay()
    environment.filters = environment.filters | {
        "figure": figure,
        "p_value": _p_value,
        "regions": _regions_in_words,
    }
    environment.tests = environment.tests | {"wordy": _is_wordy}
    return environment.get_template("report.html.j2")


def _is_wordy(table: Table) -> bool:
    """Whether a table holds text to be read in lines, and not only figures and names."""
    return any(len(text) > _FIGURE_CHARACTERS for row in table.cells() for text in row[1:])


_FIGURE_CHARACTERS = 32


def _regions_in_words(codes: Iterable[str]) -> str:
    """Regions as a sentence names them, by name: ``South Korea, the UK``."""
    known = known_regions()
    return ", ".join(
        known[code].prompt_name if code in known else code for code in sorted(codes, key=region_name)
    )


def _p_value(p_value: float) -> str:
    return "p\u00a0<\u00a00.001" if p_value < 0.001 else f"p\u00a0=\u00a0{p_value:.3f}"


_BETWEEN_RUNS = "between runs, %"
"""Head of the column with the score and the interval that it would have in further runs."""


def _repeat_columns(run: ScoredRun) -> dict[str, str]:
    """Cells of the overview about the figure that a task is about; none where questions were asked once."""
    for metric in run.task.repeated:
        for name in (f"{metric}-macro", metric):
            if (score := run.overall(f"{name}-between-runs")) is not None:
                items, repeats = (run.overall(f"{name}-stderr-{source}") for source in ("items", "repeats"))
                return {_BETWEEN_RUNS: cell(score), "variance from repeats, %": _share(items, repeats)}
    return {}


def _share(items: Score | None, repeats: Score | None) -> str:
    """The repeats' share of the variance; unknown where one of both parts is."""
    if items is None or repeats is None or items.value is None or repeats.value is None:
        return NOTHING
    return f"{100 * repeats.value**2 / (items.value**2 + repeats.value**2):.0f}"


def ladder_section(runs: Sequence[ScoredRun]) -> Section | None:
    """The headlines of runs side by side, unless those of one release stand on a single rung.

    Nor where runs have other limits: they do not compare.
    """
    of_rungs = [run for rung in RUNGS for run in runs if run.scores.task == rung]
    people = {run.name for run in of_rungs if is_of_people(run.run.description)}
    rungs = list(dict.fromkeys(run.task.title for run in of_rungs))
    # People answer a few of all questions.
    limits = {run.run.description.options.get("limit") for run in of_rungs if run.name not in people}
    if len(rungs) < 2 or len({run.scores.release for run in of_rungs}) > 1 or len(limits) > 1:
        return None
    scores = {
        (run.name, run.task.title): run.overall(run.task.headline or "accuracy-macro") for run in of_rungs
    }
    models = dict.fromkeys(run.name for run in runs if run.scores.task in RUNGS)
    lines = [(model, *(cell(scores.get((model, rung))) for rung in rungs)) for model in models]
    text = _TEXT + (" What people of the regions answered is the ceiling." if people else "")
    return table_section("ladder", "The ladder", text, ("model", *rungs), lines, is_open=True)


_TEXT = (
    "The same answers asked for in other ways: one of four options; each of the four by itself, and all must "
    "be answered correctly; and in a model’s own words. In brackets stand 95 % intervals over question "
    "templates. Guessing scores 25 % where one of four is chosen; of true or false, a coin tossed for each "
    "option is right about all four in 6 % of the questions. A model far above that on the left and low on the "
    "right finds an answer among options and does not know it."
)
