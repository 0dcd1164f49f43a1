"""Sections of texts for readers of many nationalities: variance, words, correlations."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from blend.eval.report.report_sections import (
    ReportChart,
    Section,
    cell,
    chart_spec,
    keys_best_first,
    marks_chart,
    table_section,
)
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.run_directory import read_frame
from blend.eval.scores_json import UNANSWERED, Score, score_again
from blend.eval.tasks.cultural_prompts.cultural_scores import FOLDER, WORDS_NAME
from blend.eval.tasks.cultural_prompts.topic_analysis import ODDITIES

WORDS = 10
"""Words per nationality that are shown."""


def cultural_sections(runs: Sequence[ScoredRun]) -> tuple[Section | None, ...]:
    """The sections on comparable runs; null without figures for one."""
    agreements = (_agreement(runs, *of) for of in _surveys(runs[0]))
    return _variances(runs), *agreements, _words(runs)


def cultural_overview(run: ScoredRun) -> dict[str, str]:
    """A run's line in the overview."""
    figures = {
        "variance-ratio-unbiased": ("between / within, unbiased", 2),
        "variance-ratio": ("between / within, published", 2),
        **{
            f"tau-{measure}-{survey}": (f"τ of {_MEASURES[measure]} and {survey}", 3)
            for measure, survey in _surveys(run)
        },
        **{name: (f"{name}, %", 1) for name in ODDITIES},
    }
    cells: dict[str, str] = {}
    for split in _splits(run):
        for metric, (label, digits) in figures.items():
            score = run.of(metric, "split").get(split) if split else run.overall(metric)
            if score is not None and (score.value or metric not in ODDITIES):
                cells[f"{split}: {label}" if split else label] = cell(score, digits)
    if (unanswered := run.overall(UNANSWERED)) is not None and unanswered.value:
        cells["unanswered, %"] = cell(unanswered, 1)
    cells["texts"] = f"{run.run.description.n_items:,}"
    return cells


_MEASURES = {"bleu": "BLEU", "wed": "−WED"}


def _splits(run: ScoredRun) -> list[str]:
    return list(run.of("texts", "split")) or [""]


def _surveys(run: ScoredRun) -> list[tuple[str, str]]:
    """Measure and survey of the correlations that a run has, in order."""
    names = dict.fromkeys(score.metric for score in run.scores.scores if score.metric.startswith("tau-"))
    found = (name.split("-", 2) for name in names if not name.endswith("-significant"))
    return [(measure, survey) for _, measure, survey in found]


def _variances(runs: Sequence[ScoredRun]) -> Section | None:
    metrics = [f"variance-{what}{kind}" for kind in ("-unbiased", "") for what in ("across", "within")]
    pictures, cells = [], []
    for run in runs:
        found = [run.of(metric, "topic") for metric in metrics]
        across, within, *_ = found
        cells += [(run.name, topic, *(cell(of[topic], 3) for of in found)) for topic in across]
        rows: list[dict[str, Any]] = [
            {
                "topic": topic,
                "split": topic.partition("/")[0] if _splits(run) != [""] else "texts",
                "across": round(between.value, 3),
                "within": round(inside, 3),
            }
            for topic, between in across.items()
            if between.value is not None and (inside := within[topic].value) is not None
        ]
        if rows:
            largest = max(max(row["within"], row["across"]) for row in rows)
            about = f"Variance between and within nationalities: {run.name}"
            spec = chart_spec("variance", about, height=340, data=rows, largest=largest)
            pictures.append(ReportChart(run.name, spec))
    return table_section(
        "Variance between and within nationalities",
        "Each mark is a topic: half of the mean squared word edit distance of two texts for different "
        "nationalities (upwards) and of two samples for the same one (to the right), both without "
        "bias. Above the dashed line, the nationality makes a difference.",
        ("model", "topic", "between", "within", "between, published", "within, published"),
        cells,
        charts=pictures,
    )


def _agreement(runs: Sequence[ScoredRun], measure: str, survey: str) -> Section | None:
    title = f"Kendall’s τ of {_MEASURES[measure]} and {survey}"
    pictures, cells = [], []
    for run in runs:
        by_split: dict[str, dict[str, Score]] = {}
        for key, score in run.of(f"tau-{measure}-{survey}", "anchor").items():
            split, _, anchor = key.rpartition("/")
            cells.append((run.name, split or "texts", anchor, cell(score, 3)))
            by_split.setdefault(split or "texts", {})[anchor] = score
        if order := keys_best_first(by_split):
            spec = marks_chart(by_split, order, title, line=(0, ""), digits=3)
            pictures.append(ReportChart(run.name, spec))
    return table_section(
        f"Agreement with {survey}, by {_MEASURES[measure]}",
        "For every nationality: do the texts for those whose values are close to its own resemble its texts "
        "more? Kendall’s τ is 1 if the two orders of all others agree, −1 if one is the other reversed, 0 if "
        "they have nothing in common. Mean over topics with its 95 % interval.",
        ("model", "kind of text", "nationality", "τ"),
        cells,
        charts=pictures,
    )


def _words(runs: Sequence[ScoredRun]) -> Section | None:
    cells = []
    for run in runs:
        table = read_frame(run.run.directory / FOLDER / WORDS_NAME, fix=score_again(run.run))
        words = table.filter(pl.col("rank") <= WORDS)
        rows = words.filter(pl.col("category").is_null() & pl.col("split").is_not_null())
        listed = rows.group_by("group", "split", maintain_order=True).agg(pl.col("word"))
        cells += [(run.name, group, split or "texts", ", ".join(of)) for group, split, of in listed.iter_rows()]
    return table_section(
        "Words of every nationality",
        f"The {WORDS} words with the highest TF-IDF: frequent in the texts for one nationality, rare in "
        "those for others.",
        ("model", "nationality", "kind of text", "words"),
        cells,
        is_open=len(cells) <= 2 * WORDS,
    )
