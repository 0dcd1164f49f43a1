"""Audit: what simple rules get right in multiple-choice questions, and what gives answers away.

Questions come in as a frame, whoever made them; the figures go out as frames. The package knows nothing of how
questions are made, and of no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from blend.builders.audit.checking import checked_questions
from blend.builders.audit.leaks import LEAKS
from blend.builders.audit.learning import combined_scores
from blend.builders.audit.measuring import EXAMPLES, Outcome, examples_of, measured, outcome_of
from blend.builders.audit.question_arrays import (
    EVIDENCE,
    QUESTIONS,
    FloatArray,
    QuestionArrays,
    question_arrays,
)
from blend.builders.audit.solvers import KNOWS_OTHERS, NEEDS_ALL, SOLVERS, Known, Solver
from blend.schemas.frames import in_slices
from blend.schemas.locales import Registry, registry
from blend.schemas.summaries import Summarised, Summary, written
from blend.schemas.texts import pluralise

COMBINED = "combined"
"""Name of the baseline that weighs all others but those that need the whole set or other regions' answers."""

DEFINITIONS: Mapping[str, str] = {
    **{name: solver.definition for name, solver in SOLVERS.items()},
    COMBINED: "all of these and the leaks, but what needs others' answers or the whole set, weighed as in "
    "other templates",
}
"""Every baseline's rule, in one line."""


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Summarised):
    """The figures of an audit, one frame each; groups and topics are in text order.

    ``questions``, ``templates``, ``accuracy``, ``low``, ``high``, ``chance``, ``overall`` and ``by_pair`` are
    those of `measuring.MEASURED`; ``docs/stats.md`` explains every table.
    """

    size: pl.DataFrame
    """One row per group, and ``all`` first: ``group``, ``questions``, ``templates`` (counts), ``chance``."""
    baselines: pl.DataFrame
    """One row per baseline: ``baseline``, ``definition`` and how it fares."""
    baselines_by_group: pl.DataFrame
    """One row per baseline and group: ``baseline``, ``group`` and how it fares."""
    baselines_by_topic: pl.DataFrame
    """One row per baseline and topic: ``baseline``, ``topic`` and how it fares."""
    leaks: pl.DataFrame
    """One row per cause: ``cause``, ``definition``, how often a flagged option is right, and ``share``, the
    fraction of all questions that have the leak."""
    leaks_by_group: pl.DataFrame
    """The same per cause and group: ``cause``, ``group`` …"""
    leaks_by_topic: pl.DataFrame
    """The same per cause and topic: ``cause``, ``topic`` …"""
    examples: pl.DataFrame
    """The most telling questions per baseline: ``baseline``, ``group``, ``question``, ``options``, ``answer``
    (text of the right option)."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _summary(self) -> Summary:
        of = self.size.row(0, named=True)
        rows = self.baselines.select("baseline", "questions", "accuracy", "overall", "by_pair").rows()
        shares = [(name, n, *(written(share, "{:.1%}") for share in figures)) for name, n, *figures in rows]
        title = f"{pluralise(of['questions'], 'question')}, chance {written(of['chance'], '{:.1%}')}"
        return Summary(title, ("baseline", "questions", "accuracy", "overall", "by pair"), shares)

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: each frame a list of records."""
        return {name: frame.to_dicts() for name, frame in self.frames().items()}


def audit_questions(
    questions: pl.DataFrame,
    *,
    annotations: pl.DataFrame | None = None,
    option_sources: pl.DataFrame | None = None,
    locales: Registry | None = None,
    examples: int = 3,
) -> Audit:
    """Audit multiple-choice questions.

    The result depends on nothing but the rows, in whatever order they stand.

    Args:
        questions: Columns ``question``, ``options`` (list of text), ``answer`` (index of the right one, from 0)
            and, where there are any, ``group`` (whom it is about; names and codes of regions are understood),
            ``template`` (what it is a variant of; the text of the question when absent) and ``topic``.
        annotations: `ANNOTATIONS`, of which ``template_id`` is the template and ``locale`` the group of
            questions: what is typical of a group, which answers count as right, and what people say in their
            own language. When absent, the right answers stand in, one vote each.
        option_sources: Columns ``template``, ``group`` and ``text``: of which groups options are answers, where
            that is known. They count as given there, however the annotations word them.
        locales: Registry that knows names of regions; the packaged one when absent.
        examples: Most telling questions to keep per baseline.

    Returns:
        The figures.

    Raises:
        RowError, RowErrors: If a row is not a question with options and a right one among them; names it.
        InputError: If there is no question, or a column is missing or of another type.
        UnknownNameError: If the registry lacks a locale of the annotations.
    """
    asked = question_arrays(checked_questions(questions))
    correct = _correct_answers(asked.questions)
    evidence = correct.with_columns(votes=pl.lit(1, pl.Int64))
    evidence = evidence if annotations is None else known_answers(annotations)
    given = evidence if option_sources is None else _with_options(evidence, option_sources)
    known = Known(evidence, given, registry() if locales is None else locales)
    outcomes, flagged = _outcomes(asked, known)
    return Audit(
        size=_size(asked),
        **_measured_by(asked, outcomes, "baseline", DEFINITIONS, "baselines"),
        **_measured_by(asked, flagged, "cause", _definitions(LEAKS), "leaks"),
        examples=pl.concat([examples_of(asked, found, name, examples) for name, found in outcomes.items()]),
    )


def _with_options(evidence: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    rows = sources.select("template", "group", "text", votes=pl.lit(1, pl.Int64))
    return pl.concat([evidence, rows]).group_by("template", "group", "text").agg(pl.col("votes").max())


def _correct_answers(questions: pl.DataFrame) -> pl.DataFrame:
    correct = questions.select("template", "group", text=pl.col("options").list.get(pl.col("answer")))
    return correct.unique().sort("template", "group", "text")


def audit_of(asked: QuestionArrays, scores: Mapping[str, FloatArray], definitions: Mapping[str, str]) -> Audit:
    """Audit questions by the scores of some solvers alone; what else an audit looks for is left out."""
    return Audit(
        size=_size(asked),
        **_measured_by(asked, _each(asked, scores), "baseline", definitions, "baselines"),
        **_measured_by(asked, {}, "cause", {}, "leaks"),
        examples=pl.DataFrame(schema=EXAMPLES),
    )


def known_answers(annotations: pl.DataFrame) -> pl.DataFrame:
    """`EVIDENCE`: every English answer with its votes."""
    return in_slices(annotations, _evidence_of)


def _evidence_of(annotations: pl.DataFrame) -> pl.DataFrame:
    rows = annotations.select("annotations", template="template_id", group="locale").explode("annotations")
    groups = rows.drop_nulls("annotations").unnest("annotations")
    texts = (
        groups.select("template", "group", text="en_answers", votes="count").explode("text").drop_nulls("text")
    )
    votes = texts.group_by("template", "group", "text", maintain_order=True).agg(pl.col("votes").sum())
    return votes.select(list(EVIDENCE))


def _outcomes(asked: QuestionArrays, known: Known) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """Measure every baseline and every leak, by name."""
    scores = {name: solver.scores(asked, known) for name, solver in SOLVERS.items()}
    flags = {name: leak.scores(asked, known) for name, leak in LEAKS.items()}
    unknown = (*NEEDS_ALL, *KNOWS_OTHERS)
    features = [found for name, found in {**scores, **flags}.items() if name not in unknown]
    scores[COMBINED] = combined_scores(asked, np.stack(features, axis=1))
    return _each(asked, scores), _each(asked, flags)


def _each(asked: QuestionArrays, scores: Mapping[str, FloatArray]) -> dict[str, Outcome]:
    return {name: outcome_of(asked, found) for name, found in scores.items()}


def _definitions(solvers: Mapping[str, Solver]) -> dict[str, str]:
    return {name: solver.definition for name, solver in solvers.items()}


def _measured_by(
    asked: QuestionArrays,
    outcomes: Mapping[str, Outcome],
    what: str,
    definitions: Mapping[str, str],
    table: str,
) -> dict[str, pl.DataFrame]:
    """The tables of some solvers: of all questions, by group and by topic."""
    topics = asked.questions["topic"].unique().sort()
    ranks = asked.questions["topic"].replace_strict(topics, range(len(topics)), return_dtype=pl.Int64)
    parts = {
        "all": (np.zeros(len(asked.starts), dtype=np.int64), ("all",)),
        "group": (asked.group, asked.groups),
        "topic": (ranks.to_numpy(), tuple(topics.to_list())),
    }
    frames: dict[str, pl.DataFrame] = {}
    for by, (part, names) in parts.items():
        frame = measured(asked, outcomes, part, names).rename({"solver": what})
        if table == "leaks":
            n = pl.Series("n", np.bincount(part, minlength=len(names)))
            sizes = pl.DataFrame({"part": names, "n": n})
            frame = frame.join(sizes, on="part", maintain_order="left").with_columns(
                share=pl.col("questions") / pl.col("n")
            )
            frame = frame.drop("n", "overall", "by_pair")
        if by == "all":
            defined = pl.col(what).replace_strict(definitions, return_dtype=pl.String).alias("definition")
            frames[table] = frame.drop("part").select(what, defined, pl.exclude(what))
        else:
            frames[f"{table}_by_{by}"] = frame.rename({"part": by})
    return frames


def _size(asked: QuestionArrays) -> pl.DataFrame:
    rows = asked.questions.with_columns(chance=1 / pl.col("options").list.len())
    figures = {
        "questions": pl.len().cast(pl.Int64),
        "templates": pl.col("template").n_unique().cast(pl.Int64),
        "chance": pl.col("chance").mean(),
    }
    overall = rows.select(group=pl.lit("all"), **figures)
    return pl.concat([overall, rows.group_by("group").agg(**figures).sort("group")])


__all__ = ["DEFINITIONS", "QUESTIONS", "Audit", "audit_questions"]
