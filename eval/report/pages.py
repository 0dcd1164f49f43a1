"""Pages: scored runs side by side as HTML, with every question, and the questions of a release to look through.

A page needs no network and no other file. Texts of others cannot break it, and it fits a screen of any width.
"""

import base64
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from blend import __version__
from blend.eval.recorded_answers import asks_semeval
from blend.eval.report import (
    REASONS,
    KnownQuestion,
    KnownQuestions,
    ScoredRun,
    answer_groups,
    region_name,
)
from blend.eval.report.model_comparison import check_comparable, compare_scored
from blend.eval.report.report_sections import cell, chart_library
from blend.eval.runs import is_of_people
from blend.eval.scores_json import FEW_MARK
from blend.eval.tasks import task_of
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_config, read_findings, release_locales
from blend.schemas.errors import DISTRIBUTION, InputError
from blend.schemas.frames import is_scored
from blend.schemas.manifest import FINDINGS_NAME
from blend.schemas.models import packaged_templates, packaged_text
from blend.schemas.reports import finding_kinds
from blend.schemas.rows import ANNOTATIONS
from blend.schemas.summaries import NOTHING, Table, html_table, shortened
from blend.schemas.texts import escape_controls

if TYPE_CHECKING:
    from jinja2 import Environment

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


# The questions of runs, one by one with every answer.

_FACETS = {"region": "Region", "topic": "Topic", "language": "Language", "prompt_id": "Prompt"}
"""Columns of items by which a reader filters, and what they are called."""


def embed_questions(
    runs: Sequence[ScoredRun], answers: Sequence[pl.DataFrame], known: KnownQuestions, *, page_bytes: int
) -> tuple[str, str]:
    """Pack the questions of comparable runs with every answer.

    Args:
        runs: Comparable runs.
        answers: `report.single_answers` of each.
        known: Their gold answers and distractors.
        page_bytes: Bytes that they may take; questions beyond are left out, evenly over the items.

    Returns:
        The questions as ``questions.js`` reads them, and what is not among them, in words for a reader.
    """
    items = runs[0].run.items("item_id", "prompt", *_FACETS)
    facets = [name for name in _FACETS if items[name].n_unique() > 1]
    about = {"facets": [_FACETS[name] for name in facets], "models": [run.name for run in runs]}
    kept = questions = _asked_questions(items.select("item_id", "prompt", *facets), answers, known)
    data = _packed({**about, "questions": kept})
    while len(data) > page_bytes and len(kept) > 1:
        n_kept = max(1, int(len(kept) * 0.95 * page_bytes / len(data)))
        kept = [questions[i * len(questions) // n_kept] for i in range(n_kept)]
        data = _packed({**about, "questions": kept})
    if len(kept) == len(questions):
        return data, ""
    return data, f"{len(kept):,} of {len(questions):,} questions are here, taken evenly from all."


def _asked_questions(
    items: pl.DataFrame, answers: Sequence[pl.DataFrame], known: KnownQuestions
) -> list[dict[str, Any]]:
    """A row for each item: its values of the facets, what is known of it, and the answer of each model."""
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
    if "region" in items.columns:
        names = {code: region_name(code) for code in items["region"].unique()}
        items = items.with_columns(pl.col("region").replace(names))
    nothing = KnownQuestion(())
    return [
        {
            "id": item_id,
            "facets": facets,
            "title": known.get(item_id, nothing).title,
            "prompt": prompt,
            "candidates": known.get(item_id, nothing).candidates,
            "answers": of_models,
        }
        for (item_id, prompt, *facets), *of_models in zip(items.iter_rows(), *by_model, strict=True)
    ]


_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


def _packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9, wbits=_RAW_DEFLATE)).decode("ascii")


# A release as a page, to look through before publishing: every question, and what each region answers.


def build_release_page(release: Path) -> str:
    """The questions of a release with what every region answers, as HTML.

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
    questions = _questions(release, findings)
    kinds, known = Counter(finding["kind"] for finding in findings), finding_kinds()
    rows = [(kind, n, known[kind].meaning if kind in known else "") for kind, n in kinds.most_common()]
    return (
        page_environment()
        .get_template("release.html.j2")
        .render(
            name=f"{manifest.name} {manifest.version}",
            data=_packed({"facets": ["Region", "Topic", "Finding"], "regions": True, "questions": questions}),
            findings=Table.of("", ("kind", "how often", "meaning"), rows),
        )
    )


def _findings(path: Path) -> list[dict[str, Any]]:
    """The findings of a release; none where its file is absent."""
    found = read_findings(path) if path.is_file() else ()
    return [{"template_id": None, "locale": None, "detail": "", **finding} for finding in found]


def _questions(release: Path, findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that ``questions.js`` reads: one for each question and region, those of a template together."""
    of_question = defaultdict(list)
    for finding in findings:
        of_question[finding["template_id"], finding["locale"]].append((finding["kind"], finding["detail"]))
    locales = release_locales(release)
    regions = {locale.tag: locales.label(locale) for locale in locales}
    annotations = read_config(release, ANNOTATIONS).with_columns(scored=is_scored())
    questions = []
    for row in annotations.sort("template_id", maintain_order=True).iter_rows(named=True):
        found = of_question.get((row["template_id"], row["locale"]), [])
        # Answers in the local language, then those in English.
        groups = [{**one, "answers": [*one["answers"], *one["en_answers"]]} for one in row["annotations"]]
        questions.append(
            {
                "id": row["template_id"],
                "facets": [regions[row["locale"]], row["topic"], sorted({kind for kind, _ in found})],
                "title": row["en_question"],
                # Its source may have left the question blank.
                "prompt": row["question"] or row["en_question"],
                "candidates": answer_groups(groups),
                "note": _note(row),
                "findings": found,
            }
        )
    return questions


def _note(row: Mapping[str, Any]) -> str:
    """Who did not answer, and what a reader should know of the answers, in words."""
    idks = row["idks"]
    counts = {
        "don’t know": idks["idk"],
        "no answer": idks["no-answer"],
        "not applicable": idks["not-applicable"],
        "another reason": sum(other["count"] for other in idks["others"]),
    }
    parts = [f"{n} {what}" for what, n in counts.items() if n]
    if row["grouping"] == "proposed":
        parts.append("variants merged by rules, not reviewed")
    return "; ".join(parts if row["scored"] else [*parts, "not scored as a short answer"])


# What both pages share.

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


def page_environment() -> "Environment":
    """The templates, and what all of them use."""
    environment = packaged_templates(__package__)
    environment.filters |= {"visible": visible, "table": _table}
    packaged = partial(packaged_text, package=__package__)
    environment.globals |= {"sdk": DISTRIBUTION, "version": __version__, "packaged": packaged}
    return environment
