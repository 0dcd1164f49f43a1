"""Reliability: how far people agree, question by question and person by person, and whose work to look at."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from blend.builders.annotation.stages.model import WORK
from blend.builders.saq.agreement import Floats, Ints, answer_sets, locale_agreement, numbered, pairs_within
from blend.builders.saq.ballots import cast_ballots
from blend.schemas.frames import KEY, empty
from blend.schemas.rows import NonAnswer

MIN_QUESTIONS = 20
"""Questions that somebody must have worked on before there is a verdict, and that others must have answered as
well before it speaks of agreement or of a twin."""

_REPEATED = 5
"""Other questions to which a person gives the same answer before it counts as copied."""

_LOW, _IDK, _BLANK, _COPIED, _FAST, _TWIN = 0.5, 0.3, 0.1, 0.2, 1 / 3, 0.5
"""From where on somebody's work is worth a look; `_flags` says what each is a share of."""

_NORMAL = 1.96
"""Standard errors on both sides of a mean that hold it in 95 of 100 cases."""

ANNOTATORS = pl.Schema(
    {
        "locale": pl.String(),
        "annotator": pl.String(),
        "responses": pl.Int64(),
        "questions": pl.Int64(),
        "agreement": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "idk_share": pl.Float64(),
        "blank_share": pl.Float64(),
        "copied_share": pl.Float64(),
        "seconds": pl.Float64(),
        "twin": pl.String(),
        "twin_share": pl.Float64(),
        "verdict": pl.String(),
        "flags": pl.List(pl.String()),
    }
)
"""One row per person and locale: ``responses`` given; ``questions`` that at least one other person answered as
well; ``agreement`` with the others on them, the mean of MASI over the others and then over questions (0 to 1),
with the ends of its 95 % interval (normal approximation); ``idk_share``, of all responses; ``blank_share``,
annotations from which nothing could be taken, of all; ``copied_share``, answers that stand in their question or
that the same person gave to five other questions as well, of all answers to questions of free text; the median
``seconds`` per annotation; ``twin``, who gave the same responses most often, and on what share of the questions
that both answered. Null where there is nothing to compute from. ``verdict`` is ``too few``, ``fine`` or
``look``, with the reasons in ``flags``."""


class Reliability(NamedTuple):
    """Reliability of annotators, with the figures behind it."""

    locales: pl.DataFrame
    """`frame_columns.AGREEMENT`, one row per locale."""
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
        questions: `frame_columns.QUESTIONS`.
        responses: `frame_columns.RESPONSES`.
        reviews: `frame_columns.REVIEWS`.
        work: `stages.model.WORK` of the stage answer, for speed and blank annotations; none when absent.

    Raises:
        RowError, RowErrors: See `builders.saq.ballots.cast_ballots`.
    """
    ballots = cast_ballots(questions, responses, reviews)
    sets = answer_sets(responses, ballots)
    annotations = empty(WORK) if work is None else work.filter(stage="answer")
    per_question, per_person = [], []
    for tag in sorted({*responses["locale"], *annotations["locale"]}):
        given = sets.filter(locale=tag)
        asked = questions.filter(locale=tag)
        agreed, alike = _agreement(given)
        per_question.append(agreed)
        people = _people(asked, responses.filter(locale=tag), annotations.filter(locale=tag))
        per_person.append(
            _judged(people.join(alike, on="annotator", how="left").with_columns(locale=pl.lit(tag)))
        )
    none = pl.DataFrame(
        schema={**dict.fromkeys(KEY, pl.String()), "answers": pl.Int64(), "agreement": pl.Float64()}
    )
    return Reliability(
        locales=locale_agreement(sets),
        questions=pl.concat([none, *per_question]).sort("locale", "template_id"),
        annotators=pl.concat([empty(ANNOTATORS), *per_person]).sort("locale", "annotator"),
    )


def _agreement(given: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The agreement on every question, and of every person with the others, in one locale."""
    if given.is_empty():
        schema = {"annotator": pl.String(), "questions": pl.Int64()}
        none = pl.DataFrame(schema={**schema, **dict.fromkeys(("agreement", "low", "high"), pl.Float64())})
        keys = {**dict.fromkeys(KEY, pl.String()), "answers": pl.Int64(), "agreement": pl.Float64()}
        return pl.DataFrame(schema=keys), none
    units = given["template_id"].rank("dense").to_numpy().astype(np.int64) - 1
    values, sets = numbered(given["labels"])
    first, second = pairs_within(units)
    alike = sets.similarities(values[first], values[second])
    n_pairs = np.bincount(units[first], minlength=int(units.max()) + 1)
    sums = np.bincount(units[first], weights=alike, minlength=len(n_pairs))
    templates = given["template_id"].unique().sort()
    questions = pl.DataFrame(
        {
            "template_id": templates,
            "locale": [given["locale"][0]] * len(templates),
            "answers": np.bincount(units),
            "agreement": sums / np.maximum(n_pairs, 1),
        }
    ).filter(pl.Series(n_pairs > 0))
    # Every pair counts for both of its people.
    return questions, _with_others(given, np.concatenate([first, second]), np.concatenate([alike, alike]))


def _with_others(given: pl.DataFrame, locations: Ints, alike: Floats) -> pl.DataFrame:
    """The mean agreement of every person with the others, over questions, and its interval."""
    others = np.bincount(locations, minlength=len(given))
    sums = np.bincount(locations, weights=alike, minlength=len(given))
    shared = given.select("annotator", others=pl.Series(others), alike=pl.Series(sums / np.maximum(others, 1)))
    error = _NORMAL * pl.col("alike").std() / pl.len().sqrt()
    return (
        shared.filter(pl.col("others") > 0)
        .group_by("annotator")
        .agg(
            questions=pl.len().cast(pl.Int64),
            agreement=pl.col("alike").mean(),
            low=(pl.col("alike").mean() - error).clip(0, 1),
            high=(pl.col("alike").mean() + error).clip(0, 1),
        )
    )


def _people(questions: pl.DataFrame, responses: pl.DataFrame, work: pl.DataFrame) -> pl.DataFrame:
    """One row per person of a locale, with the figures that need nobody else, and the twin."""
    counts = responses.group_by("annotator").agg(
        responses=pl.len().cast(pl.Int64),
        idk_share=(pl.col("non_answer") == NonAnswer.IDK.value).fill_null(value=False).mean(),
    )
    done = (
        work.filter(pl.col("outcome") != "skipped", pl.col("annotator").is_not_null())
        .group_by("annotator")
        .agg(
            done=pl.len().cast(pl.Int64),
            blank_share=(pl.col("outcome") == "refused").mean(),
            seconds=pl.col("seconds").median(),
        )
    )
    return (
        counts.join(done, on="annotator", how="full", coalesce=True)
        .with_columns(responses=pl.col("responses").fill_null(0))
        .with_columns(done=pl.max_horizontal("responses", "done"))
        .join(_copied(questions, responses), on="annotator", how="left")
        .join(_twins(responses), on="annotator", how="left")
    )


def _copied(questions: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """The share of answers that are copied: out of their question, or from question to question."""
    free = questions.filter(pl.col("answer_format") == "text")
    asked = free.select("template_id", text=pl.concat_str("question", "en_question", separator="\n"))
    answers = (
        responses.select("template_id", "annotator", answer="answers")
        .explode("answer")
        .drop_nulls("answer")
        .with_columns(pl.col("answer").str.to_lowercase().str.strip_chars())
        .join(asked, on="template_id")
    )
    given_to = pl.col("template_id").n_unique().over("annotator", "answer")
    in_question = pl.col("text").str.to_lowercase().str.contains(pl.col("answer"), literal=True)
    # More than: the question itself is among those counted.
    is_copied = in_question | (given_to > _REPEATED)
    return answers.group_by("annotator").agg(copied_share=is_copied.mean())


def _twins(responses: pl.DataFrame) -> pl.DataFrame:
    """Pair people who gave the same answers most often.

    Letter by letter and in order, of those with enough in common.
    """
    answered = responses.filter(pl.col("answers").list.len() > 0).select("template_id", "annotator", "answers")
    return (
        answered.join(answered, on="template_id", suffix="_other")
        .filter(pl.col("annotator") != pl.col("annotator_other"))
        .group_by("annotator", twin="annotator_other")
        .agg(common=pl.len(), twin_share=(pl.col("answers") == pl.col("answers_other")).mean())
        .filter(pl.col("common") >= MIN_QUESTIONS)
        .sort("twin_share", "twin", descending=[True, False])
        .group_by("annotator", maintain_order=True)
        .agg(pl.col("twin", "twin_share").first())
    )


def _judged(people: pl.DataFrame) -> pl.DataFrame:
    """The people of a locale with a verdict on each, and the reasons."""
    people = people.with_columns(pl.col("questions").fill_null(0))
    shared = people.filter(pl.col("questions") >= MIN_QUESTIONS)["agreement"].mean()
    medians = pl.col("idk_share", "seconds", "twin_share").median()
    usual = people.filter(pl.col("done") >= MIN_QUESTIONS).select(medians).row(0, named=True)
    usual["agreement"] = shared
    flags = [
        list(_flags(row, usual)) if row["done"] >= MIN_QUESTIONS else [] for row in people.iter_rows(named=True)
    ]
    verdict = (
        pl.when(pl.col("done") < MIN_QUESTIONS)
        .then(pl.lit("too few"))
        .when(pl.col("flags").list.len() > 0)
        .then(pl.lit("look"))
        .otherwise(pl.lit("fine"))
    )
    people = people.with_columns(flags=pl.Series(flags, dtype=pl.List(pl.String)))
    return people.with_columns(verdict=verdict).select(
        pl.col(name).cast(kind) for name, kind in ANNOTATORS.items()
    )


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
    if (row["copied_share"] or 0) >= _COPIED:
        yield f"{row['copied_share']:.0%} of the answers stand in their question or come again and again"
    if seconds is not None and row["seconds"] is not None and row["seconds"] < _FAST * seconds:
        yield f"takes {row['seconds']:.0f} seconds per question (median here: {seconds:.0f})"
    # Where people agree much, everybody has a neighbour who says the same: a quarter of the usual differences
    # is telling.
    if (row["twin_share"] or 0) >= max(_TWIN, 1 - (1 - usual["twin_share"]) / 4):
        yield f"gives the same answers as {row['twin']} to {row['twin_share']:.0%} of the questions of both"
