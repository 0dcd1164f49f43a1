"""Reliability: how far annotators agree, and whose work is worth a look."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

from blend.builders.annotation.stage import WORK
from blend.builders.saq.agreement import answer_sets, locale_agreement, similarities
from blend.builders.saq.ballots import cast_ballots
from blend.schemas.frames import KEY, empty, text_columns
from blend.schemas.rows import NonAnswer

MIN_QUESTIONS = 20
"""Questions that somebody must have worked on before anything is said of it, and that others must have answered
as well before that is about agreement."""

_PERSON = ("locale", "annotator")

_LOW, _IDK, _BLANK, _FAST = 0.5, 0.3, 0.1, 1 / 3
"""From where on somebody's work is worth a look; `_flags` says what each is a share of."""

_NORMAL = 1.96
"""Standard errors on both sides of a mean that hold it in 95 of 100 cases."""

ANNOTATORS = pl.Schema(
    {
        **text_columns("locale", "annotator"),
        "questions": pl.Int64(),
        **dict.fromkeys(("agreement", "low", "high", "idk_share", "blank_share"), pl.Float64()),
        "flags": pl.List(pl.String()),
    }
)
"""One row per person and locale: ``questions`` that at least one other person answered as well; ``agreement``
with the others on them, the mean of MASI over the others and then over questions (0 to 1), with the ends of its
95 % interval (normal approximation); ``idk_share``, of all responses; ``blank_share``, annotations from which
nothing could be taken, of all. Null where there is nothing to compute from. ``flags``: why their work is worth
a look; none with fewer than `MIN_QUESTIONS`."""


class Reliability(NamedTuple):
    """Reliability of annotators, with the figures behind it."""

    locales: pl.DataFrame
    """`frames.AGREEMENT`, one row per locale."""
    questions: pl.DataFrame
    """One row per question that at least two people answered, by locale and template: ``template_id``,
    ``locale``, ``answers`` (people who answered), ``agreement`` (mean MASI over all pairs of them)."""
    annotators: pl.DataFrame
    """`ANNOTATORS`, by locale and annotator."""


def reliability(
    questions: pl.DataFrame,
    responses: pl.DataFrame,
    reviews: pl.DataFrame,
    work: pl.DataFrame | None = None,
) -> Reliability:
    """Agreement on grouped answers: variants that a review or the rules merge are one answer.

    What somebody answers to a question is the set of the groups of their answers, or why they do not answer;
    *I don't know* is no opinion and left out. Answers that a review calls invalid stay, each in a group of its
    own.

    Args:
        questions: `frames.QUESTIONS`.
        responses: `frames.RESPONSES`.
        reviews: `frames.REVIEWS`.
        work: `stage.WORK` of the stage answer, for speed and blank annotations; none when absent.
    """
    sets = answer_sets(responses, cast_ballots(questions, responses, reviews))
    of_questions, of_people = _agreement(sets)
    counts = _counts(responses, empty(WORK) if work is None else work.filter(stage="answer"))
    return Reliability(
        locale_agreement(sets), of_questions, _flagged(counts.join(of_people, on=_PERSON, how="left"))
    )


def _agreement(sets: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The agreement on every question, and of every person with the others with its interval."""
    numbers, similar = similarities(sets["labels"])
    numbered = sets.select(*KEY, "annotator", set=numbers).sort("locale", "template_id", "annotator")
    is_equal = pl.col("set") == pl.col("other")
    # Every pair counts for both of its people.
    pairs = (
        numbered.join(numbered.rename({"set": "other", "annotator": "with"}), on=KEY)
        .filter(pl.col("annotator") != pl.col("with"))
        .join(similar, on=["set", "other"], how="left")
        .with_columns(alike=pl.when(is_equal).then(1.0).otherwise(pl.col("similarity").fill_null(0)))
        .sort(*KEY, "annotator", "with")  # means of fractions depend on their order in the last digit
    )
    with_others = pairs.group_by(*KEY, "annotator", maintain_order=True).agg(pl.col("alike").mean())
    questions = (
        pairs.group_by(KEY, maintain_order=True)
        .agg(answers=pl.col("annotator").n_unique().cast(pl.Int64), agreement=pl.col("alike").mean())
        .sort("locale", "template_id")
    )
    # Over questions, each with one mean for a person, so that many answers to one question weigh no more.
    error = _NORMAL * pl.col("alike").std() / pl.len().sqrt()
    people = with_others.group_by(_PERSON, maintain_order=True).agg(
        questions=pl.len().cast(pl.Int64),
        agreement=pl.col("alike").mean(),
        low=(pl.col("alike").mean() - error).clip(0, 1),
        high=(pl.col("alike").mean() + error).clip(0, 1),
    )
    return questions, people


def _counts(responses: pl.DataFrame, work: pl.DataFrame) -> pl.DataFrame:
    """One row per person and locale, with the figures that need nobody else."""
    counts = responses.group_by(_PERSON).agg(
        responses=pl.len(),
        idk_share=(pl.col("non_answer") == NonAnswer.IDK.value).fill_null(value=False).mean(),
    )
    done = (
        work.filter(pl.col("outcome") != "skipped", pl.col("annotator").is_not_null())
        .group_by(_PERSON)
        .agg(
            done=pl.len(),
            blank_share=(pl.col("outcome") == "refused").mean(),
            seconds=pl.col("seconds").median(),
        )
    )
    joined = counts.join(done, on=_PERSON, how="full", coalesce=True)
    # Responses from files have no annotation behind them; then `done` is null, or smaller.
    return joined.with_columns(done=pl.max_horizontal("responses", "done"))


def _flagged(people: pl.DataFrame) -> pl.DataFrame:
    """The people, with what is worth a look in the work of each beside what is usual in their locale."""
    people = people.with_columns(pl.col("questions").fill_null(0)).sort(_PERSON)
    usual = people.group_by("locale").agg(
        pl.col("agreement").filter(pl.col("questions") >= MIN_QUESTIONS).mean(),
        pl.col("idk_share", "seconds").filter(pl.col("done") >= MIN_QUESTIONS).median(),
    )
    usual_in = {row["locale"]: row for row in usual.to_dicts()}
    flags = [
        list(_flags(row, usual_in[row["locale"]])) if row["done"] >= MIN_QUESTIONS else []
        for row in people.iter_rows(named=True)
    ]
    flagged = people.with_columns(flags=pl.Series(flags, dtype=pl.List(pl.String)))
    return flagged.select(pl.col(name).cast(kind) for name, kind in ANNOTATORS.items())


def _flags(row: dict[str, Any], usual: dict[str, Any]) -> Iterator[str]:
    """List what is worth a look in somebody's work, each a sentence with its figures.

    Args:
        row: Figures of the person.
        usual: Of the people here the mean ``agreement``, and the medians of the others.
    """
    agreement, idk, seconds = usual["agreement"], usual["idk_share"], usual["seconds"]
    if row["questions"] >= MIN_QUESTIONS and row["high"] < _LOW * agreement:
        yield (
            f"agrees with others {row['agreement']:.2f} (at most {row['high']:.2f}), "
            f"less than half of what people here do ({agreement:.2f})"
        )
    if (row["idk_share"] or 0) >= max(_IDK, 2 * (idk or 0)):
        yield f"does not know {row['idk_share']:.0%} of the questions (median here: {idk:.0%})"
    if (row["blank_share"] or 0) >= _BLANK:
        yield f"nothing could be taken from {row['blank_share']:.0%} of the annotations"
    if seconds is not None and row["seconds"] is not None and row["seconds"] < _FAST * seconds:
        yield f"takes {row['seconds']:.0f} seconds per question (median here: {seconds:.0f})"
