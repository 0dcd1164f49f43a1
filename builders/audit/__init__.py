"""Audit: what simple rules get right in multiple-choice questions, how surely, and what gives answers away.

Questions come in as a frame, whoever made them; the figures go out as frames. The package knows nothing of how
questions are made, and of no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from blend.builders.audit.rules import (
    BASELINES,
    EVIDENCE,
    KNOWS_OTHERS,
    LEAKS,
    NEEDS_ALL,
    FloatArray,
    combined_scores,
    inputs_of,
    questions_of,
    scored,
)
from blend.schemas.errors import InputError, RowError, raise_all
from blend.schemas.frames import KEY
from blend.schemas.locales import Registry, registry
from blend.schemas.summaries import Summarised, Table, written
from blend.schemas.texts import pluralise

QUESTIONS = pl.Schema(
    {
        "question": pl.String(),
        "options": pl.List(pl.String()),
        "answer": pl.Int64(),
        "group": pl.String(),
        "template": pl.String(),
        "topic": pl.String(),
    }
)
"""What an audit takes: the question as asked, its options, the index of the right one from 0, whom it is about
(a locale, a region), what it is a variant of, its topic. Options are two or more."""

MEASURED = pl.Schema(
    {
        "questions": pl.Int64(),
        "templates": pl.Int64(),
        "accuracy": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "chance": pl.Float64(),
        "overall": pl.Float64(),
        "by_pair": pl.Float64(),
    }
)
"""How a rule fares: ``questions`` and ``templates`` in which it has an opinion (counts), ``accuracy`` there,
with a 95 % interval over templates (``low``, ``high``; null with fewer than two templates), what guessing
reaches there (``chance``), the share of all questions that it gets right if it guesses where it has no opinion
(``overall``), and the same where every pair of template and group counts once, however many variants it has
(``by_pair``). All are fractions, null where there is no question."""

_Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""

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
    for name, wanted in QUESTIONS.items():
        found = questions.schema.get(name, pl.Null())
        if name in _NEEDED and name not in questions.columns:
            raise InputError(f"the questions have no column {name!r}; they need {', '.join(_NEEDED)}")
        if found not in (wanted, pl.Null) and not (name == "answer" and found.is_integer()):
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


COMBINED = "combined"
"""Name of the baseline that weighs all others but those that need the whole set or other regions' answers."""

DEFINITIONS: Mapping[str, str] = {
    **{name: rule.definition for name, rule in BASELINES.items()},
    COMBINED: "all of these and the leaks, but what needs others' answers or the whole set, weighed as in "
    "other templates",
}
"""Every baseline's rule, in one line."""


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Summarised):
    """The figures of an audit, one frame each; groups are in text order.

    ``questions``, ``templates``, ``accuracy``, ``low``, ``high``, ``chance``, ``overall`` and ``by_pair`` are
    those of `MEASURED`; ``docs/stats.md`` explains every table.
    """

    size: pl.DataFrame
    """One row per group, and ``all`` first: ``group``, ``questions``, ``templates`` (counts), ``chance``."""
    baselines: pl.DataFrame
    """One row per baseline of all questions, then one per baseline and group: ``baseline``, ``definition``,
    ``group`` (``all`` of the first) and how it fares."""
    leaks: pl.DataFrame
    """Likewise: ``cause``, ``definition``, ``group``, how often a flagged option is right, and ``share``, the
    fraction of these questions that have the leak."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """All figures, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def as_tables(self) -> list[Table]:
        """What simple rules get right, what they do, and what gives answers away."""
        return _tables(self)

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
    checked = _checked_questions(questions)
    evidence = _correct_answers(checked) if annotations is None else known_answers(annotations)
    given = evidence if option_sources is None else _with_options(evidence, option_sources)
    asked = inputs_of(checked, evidence, given, registry() if locales is None else locales)
    baselines, leaks = scored(asked, BASELINES), scored(asked, LEAKS)
    seen = baselines.drop(*NEEDS_ALL, *KNOWS_OTHERS).hstack(
        leaks.drop(set(baselines.columns) & set(leaks.columns))
    )
    baselines = baselines.with_columns(combined_scores(asked.options, seen).alias(COMBINED))
    credit = _credit_of(asked.options, baselines)
    figures = {
        "questions": pl.len().cast(pl.Int64),
        "templates": pl.col("template").n_unique().cast(pl.Int64),
        "chance": pl.col("chance").mean(),
    }
    by_group = credit.group_by("group").agg(**figures).sort("group")
    size = pl.concat([credit.select(group=pl.lit("all"), **figures), by_group])
    causes = {name: rule.definition for name, rule in LEAKS.items()}
    flagged = _figures(_credit_of(asked.options, leaks), causes, "cause")
    of_group = pl.col("group").replace_strict(dict(size.select("group", "questions").iter_rows()))
    flagged = flagged.with_columns(share=pl.col("questions") / of_group).drop("overall", "by_pair")
    return Audit(size, _figures(credit, DEFINITIONS, "baseline"), flagged)


def _correct_answers(questions: pl.DataFrame) -> pl.DataFrame:
    """`EVIDENCE` of questions alone: the correct options, one vote each."""
    correct = questions.select("template", "group", text=pl.col("options").list.get(pl.col("answer")))
    return correct.unique().sort("template", "group", "text").with_columns(votes=pl.lit(1, pl.Int64))


def _with_options(evidence: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    rows = sources.select("template", "group", "text", votes=pl.lit(1, pl.Int64))
    return pl.concat([evidence, rows]).group_by("template", "group", "text").agg(pl.col("votes").max())


def known_answers(annotations: pl.DataFrame) -> pl.DataFrame:
    """`EVIDENCE`: every English answer with its votes."""
    rows = annotations.sort(KEY).select("annotations", template="template_id", group="locale")
    groups = rows.explode("annotations").drop_nulls("annotations").unnest("annotations")
    texts = (
        groups.select("template", "group", text="en_answers", votes="count").explode("text").drop_nulls("text")
    )
    votes = texts.group_by("template", "group", "text", maintain_order=True).agg(pl.col("votes").sum())
    return votes.select(list(EVIDENCE))


def _figures(questions: pl.DataFrame, definitions: Mapping[str, str], what: str) -> pl.DataFrame:
    defined = pl.col("rule").replace_strict(dict(definitions), return_dtype=pl.String)
    found = measured(questions, list(definitions))
    return found.select(pl.col("rule").alias(what), defined.alias("definition"), pl.exclude("rule"))


def _credit_of(options: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Choose by the scores of rules, and compare with the correct options.

    Args:
        options: `rules._RuleInputs.options`.
        scores: As `rules.scored` returns them.

    Returns:
        One row per question: ``template``, ``group``, ``chance`` (what a guess gets right), and for every rule
        the share of the options it likes best that is correct: 1 or 0 without a tie, null without an opinion.
    """
    number, is_correct = options["question"].to_numpy(), options["is_correct"].to_numpy()
    starts, owner = questions_of(number)
    columns: dict[str, FloatArray] = {}
    for name in scores.columns:
        # Null becomes NaN, which is larger than nothing, so that a rule that does not apply has no opinion.
        score = scores[name].cast(pl.Float64).to_numpy()
        best = np.maximum.reduceat(score, starts)
        has_opinion = best > np.minimum.reduceat(score, starts)
        is_best = score == best[owner]
        n_best = np.maximum(np.add.reduceat(is_best.astype(np.int64), starts), 1)
        columns[name] = np.where(has_opinion, is_best[is_correct] / n_best, np.nan)
    questions = options.filter("is_correct").select("template", "group")
    chance = 1 / np.diff(starts, append=len(number))
    return questions.with_columns(pl.DataFrame({**columns, "chance": chance}, nan_to_null=True))


def measured(questions: pl.DataFrame, rules: list[str]) -> pl.DataFrame:
    """Measure how rules fare, on all questions and by group.

    The interval is Wilson's with an effective number of questions: so many independent ones would be as
    uncertain as these are, whose templates vary together. It comes from the linearised variance of a ratio
    between templates; where all templates agree, every template counts as one question. Few templates widen it
    as Student's t does.

    Args:
        questions: As `_credit_of` returns them.
        rules: The columns of rules.

    Returns:
        ``rule``, ``group`` and `MEASURED`: one row per rule of ``all``, then one per rule and group.

    References:
        Wilson (1927); Cochran (1977), Sampling techniques, section 9A.
    """
    kept = pl.concat([questions.with_columns(part=pl.lit("all")), questions.with_columns(part="group")])
    index = ["part", "template", "group", "chance"]
    long = kept.unpivot(rules, index=index, variable_name="rule", value_name="credit")
    long = long.cast({"rule": pl.String, "credit": pl.Float64})
    key = ["rule", "part"]
    guessing = pl.col("credit").fill_null(pl.col("chance")).mean()
    # In order throughout: sums of fractions depend on it in their last digit, and a release is the same bytes.
    pairs = long.group_by(*key, "template", "group", maintain_order=True).agg(by_pair=guessing)
    given = long.drop_nulls("credit")
    accuracy = given.group_by(key, maintain_order=True).agg(
        pl.len().alias("questions"), pl.col("chance").mean(), p=pl.mean("credit")
    )
    apart = (
        given.join(accuracy.select(*key, "p"), on=key, maintain_order="left")
        .group_by(*key, "template", maintain_order=True)
        .agg(apart=(pl.col("credit") - pl.col("p")).sum())
    )
    each = pl.DataFrame({"rule": rules}, {"rule": pl.String})
    groups = questions.select(part="group").unique().sort("part")
    every = pl.concat(
        [each.with_columns(part=pl.lit("all")), each.join(groups, how="cross", maintain_order="left_right")]
    )
    for figures in (
        accuracy,
        apart.group_by(key, maintain_order=True).agg(k=pl.len(), squares=(pl.col("apart") ** 2).sum()),
        long.group_by(key, maintain_order=True).agg(overall=guessing),
        pairs.group_by(key, maintain_order=True).agg(pl.mean("by_pair")),
    ):
        every = every.join(figures, on=key, how="left", maintain_order="left")
    return every.with_columns(
        pl.col("questions").fill_null(0), templates=pl.col("k").fill_null(0), accuracy="p", **_interval()
    ).select(
        "rule", pl.col("part").alias("group"), *(pl.col(name).cast(dtype) for name, dtype in MEASURED.items())
    )


def _interval() -> dict[str, pl.Expr]:
    """The interval, over ``p`` (accuracy), ``k`` (templates), ``squares`` (between these), ``questions``."""
    p, k = pl.col("p"), pl.col("k")
    variance = k / (k - 1) * pl.col("squares") / pl.col("questions").cast(pl.Float64) ** 2
    size = pl.when(variance > 1e-15).then(p * (1 - p) / variance).otherwise(k)
    t = _student(k - 1)
    centre = (p + t**2 / (2 * size)) / (1 + t**2 / size)
    half = t / (1 + t**2 / size) * (p * (1 - p) / size + t**2 / (4 * size**2)).sqrt()
    ends = {"low": (centre - half).clip(lower_bound=0), "high": (centre + half).clip(upper_bound=1)}
    return {name: pl.when(k > 1).then(end) for name, end in ends.items()}


def _student(degrees: pl.Expr) -> pl.Expr:
    """The 97.5 % quantile of Student's t, from the normal one (Abramowitz and Stegun 1964, 26.7.5).

    Within 3 % from two degrees of freedom on; with one it is 9.7 instead of 12.7.
    """
    z, v = _Z, degrees.cast(pl.Float64)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


# An audit as tables for readers.


def _tables(audit: Audit) -> list[Table]:
    """What simple rules get right, what they do, what gives answers away; none without rows."""
    overall = audit.size.row(0, named=True)
    chance = written(overall["chance"], "{:.1%}")
    baselines, leaks = (frame.filter(group="all") for frame in (audit.baselines, audit.leaks))
    caption = "In per cent, by pair, with a guess where a baseline has no opinion."
    by_group = audit.baselines.filter(pl.col("group") != "all")
    if COMBINED in baselines["baseline"]:
        caption += (
            " Elimination: who knows what all other regions answer and strikes it out; combined: who knows "
            "none of that, and weighs what the other baselines see."
        )
        by_group = by_group.filter(pl.col("baseline").is_in(_SHOWN))
    tables = [
        Table(
            f"Answering {pluralise(overall['questions'], 'question')} by simple rules",
            _percentages(baselines, "baseline", {"by_pair": "by pair %", "overall": "by row %"}),
            f"{pluralise(overall['templates'], 'template')}, chance {chance}. Right: where the baseline has an "
            "opinion, with a 95 % interval over templates; by pair: of all questions, guessing where it has "
            "none, each template and region once; by row: each question once.",
        ),
        Table("What the baselines do", baselines.select("baseline", "definition")),
        Table(
            "What makes an option stand out",
            _percentages(leaks, "definition", {"share": "share %"}).rename({"definition": "cause"}),
            "Share of all questions, and how often the option that stands out is correct. Far from chance on "
            "either side, it gives the answer away.",
        ),
        Table(
            "Share of questions got right, by group",
            by_group.with_columns(pl.col("by_pair") * 100).pivot("baseline", index="group", values="by_pair"),
            caption,
        ),
    ]
    return [table for table in tables if len(table.frame)]


def _percentages(rows: pl.DataFrame, name: str, further: dict[str, str]) -> pl.DataFrame:
    shares = {"accuracy": "right %", "low": "from %", "high": "to %", **further}
    return rows.select(name, "questions", *((100 * pl.col(of)).alias(as_) for of, as_ in shares.items()))


_SHOWN = ("elimination", "typical", "frequent", "recurring", COMBINED)
