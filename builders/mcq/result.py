"""What building multiple-choice questions returns: the questions in batches, and why others are missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from blend.builders.mcq.coded import CodedRows, mcq_frame
from blend.builders.mcq.rows import published_rows
from blend.schemas.frames import MCQS, empty
from blend.schemas.locales import Registry

ROWS_PER_BATCH = 20_000
"""Rows from which a batch is handed out; a batch holds whole templates, so it can be larger."""

DROPPED = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "reason": pl.String(), "detail": pl.String()}
)
"""One row per question that yields no multiple-choice question."""

SUMMARY = pl.Schema({"locale": pl.String(), "questions": pl.Int64(), "dropped": pl.Int64(), "mcqs": pl.Int64()})
"""One row per locale, in registry order: questions with and without multiple-choice questions, and how many."""

OUTCOMES = pl.Schema({"locale": pl.String(), "outcome": pl.String(), "answers": pl.Int64()})
"""One row per locale and outcome: answer groups that may be shown as options, or why not."""

FILLERS_USED = pl.Schema(
    {
        "template_id": pl.String(),
        "locale": pl.String(),
        "option": pl.String(),
        "region": pl.String(),
        "reviewer": pl.String(),
        "outcome": pl.String(),
    }
)
"""One row per reviewed filler and question that was short of distractors: what became of the filler.

``used``; ``refused`` (it overlaps, or its region offers an answer of its own); ``not-needed``, also for a
filler that met no short question (its locale is then as in the file); or why it can be no option.
"""


class TemplatePlan(Protocol):
    """The multiple-choice questions of one template, not yet written out."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many there are by locale, for locales that have any."""
        ...

    def rows(self) -> CodedRows:
        """All of them, locales in registry order, then by variant."""
        ...


@dataclass(frozen=True)
class McqBuild:
    """Multiple-choice questions, made when they are asked for, with an account of all others."""

    plans: Sequence[TemplatePlan]
    """One plan per template that yields something, by template id."""
    questions: pl.DataFrame
    """The questions asked, `schemas.frames.QUESTIONS`."""
    locales: Registry
    """Names of the regions."""
    dropped: pl.DataFrame
    """`DROPPED`: every question that yields nothing, with the reason; by template and locale."""
    summary: pl.DataFrame
    """`SUMMARY`: counts by locale."""
    deciders: pl.DataFrame
    """`judges.bench.DECIDERS`: which judge decided how many pairs."""
    outcomes: pl.DataFrame
    """`OUTCOMES`: what became of the regions' answers; empty in paper mode."""
    fillers: pl.DataFrame
    """`FILLERS_USED`: what became of reviewed fillers; empty in paper mode."""

    @property
    def n_mcqs(self) -> int:
        """How many multiple-choice questions there are."""
        return int(self.summary["mcqs"].sum())

    def core(self, *, rows_per_batch: int = ROWS_PER_BATCH) -> Iterator[pl.DataFrame]:
        """The multiple-choice questions without published columns, `schemas.frames.MCQS`.

        Ordered by template, locale in registry order, and variant. Each call starts again; only one batch is
        in memory at a time.
        """
        waiting: list[CodedRows] = []
        for plan in self.plans:
            waiting.append(plan.rows())
            if sum(len(one.ids) for one in waiting) >= rows_per_batch:
                yield mcq_frame(waiting)
                waiting = []
        if waiting:
            yield mcq_frame(waiting)

    def batches(self, *, rows_per_batch: int = ROWS_PER_BATCH) -> Iterator[pl.DataFrame]:
        """The multiple-choice questions as published, `schemas.frames.MCQ_ROWS`, ordered as in `core`."""
        for mcqs in self.core(rows_per_batch=rows_per_batch):
            yield published_rows(mcqs, self.questions, locales=self.locales)

    def frame(self) -> pl.DataFrame:
        """All multiple-choice questions of `core` at once."""
        return pl.concat([empty(MCQS), *self.core()])


def summarise(plans: Sequence[TemplatePlan], dropped: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """`SUMMARY`: what the plans yield and what was dropped, by locale, in the order of ``tags``."""
    mcqs: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    for plan in plans:
        mcqs.update(plan.counts)
        questions.update(plan.counts.keys())
    lost = Counter(dropped["locale"].to_list())
    return pl.DataFrame([(tag, questions[tag], lost[tag], mcqs[tag]) for tag in tags], SUMMARY, orient="row")
