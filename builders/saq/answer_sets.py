"""Answer sets: what every person answered to a question, variants merged, and how far a locale agrees."""

import numpy as np
import polars as pl

from blend.builders.saq.agreement import AnswerSets, Ints, krippendorff_alpha
from blend.builders.saq.ballots import Ballots
from blend.builders.saq.groups import grouped
from blend.schemas.rows.frame_columns import AGREEMENT, KEY
from blend.schemas.rows.published_rows import NonAnswer

_DIGITS = 4
"""Decimal places of alpha: so many are the same on every machine, however its libraries add numbers up."""


def answer_sets(responses: pl.DataFrame, ballots: Ballots, votes: pl.DataFrame | None = None) -> pl.DataFrame:
    """List what every person answered.

    ``template_id``, ``locale``, ``annotator``, ``labels`` (sorted, each once).

    A label is a group of variants, by the name of its first one, so that the same answer to two questions has
    the same label; an answer that a review calls invalid is one of its own; and so is every reason not to
    answer but *I don't know*, which says nothing and has no row.

    Args:
        responses: `frame_columns.RESPONSES`.
        ballots: Of the same responses.
        votes: `groups.grouped` of them, where it is there already.
    """
    votes = grouped(ballots) if votes is None else votes
    # Unreviewed answers in a reviewed group have no position, and give it no name.
    first = pl.col("answer").sort_by("position", "answer", nulls_last=True).first()
    named = votes.with_columns(
        label=pl.when(pl.col("key").is_null()).then(first.over(*KEY, "group")).otherwise("key")
    )
    invalid = ballots.answers.filter(pl.col("invalid").fill_null(value=False))
    why_not = responses.filter(pl.col("non_answer").is_not_null(), pl.col("non_answer") != NonAnswer.IDK.value)
    of = [*KEY, "annotator"]
    labels = pl.concat(
        [
            named.select(*of, pl.col("label").str.to_lowercase()),
            invalid.select(*of, label=pl.format("invalid: {}", "answer")),
            why_not.select(*of, label=pl.format("non-answer: {}", "non_answer")),
        ]
    )
    return labels.group_by(of).agg(labels=pl.col("label").unique().sort()).sort(of)


def locale_agreement(sets: pl.DataFrame) -> pl.DataFrame:
    """Measure how far the people of every locale agree: `AGREEMENT`, by tag.

    Args:
        sets: Of `answer_sets`.
    """
    rows = []
    for (tag,), given in sorted(sets.partition_by("locale", as_dict=True).items()):
        values, held = numbered(given["labels"])
        units = given["template_id"].rank("dense").to_numpy().astype(np.int64)
        found = krippendorff_alpha(units, values, held)
        people = given["annotator"].n_unique()
        rows.append((tag, found.alpha, found.low, found.high, found.n_questions, found.n_answers, people))
    return pl.DataFrame(rows, AGREEMENT, orient="row").with_columns(
        pl.col("alpha", "low", "high").round(_DIGITS)
    )


def numbered(labels: pl.Series) -> tuple[Ints, AnswerSets]:
    """The number of every answer set, and the sets.

    Args:
        labels: Lists of labels, each sorted; none is empty.
    """
    distinct = labels.to_frame("labels").unique(maintain_order=True).with_row_index("set")
    values = labels.to_frame("labels").join(distinct, on="labels", how="left", maintain_order="left")["set"]
    members = distinct.explode("labels").with_columns(label=pl.col("labels").rank("dense"))
    numbers, sets, names = (
        column.to_numpy().astype(np.int64) for column in (values, members["set"], members["label"])
    )
    return numbers, AnswerSets(sets, names)
