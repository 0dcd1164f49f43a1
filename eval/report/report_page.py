"""The page: scored runs as one HTML file that needs no network, for a screen of any width."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.eval.report.hardest_questions import HardQuestion
from blend.eval.report.model_comparison import ModelComparison, compare_scored
from blend.eval.report.report_sections import ReportTable, Section, region_name, regions_in_words
from blend.eval.report.score_charts import Spec, chart_library, land
from blend.eval.report.scored_runs import ScoredRun, check_comparable
from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.storage import storage_errors
from blend.schemas.distribution import DISTRIBUTION
from blend.schemas.errors import InputError
from blend.version import __version__

TEMPLATE = "report.html.j2"

OPEN_QUESTIONS = 8
"""Hardest questions that are shown at once; the others unfold."""

SHOWN_CHARACTERS = 600
"""Characters of a prompt or an answer that are shown."""

# Characters that reorder the text around them: embeddings, overrides and isolates. The page isolates every text
# itself. Joiners and marks of direction stay: Persian and Assamese words are spelled with them.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT_CONTROLS = frozenset("\n\t")


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
    overviews: tuple[ReportTable, ...]
    """A line of each run."""
    clusters: tuple[str, ...]
    """What its intervals are over, where it is not templates."""
    comparisons: ModelComparison | None
    """How they differ; null for one run, or where none is better than another one."""
    sections: tuple[Section, ...]
    """Charts and tables."""
    hardest: tuple[HardQuestion, ...]
    """What the models get wrong."""
    charts: dict[str, Spec] = field(default_factory=dict)
    """Charts by the id of the element that they are drawn in."""


def build_report(runs: Sequence[ScoredRun], *, seed: int = 0) -> str:
    """The report on scored runs, as HTML.

    Args:
        runs: Runs; those of one task must have equal signatures, the model apart.
        seed: Seed of intervals and tests.

    Raises:
        InputError: If no run is named, or the signatures of a task's runs differ.
        MissingExtraError: If the libraries that draw are not installed.
    """
    if not runs:
        raise InputError("no run to report on; name one or more run directories")
    library = chart_library()
    by_task: dict[str, list[ScoredRun]] = {}
    for run in runs:
        by_task.setdefault(run.scores.task, []).append(run)
    tasks = [_task(of_task, seed) for of_task in by_task.values()]
    return (
        _environment()
        .get_template(TEMPLATE)
        .render(
            tasks=tasks,
            items=list(
                dict.fromkeys(words for task in tasks for words in task.runs[0].task.clusters(task.runs[0]))
            ),
            charts={name: spec for task in tasks for name, spec in task.charts.items()},
            library=_for_script(library),
            land=_for_script(land()),
            sdk=DISTRIBUTION,
            n_open=OPEN_QUESTIONS,
            version=__version__,
        )
    )


def save_report(runs: Sequence[ScoredRun], out: Path, *, seed: int = 0) -> None:
    """Write the report on scored runs; the file appears whole or not at all.

    Raises:
        InputError, MissingExtraError: See `build_report`; also if ``out`` is a directory.
        StorageError: If it cannot be written.
    """
    if out.is_dir():
        raise InputError(f"{out}: is a directory; `out` names an HTML file")
    page = build_report(runs, seed=seed)
    with storage_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(out, page)


def _task(runs: Sequence[ScoredRun], seed: int) -> TaskReport:
    check_comparable(runs)
    task = runs[0].task
    runs = task.ordered(runs)
    sections = task.sections(runs, seed=seed)
    return TaskReport(
        task=task.name,
        title=task.title,
        signature=runs[0].scores.signature,
        release=runs[0].scores.release,
        runs=tuple(runs),
        overviews=tuple(task.overview(run) for run in runs),
        clusters=task.clusters(runs[0]),
        comparisons=compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        sections=sections,
        hardest=task.hardest(runs),
        charts={
            f"{task.name}-{section.name}-{i}": chart.spec
            for section in sections
            for i, chart in enumerate(section.charts)
        },
    )


def visible(text: str, characters: int = SHOWN_CHARACTERS) -> str:
    """A text of others as the page shows it; the template escapes what HTML would read as markup.

    Control characters and those that would turn the text around them stand as their code; a long text is cut
    and says how long it is.
    """
    cut = text[:characters].strip("\n")
    safe = "".join(f"\\u{ord(c):04x}" if _is_unsafe(c) else c for c in cut)
    return f"{safe}… ({len(text):,} characters)" if len(text) > characters else safe


def _is_unsafe(character: str) -> bool:
    if character in _KEPT_CONTROLS:
        return False
    return character in _REORDERING or unicodedata.category(character) in ("Cc", "Cs")


def _for_script(text: str) -> str:
    """JavaScript or JSON that neither ends its script element nor opens another, whatever strings it holds."""
    return re.sub(r"<(?=/?script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(lambda name: (files("blend.eval.report") / name).read_text(encoding="utf-8")),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": visible,
        "figure": _figure,
        "p_value": _p_value,
        "regions": regions_in_words,
        "region": region_name,
    }
    return environment


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
