"""Sections of texts for readers of many nationalities: variance, words, correlations."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from blend.eval.report import ScoredRun
from blend.eval.report.report_sections import (
    ReportChart,
    Section,
    cell,
    chart_spec,
    marks_section,
    table_section,
)
from blend.eval.scores_json import UNANSWERED, Score
from blend.eval.tasks.cultural_prompts.cultural_scores import WORDS_NAME
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


_VARIANCES = [f"variance-{what}{kind}" for kind in ("-unbiased", "") for what in ("across", "within")]


def _variances(runs: Sequence[ScoredRun]) -> Section | None:
    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        across, *others = (run.of(metric, "topic") for metric in _VARIANCES)
        for topic, found in across.items():
            yield topic, cell(found, 3), *(cell(of[topic], 3) for of in others)

    charts = []
    for run in runs:
        across, within = (run.of(metric, "topic") for metric in _VARIANCES[:2])
        marks: list[dict[str, Any]] = [
            {
                "topic": topic,
                "split": topic.partition("/")[0] if _splits(run) != [""] else "texts",
                "across": round(between.value, 3),
                "within": round(inside, 3),
            }
            for topic, between in across.items()
            if between.value is not None and (inside := within[topic].value) is not None
        ]
        if marks:
            largest = max(max(mark["within"], mark["across"]) for mark in marks)
            about = f"Variance between and within nationalities: {run.name}"
            spec = chart_spec("variance", about, height=340, data=marks, largest=largest)
            charts.append(ReportChart(run.name, spec))
    return table_section(
        "Variance between and within nationalities",
        "Each mark is a topic: half of the mean squared word edit distance of two texts for different "
        "nationalities (upwards) and of two samples for the same one (to the right), both without "
        "bias. Above the dashed line, the nationality makes a difference.",
        ("topic", "between", "within", "between, published", "within, published"),
        runs,
        rows_of,
        charts=charts,
    )


def _agreement(runs: Sequence[ScoredRun], measure: str, survey: str) -> Section | None:
    scores: dict[str, dict[str, Score]] = {}
    for run in runs:
        for key, score in run.of(f"tau-{measure}-{survey}", "anchor").items():
            kind, _, anchor = key.rpartition("/")
            scores.setdefault(", ".join(filter(None, (run.name, kind))), {})[anchor] = score
    return marks_section(
        f"Agreement with {survey}, by {_MEASURES[measure]}",
        "For every nationality: do the texts for those whose values are close to its own resemble its texts "
        "more? Kendall’s τ is 1 if the two orders of all others agree, −1 if one is the other reversed, 0 if "
        "they have nothing in common. Mean over topics with its 95 % interval.",
        scores,
        f"Kendall’s τ of {_MEASURES[measure]} and {survey}",
        key="nationality",
        line=(0, ""),
        digits=3,
    )


def _words(runs: Sequence[ScoredRun]) -> Section | None:
    def rows_of(run: ScoredRun) -> Iterator[tuple[str, ...]]:
        table = run.table(WORDS_NAME)
        words = table.filter(pl.col("rank") <= WORDS)
        rows = words.filter(pl.col("category").is_null() & pl.col("split").is_not_null())
        listed = rows.group_by("group", "split", maintain_order=True).agg(pl.col("word"))
        for group, split, of in listed.iter_rows():
            yield group, split or "texts", ", ".join(of)

    return table_section(
        "Words of every nationality",
        f"The {WORDS} words with the highest TF-IDF: frequent in the texts for one nationality, rare in "
        "those for others.",
        ("nationality", "kind of text", "words"),
        runs,
        rows_of,
    )
