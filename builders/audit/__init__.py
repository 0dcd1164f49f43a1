"""Audit: what simple rules get right in multiple-choice questions, and what gives answers away.

Questions come in as a frame, whoever made them; the figures go out as frames. The package knows nothing of how
questions are made, and of no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from blend.builders.audit.measuring import Outcome, measured, outcome_of
from blend.builders.audit.question_arrays import (
    EVIDENCE,
    QUESTIONS,
    FloatArray,
    IntArray,
    QuestionArrays,
    question_arrays,
)
from blend.builders.audit.solvers import (
    KNOWS_OTHERS,
    NEEDS_ALL,
    SOLVERS,
    Known,
    Solver,
    combined_scores,
    named_groups,
    names_region,
)
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry, registry
from blend.schemas.summaries import Summarised, Table
from blend.schemas.texts import scripts_of

# Checking: a frame of anybody's questions is one that can be audited, or an error that names the row.


_NEEDED = ("question", "options", "answer")

_PROBLEMS = {
    "no_question": ("no text of the question", "write it, or remove the row"),
    "few_options": ("fewer than two options", "give every question at least two"),
    "blank_option": ("an option is blank", "write it, or remove the row"),
    "no_answer": ("the answer is not the index of an option", "count the options from 0"),
}


def _checked_questions(questions: pl.DataFrame) -> pl.DataFrame:
    """The questions as `QUESTIONS`, in an order that depends on the rows alone.

    A group or topic that is not given is ``all``, a template the text of its question.

    Raises:
        RowError, RowErrors: If rows are not questions; every one is named by its number, from 1.
        InputError: If a column is missing or of another type, or if there is no row.
    """
    _check_columns(questions)
    if questions.is_empty():
        raise InputError("no multiple-choice questions to audit; give at least one")
    given = {name: pl.col(name) for name in QUESTIONS if name in questions.columns}
    rows = questions.select(**{name: given.get(name, pl.lit(None, pl.String)) for name in QUESTIONS})
    rows = rows.cast(QUESTIONS)
    _check_rows(rows)
    complete = rows.with_columns(
        template=pl.coalesce("template", "question"),
        group=pl.col("group").fill_null("all"),
        topic=pl.col("topic").fill_null("all"),
    )
    by_options = pl.col("options").list.join("\n")
    return complete.sort("template", "group", "question", by_options, "answer", "topic")


def _check_columns(questions: pl.DataFrame) -> None:
    for name in _NEEDED:
        if name not in questions.columns:
            raise InputError(f"the questions have no column {name!r}; they need {', '.join(_NEEDED)}")
    for name, wanted in QUESTIONS.items():
        found = questions.schema.get(name)
        fits = found is None or found in (wanted, pl.Null) or (name == "answer" and found.is_integer())
        if not fits:
            raise InputError(f"column {name!r} of the questions is {found}; make it {wanted}")


def _check_rows(rows: pl.DataFrame) -> None:
    options, answer = pl.col("options"), pl.col("answer")
    blank = options.list.eval((pl.element().str.strip_chars() == "").fill_null(value=True)).list.any()
    wrong = rows.select(
        no_question=pl.col("question").str.strip_chars().fill_null("") == "",
        few_options=options.list.len().fill_null(0) < 2,
        blank_option=blank.fill_null(value=False),
        no_answer=~answer.is_between(0, options.list.len().cast(pl.Int64) - 1).fill_null(value=False),
    ).with_row_index("row", offset=1)
    bad = wrong.filter(pl.any_horizontal(*_PROBLEMS))
    raise_all(
        [
            RowError(what, where=f"row {row['row']} of the questions", fix=fix)
            for row in bad.iter_rows(named=True)
            for name, (what, fix) in _PROBLEMS.items()
            if row[name] and not (name == "no_answer" and row["few_options"])
        ]
    )


# Leaks: what makes an option stand out before anybody has thought about the question, by cause.


_FAR = 2
"""An option that is so many times as long as the next longest one stands out by its length."""

_MARKS = frozenset('()[]{},;:/\\"!?&+')


def _names_another(asked: QuestionArrays, known: Known) -> FloatArray:
    """Flags options that name another region that is asked about, and not the question's own."""
    named = named_groups(asked, known.locales)
    own = named[asked.group[asked.owner], asked.text]
    anyone: NDArray[np.bool_] = np.logical_or.reduce(named, axis=0)
    return (anyone[asked.text] & ~own).astype(np.float64)


def _much_longer(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that has at least `_FAR` times as many characters as any other."""
    lengths = asked.lengths
    top, second = _top_two(asked, lengths)
    far: NDArray[np.bool_] = (lengths == top[asked.owner]) & (top >= _FAR * second)[asked.owner]
    return far.astype(np.float64)


def _much_shorter(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that has at most one part in `_FAR` of the characters of any other."""
    lengths = asked.lengths
    # The shortest and the second shortest.
    top, second = (-found for found in _top_two(asked, -lengths))
    far: NDArray[np.bool_] = (lengths == top[asked.owner]) & (_FAR * top <= second)[asked.owner]
    return far.astype(np.float64)


def _odd_format(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone has, or alone lacks, capitals or punctuation marks."""
    return _odd_one_out(asked, [_shape(text) for text in asked.texts])


def _odd_script(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone is written in another script; options without letters say nothing."""
    scripts = [" ".join(sorted(scripts_of(text))) for text in asked.texts]
    lettered = np.array([script != "" for script in scripts])[asked.text]
    all_have_it = np.logical_and.reduceat(lettered, asked.starts)
    return np.where(all_have_it[asked.owner], _odd_one_out(asked, scripts), 0.0)


def _odd_number(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags an option that alone has digits, or alone has none."""
    return _odd_one_out(asked, [str(any(map(str.isdigit, text))) for text in asked.texts])


def repeated(asked: QuestionArrays, _: Known) -> FloatArray:
    """Flags options that another option of the question repeats, up to case and accents."""
    numbers = asked.owner * (int(asked.key.max()) + 1) + asked.key[asked.text]
    _, location, often = np.unique(numbers, return_inverse=True, return_counts=True)
    stands_twice: NDArray[np.bool_] = often[location] > 1
    return stands_twice.astype(np.float64)


LEAKS: Mapping[str, Solver] = {
    "names-region": Solver("an option names the region asked about, or its people", names_region),
    "names-another": Solver("an option names another region that the set asks about", _names_another),
    "much-longer": Solver("an option is at least twice as long as all others", _much_longer),
    "much-shorter": Solver("an option is at most half as long as all others", _much_shorter),
    "format": Solver("an option alone has, or lacks, capitals or punctuation", _odd_format),
    "script": Solver("an option alone is in another script", _odd_script),
    "number-or-words": Solver("an option alone has digits, or alone has none", _odd_number),
    "repeated-option": Solver("an option stands there twice", repeated),
}
"""The causes, by name; a score of 1 flags an option."""


def _top_two(asked: QuestionArrays, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The largest and the second largest number of every question; equal ones are two."""
    # Question by question (the last key sorts first), in each the largest first.
    ordered = numbers[np.lexsort((-numbers, asked.owner))]
    return ordered[asked.starts], ordered[asked.starts + 1]


def _odd_one_out(asked: QuestionArrays, labels: list[str]) -> FloatArray:
    """1 for an option whose label is its own while all the others share one; labels are by text."""
    _, codes = np.unique(np.array(labels), return_inverse=True)
    of_options = codes[asked.text].astype(np.int64)
    numbers = asked.owner * (int(codes.max()) + 1) + of_options
    different, location, often = np.unique(numbers, return_inverse=True, return_counts=True)
    # Question and label in one number; dividing gives the question back. Kinds: different labels of a question.
    kinds = np.bincount(different // (int(codes.max()) + 1), minlength=len(asked.starts))
    alone: NDArray[np.bool_] = (often[location] == 1) & ((kinds == 2) & (asked.sizes > 2))[asked.owner]
    return alone.astype(np.float64)


def _shape(text: str) -> str:
    return f"{any(map(str.isupper, text))} {not _MARKS.isdisjoint(text)} {text.endswith('.')}"


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
    """The figures of an audit, one frame each; groups are in text order.

    ``questions``, ``templates``, ``accuracy``, ``low``, ``high``, ``chance``, ``overall`` and ``by_pair`` are
    those of `measuring.MEASURED`; ``docs/stats.md`` explains every table.
    """

    size: pl.DataFrame
    """One row per group, and ``all`` first: ``group``, ``questions``, ``templates`` (counts), ``chance``."""
    baselines: pl.DataFrame
    """One row per baseline: ``baseline``, ``definition`` and how it fares."""
    baselines_by_group: pl.DataFrame
    """One row per baseline and group: ``baseline``, ``group`` and how it fares."""
    leaks: pl.DataFrame
    """One row per cause: ``cause``, ``definition``, how often a flagged option is right, and ``share``, the
    fraction of all questions that have the leak."""
    leaks_by_group: pl.DataFrame
    """The same per cause and group: ``cause``, ``group`` …"""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def as_tables(self) -> list[Table]:
        """What simple rules get right, what they do, and what gives answers away."""
        from blend.builders.audit.release import audit_tables

        return audit_tables(self)

    def to_json(self) -> dict[str, Any]:
        """All figures as plain JSON: each frame a list of records."""
        return {name: frame.to_dicts() for name, frame in self.frames().items()}


def audit_questions(
    questions: pl.DataFrame,
    *,
    annotations: pl.DataFrame | None = None,
    option_sources: pl.DataFrame | None = None,
    locales: Registry | None = None,
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

    Returns:
        The figures.

    Raises:
        RowError, RowErrors: If a row is not a question with options and a right one among them; names it.
        InputError: If there is no question, or a column is missing or of another type.
        UnknownNameError: If the registry lacks a locale of the annotations.
    """
    asked = question_arrays(_checked_questions(questions))
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
    )


def known_answers(annotations: pl.DataFrame) -> pl.DataFrame:
    """`EVIDENCE`: every English answer with its votes."""
    rows = annotations.sort(KEY).select("annotations", template="template_id", group="locale")
    groups = rows.explode("annotations").drop_nulls("annotations").unnest("annotations")
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
    """The tables of some solvers: of all questions, and by group."""
    parts = {
        "all": (np.zeros(len(asked.starts), dtype=np.int64), ("all",)),
        "group": (asked.group, asked.groups),
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
