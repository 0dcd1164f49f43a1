"""Pages: scored runs, or a release to look through, as one HTML file that needs no network.

Texts of others cannot break them, and they fit a screen of any width.
"""

import base64
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, FunctionLoader, StrictUndefined

from blend.eval.recorded_answers import asks_semeval
from blend.eval.report.model_comparison import check_comparable, compare_scored
from blend.eval.report.report_sections import cell, chart_library
from blend.eval.report.scored_runs import (
    REASONS,
    KnownQuestion,
    KnownQuestions,
    ScoredRun,
    answer_groups,
    region_name,
)
from blend.eval.runs import is_of_people
from blend.eval.scores_json import FEW_MARK
from blend.eval.tasks import task_of
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


class _EmbeddedQuestions(NamedTuple):
    """Single questions of a task."""

    data: str
    """`_packed` questions, as ``questions.js`` reads them."""
    left_out: tuple[str, ...]
    """What is not on the page, in words for a reader."""


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
    page_bytes = _PAGE_BYTES // len(by_task)
    tasks = [_task(of_task, seed, page_bytes, semeval_questions) for of_task in by_task.values()]
    return (
        _environment()
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


def _task(runs: Sequence[ScoredRun], seed: int, page_bytes: int, semeval_questions: bool) -> dict[str, Any]:
    """Part of the page about one task, by the names that the template has for it."""
    notes = check_comparable(runs)
    task = task_of(runs[0].scores.task)
    runs = task.ordered(runs)
    withheld = not semeval_questions and any(asks_semeval(run.run.items("template_id")) for run in runs)
    return {
        "runs": runs,
        "overview": _overview(runs),
        "comparisons": compare_scored(runs, seed=seed) if len(runs) > 1 else None,
        "sections": [section for section in task.sections(runs) if section is not None],
        "questions": None if withheld else _single_questions(runs, page_bytes),
        "withheld": withheld,
        "clusters": task.clusters(runs[0]),
        "notes": notes,
    }


def _single_questions(runs: Sequence[ScoredRun], page_bytes: int) -> _EmbeddedQuestions | None:
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


# Every question with every answer.

_PAGE_BYTES = 6_000_000
"""Bytes that the single questions of a page may take; with charts and the library that draws them it stays
below 8 MB, which mail and browsers take."""

_FACETS = {"region": "Region", "topic": "Topic", "language": "Language", "prompt_id": "Prompt"}
"""Columns of items by which a reader filters, and what they are called."""

_CHARACTERS = 500
"""Characters of a text that are kept where all of them would not fit; then questions are left out."""


def embed_questions(
    runs: Sequence[ScoredRun],
    answers: Sequence[pl.DataFrame],
    known: KnownQuestions,
    *,
    page_bytes: int = _PAGE_BYTES,
) -> _EmbeddedQuestions:
    """Pack the questions of comparable runs with every answer.

    Args:
        runs: Comparable runs.
        answers: `SINGLE_ANSWERS` of each.
        known: Their gold answers and distractors.
        page_bytes: Bytes that they may take. Where they take more, texts are shortened, then questions are left
            out, evenly over the items.
    """
    items = runs[0].run.items("item_id", *_FACETS, "prompt")
    facets = [name for name in _FACETS if items[name].n_unique() > 1]
    questions = _asked_questions(items, facets, answers, known)
    about = {"facets": [_FACETS[name] for name in facets], "models": [run.name for run in runs]}
    left_out: list[str] = []
    kept = questions
    data = _packed({**about, "questions": questions})
    if len(data) > page_bytes:
        left_out.append(f"Texts are cut at {_CHARACTERS:,} characters.")
        kept = questions = _cut(questions)
        data = _packed({**about, "questions": kept})
    while len(data) > page_bytes and len(kept) > 1:
        n_kept = max(1, int(len(kept) * 0.95 * page_bytes / len(data)))
        kept = [questions[i * len(questions) // n_kept] for i in range(n_kept)]
        data = _packed({**about, "questions": kept})
    if len(kept) < len(questions):
        left_out.append(f"{len(kept):,} of {len(questions):,} questions are here, taken evenly from all.")
    return _EmbeddedQuestions(data, tuple(left_out))


def _asked_questions(
    items: pl.DataFrame, facets: Sequence[str], answers: Sequence[pl.DataFrame], known: KnownQuestions
) -> list[dict[str, Any]]:
    """A row for each item: its values of the facets, what is known of it, and the answer of each model."""
    ids = items["item_id"]
    by_model = [
        items.select("item_id")
        .join(of_run, on="item_id", how="left", maintain_order="left")
        .select(
            pl.col("correct").cast(pl.Int8).fill_null(2),  # 2 without an answer
            pl.col("why").replace(dict(REASONS)),
            *("answer", "reply", "thought", "matched"),
        )
        .with_columns(pl.col(pl.String).fill_null(""))
        .rows()
        for of_run in answers
    ]
    values = [map(region_name, items[name]) if name == "region" else items[name] for name in facets]
    return [
        {
            "id": item_id,
            "facets": of_facets,
            "title": known.get(item_id, KnownQuestion(())).title,
            "prompt": prompt,
            "candidates": known.get(item_id, KnownQuestion(())).candidates,
            "answers": of_models,
        }
        for item_id, of_facets, prompt, of_models in zip(
            ids, _transposed(values, len(ids)), items["prompt"], _transposed(by_model, len(ids)), strict=True
        )
    ]


def _transposed(columns: Sequence[Iterable[Any]], n_rows: int) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * n_rows


_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


def _packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9, wbits=_RAW_DEFLATE)).decode("ascii")


def _cut(value: Any) -> Any:
    """Data with its long texts cut."""
    if isinstance(value, str):
        return shortened(value, _CHARACTERS)
    if isinstance(value, dict):
        return {name: _cut(one) for name, one in value.items()}
    return [_cut(one) for one in value] if isinstance(value, list | tuple) else value


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
            data=_packed({"facets": ["Region", "Topic", "Finding"], "regions": True, "questions": questions}),
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
