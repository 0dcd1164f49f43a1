"""Audit: what simple rules get right in multiple-choice questions, and what gives answers away.

Questions come in as a frame, whoever made them; the figures go out as frames. The package knows nothing of how
questions are made, and of no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from blend.builders.audit.measuring import combined_scores, credit_of, measured
from blend.builders.audit.rules import BASELINES, EVIDENCE, KNOWS_OTHERS, LEAKS, NEEDS_ALL, inputs_of, scored
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
    those of `measuring.MEASURED`; ``docs/stats.md`` explains every table.
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
    flagged = credit_of(asked.options, leaks)
    return audit_of(credit_of(asked.options, baselines), DEFINITIONS, flagged=flagged)


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


def audit_of(
    questions: pl.DataFrame, definitions: Mapping[str, str], *, flagged: pl.DataFrame | None = None
) -> Audit:
    """The tables of an audit.

    Args:
        questions: What rules get right, as `measuring.credit_of` returns it.
        definitions: The rules, by name.
        flagged: The same of leaks; none are looked for when absent.
    """
    figures = {
        "questions": pl.len().cast(pl.Int64),
        "templates": pl.col("template").n_unique().cast(pl.Int64),
        "chance": pl.col("chance").mean(),
    }
    size = pl.concat(
        [
            questions.select(group=pl.lit("all"), **figures),
            questions.group_by("group").agg(**figures).sort("group"),
        ]
    )
    sizes = dict(size.select("group", "questions").iter_rows())
    leaks = _figures(questions if flagged is None else flagged, {} if flagged is None else _CAUSES, "cause")
    share = pl.col("questions") / pl.col("group").replace_strict(sizes, return_dtype=pl.Int64)
    return Audit(
        size,
        _figures(questions, definitions, "baseline"),
        leaks.with_columns(share=share).drop("overall", "by_pair"),
    )


_CAUSES = {name: rule.definition for name, rule in LEAKS.items()}


def _figures(questions: pl.DataFrame, definitions: Mapping[str, str], what: str) -> pl.DataFrame:
    found = measured(questions, list(definitions))
    defined = pl.col("rule").replace_strict(dict(definitions), return_dtype=pl.String)
    return found.select(pl.col("rule").alias(what), defined.alias("definition"), pl.exclude("rule"))


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
