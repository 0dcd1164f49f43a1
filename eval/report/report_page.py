"""Pages: scored runs, or a release to look through, as one HTML file that needs no network.

Texts of others cannot break them, and they fit a screen of any width.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.eval.recorded_answers import asks_semeval
from blend.eval.registry import task_of
from blend.eval.report.model_comparison import ModelComparison, check_comparable, compare_scored
from blend.eval.report.report_sections import Section, cell, chart_library, table_section
from blend.eval.report.scored_runs import ScoredRun, region_name
from blend.eval.report.single_answers import (
    PAGE_BYTES,
    EmbeddedQuestions,
    answer_groups,
    embed_questions,
    packed,
)
from blend.eval.runs.run_description import is_of_people
from blend.eval.scores_json import FEW_MARK
from blend.eval.tasks.multiple_choice import RUNGS
from blend.loaders.files.atomic import PAGE_MARK, check_own_file, replace_own_file, storage_errors
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, read_findings, release_locales
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.frames import is_scored
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS
from blend.schemas.summaries import NOTHING, Table, html_table, shortened
from blend.schemas.texts import escape_controls
from blend.version import __version__

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
    clusters: tuple[str, ...]
    """What intervals are over, where it is not question templates."""
    notes: tuple[str, ...]
    """What a reader of the comparison should know."""


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
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            tasks=tasks,
            ladder=ladder,
            items=list(dict.fromkeys(words for task in tasks for words in task.clusters)),
            charts={
                # By the id of the element that they are drawn in.
                f"{task.runs[0].task.name}-{section.name}-{number}": chart.spec
                for task in tasks
                for section in task.sections
                for number, chart in enumerate(section.charts)
            },
            library=_for_script(library),
            n_columns=_COLUMNS,
            few_mark=FEW_MARK,
            repeats=_BETWEEN_RUNS,
        )
    )


def save_report(
    runs: Sequence[ScoredRun], out: Path, *, seed: int = 0, semeval_questions: bool = False
) -> None:
    """Write the report on scored runs; the file appears whole or not at all. Arguments as of `build_report`.

    Raises:
        InputError, MissingExtraError: See `build_report`; also if ``out`` is a directory.
        StorageError: If it cannot be written.
    """
    _save_page(lambda: build_report(runs, seed=seed, semeval_questions=semeval_questions), out)


def _task(runs: Sequence[ScoredRun], seed: int, page_bytes: int, semeval_questions: bool) -> _TaskReport:
    notes = check_comparable(runs)
    task = task_of(runs[0].scores.task)
    runs = task.ordered(runs)
    withheld = not semeval_questions and any(asks_semeval(run.run.items("template_id")) for run in runs)
    return _TaskReport(
        tuple(runs),
        _overview(runs),
        compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        tuple(section for section in task.sections(runs) if section is not None),
        None if withheld else _single_questions(runs, page_bytes),
        withheld,
        task.clusters(runs[0]),
        notes,
    )


def _single_questions(runs: Sequence[ScoredRun], page_bytes: int) -> EmbeddedQuestions | None:
    """The questions of runs one by one, where their answers are decided so."""
    answers = [found for run in runs if (found := task_of(run.scores.task).single_answers(run)) is not None]
    if len(answers) < len(runs):
        return None
    known = task_of(runs[0].scores.task).known_questions(runs[0])
    return embed_questions(runs, answers, known, page_bytes=page_bytes)


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


# A release as a page, to look through before publishing: every question, and what each region answers.

_MCQS_SHOWN = 20
"""Multiple-choice questions of a question that are shown at most; paper mode has thousands of some."""


def build_release_page(release: Path) -> str:
    """The questions of a release with what every region answers, as HTML that needs no network.

    Args:
        release: Directory of the release.

    Raises:
        InputError: If the directory is not a release, or holds no questions that people answered.
        RowError: If a line of its findings cannot be read.
    """
    manifest = read_manifest(release)
    held = {table.config for table in manifest.tables}
    if ANNOTATIONS not in held:
        raise InputError(
            f"{release}: holds no questions that people answered, which the page shows, but "
            f"{', '.join(sorted(held))}; leave `html` out to see a row of each"
        )
    findings = _findings(release / FINDINGS_NAME)
    mcqs, n_mcqs, n_shown = _mcqs(release) if MULTIPLE_CHOICE_QUESTIONS in held else ({}, 0, 0)
    questions = _questions(release, mcqs, findings)
    first = f"the first {_MCQS_SHOWN} of each question"
    left_out = f"{n_shown:,} of {n_mcqs:,} multiple-choice questions are here, {first}."
    kinds, known = Counter(finding["kind"] for finding in findings), finding_kinds()
    return (
        _environment()
        .get_template("release.html.j2")
        .render(
            name=f"{manifest.name} {manifest.version}",
            data=packed({"facets": ["Region", "Topic", "Finding"], "regions": True, "questions": questions}),
            left_out=left_out if n_shown < n_mcqs else "",
            findings=Table.of(
                "",
                ("kind", "how often", "meaning"),
                [(kind, n, known[kind].meaning if kind in known else "") for kind, n in kinds.most_common()],
            ),
        )
    )


def save_release_page(release: Path, html: Path) -> None:
    """Write the page of a release; the file appears whole or not at all.

    Raises:
        InputError, RowError: See `build_release_page`; also if ``html`` is a directory.
        StorageError: If it cannot be written.
    """
    _save_page(lambda: build_release_page(release), html, name="html")


def _findings(path: Path) -> list[dict[str, Any]]:
    """The findings of a release; none where its file is absent."""
    if not path.is_file():
        return []
    found = []
    for _, finding in read_findings(path):
        if isinstance(finding, Exception):
            raise finding
        found.append({"template_id": None, "locale": None, "detail": "", **finding})
    return found


_Key = tuple[str, str]
"""Template and locale."""


def _mcqs(release: Path) -> tuple[Mapping[_Key, list[Any]], int, int]:
    """Number of the answer, options and their regions of each question, how many there are, and are shown."""
    rows = read_config(release, MULTIPLE_CHOICE_QUESTIONS)
    shown = rows.filter(pl.int_range(pl.len()).over("template_id", "locale") < _MCQS_SHOWN)
    columns = ("template_id", "locale", "answer", "options", "option_regions")
    found = defaultdict(list)
    for template_id, locale, answer, options, regions in shown.select(columns).iter_rows():
        named = [""] * len(options) if regions is None else [region_name(region) for region in regions]
        found[template_id, locale].append([answer, options, named])
    return found, rows.height, shown.height


def _questions(
    release: Path, mcqs: Mapping[_Key, list[Any]], findings: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows that ``questions.js`` reads: one for each question and region, those of a template together."""
    of_question = defaultdict(list)
    for finding in findings:
        of_question[finding["template_id"], finding["locale"]].append((finding["kind"], finding["detail"]))
    regions = {locale.tag: locale.region_name for locale in release_locales(release)}
    annotations = read_config(release, ANNOTATIONS).with_columns(scored=is_scored())
    questions = []
    for row in annotations.sort("template_id", maintain_order=True).iter_rows(named=True):
        key = row["template_id"], row["locale"]
        found = of_question.get(key, [])
        kinds = sorted({kind for kind, _ in found})
        # Answers in the local language, then those in English.
        groups = [{**one, "answers": [*one["answers"], *one["en_answers"]]} for one in row["annotations"]]
        questions.append(
            {
                "id": row["template_id"],
                "facets": [regions[row["locale"]], row["topic"], kinds],
                "title": row["en_question"],
                # Its source may have left the question blank.
                "prompt": row["question"] or row["en_question"],
                "candidates": answer_groups(groups),
                "note": _note(row),
                "mcqs": mcqs.get(key, []),
                "findings": found,
            }
        )
    return questions


def _note(row: Mapping[str, Any]) -> str:
    """Who did not answer, and what a reader should know of the answers, in words."""
    idks = row["idks"]
    others = sum(other["count"] for other in idks["others"])
    counts = {
        "don’t know": idks["idk"],
        "no answer": idks["no-answer"],
        "not applicable": idks["not-applicable"],
        "another reason": others,
    }
    parts = [f"{n} {what}" for what, n in counts.items() if n]
    if row["grouping"] == "proposed":
        parts.append("variants merged by rules, not reviewed")
    return "; ".join(parts if row["scored"] else [*parts, "not scored as a short answer"])


# What both pages share.

_A_PAGE = "a page"

_SHOWN_CHARACTERS = 600
"""Characters of a prompt or an answer that are shown."""


def visible(text: str, characters: int = _SHOWN_CHARACTERS) -> str:
    """A text of others as the page shows it; the template escapes what HTML would read as markup.

    Control characters and those that would turn the text around them stand as their code, as in
    ``questions.js``; a long text is cut and says how long it is. The page isolates every text itself.
    """
    return escape_controls(shortened(text, characters).strip("\n"))


def _table(table: Table) -> str:
    """A table without its title, which stands above it as a heading."""
    return html_table(table._replace(title=""), characters=_SHOWN_CHARACTERS)


def _for_script(text: str) -> str:
    """JavaScript or JSON that neither ends its script element nor opens another, whatever strings it holds."""
    return re.sub(r"<(?=/?script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


def _packaged(name: str) -> str:
    """The text of a file beside the templates."""
    return (files("blend.eval.report") / name).read_text(encoding="utf-8")


def _save_page(build: Callable[[], str], out: Path, *, name: str = "out") -> None:
    """Write a page; the file appears whole or not at all.

    Args:
        build: Makes the page.
        out: The file; a page of ours that is there is replaced, since the next scores make a new one.
        name: Name of the parameter that names the file, for messages.

    Raises:
        InputError: If it is a directory, or anything but a page of ours.
        StorageError: If it cannot be written.
    """
    if out.is_dir():
        raise InputError(f"{out}: is a directory; `{name}` names an HTML file")
    with storage_errors(out):
        check_own_file(out, mark=PAGE_MARK, what=_A_PAGE, parameter=name)
    replace_own_file(out, build(), mark=PAGE_MARK, what=_A_PAGE, parameter=name)


@cache
def _environment() -> Environment:
    """The templates, and what all of them use."""
    environment = Environment(
        loader=FunctionLoader(_packaged),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "table": _table}
    environment.globals |= {"sdk": DISTRIBUTION, "version": __version__, "packaged": _packaged}
    return environment
