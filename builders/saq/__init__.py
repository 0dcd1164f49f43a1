"""Short answers: from what annotators typed and reviewers decided to answer groups with votes.

References:
    Myung et al. (2024), BLEnD, section 3 and appendix, https://arxiv.org/abs/2406.09948.
    ``docs/aggregation.md`` states every rule, and what is ours where the paper is silent.
"""

from typing import NamedTuple

import polars as pl

from blend.builders.saq.agreement import annotator_groups, answer_sets, locale_agreement
from blend.builders.saq.ballots import cast_ballots, cleaned
from blend.builders.saq.collection import count_responses
from blend.builders.saq.findings import saq_findings
from blend.builders.saq.grouping import answer_groups, grouped
from blend.schemas.frames import ANNOTATIONS, KEY, PROFILES, empty
from blend.schemas.recipe import SaqOptions
from blend.schemas.rows import Grouping, NonAnswer


class Aggregation(NamedTuple):
    """Annotations and what was noticed on the way."""

    annotations: pl.DataFrame
    """`frames.ANNOTATIONS`, one row per question, by template and locale. Groups by votes, descending;
    among equal votes those of the review first, in its order, then the proposed ones by their first variant."""
    findings: pl.DataFrame
    """`frames.FINDINGS`, ordered by kind, source, locale, template and detail."""
    agreement: pl.DataFrame
    """`frames.AGREEMENT`, by locale: how far the annotators agree; only locales with any response."""
    groups: pl.DataFrame
    """`frames.ANNOTATOR_GROUPS`: the same by profile; without rows where there are no profiles."""


def aggregate(
    questions: pl.DataFrame,
    responses: pl.DataFrame,
    reviews: pl.DataFrame,
    *,
    options: SaqOptions,
    profiles: pl.DataFrame | None = None,
) -> Aggregation:
    """Merge the variants of every answer and count the annotators behind it.

    A vote is an annotator, not an answer string: one who gives two variants of an answer votes once for it.
    Answers that the review calls invalid get no vote and count as nothing else. Answers that no review mentions
    are grouped by `builders.saq.grouping`, with a reviewed group where exactly one has the same key; the
    question is then ``proposed``.

    Args:
        questions: `frames.QUESTIONS`; every one gets a row, also without a response.
        responses: `frames.RESPONSES`, all of which count, also those beyond the ones wanted.
        reviews: `frames.REVIEWS`.
        options: How many responses are wanted; fewer are aggregated all the same, and reported.
        profiles: `frames.PROFILES` of annotators who agreed to it; none when absent.

    Returns:
        The annotations; rows of the arguments may stand in any order. ``answers`` of a group are cleaned
        (`texts.clean`), in the review's order, after them unreviewed ones, most annotators first,
        then by text. ``en_answers`` are the review's; where it gives none, in English locales the answers, and
        in all others those of them that are in the question's format. ``source`` is the question's.

    Raises:
        RowError, RowErrors: See `builders.saq.ballots.cast_ballots`.
    """
    ballots = cast_ballots(questions, responses, reviews)
    votes = grouped(ballots)
    groups = answer_groups(votes, reviews, questions)
    annotations = _annotations(questions, responses, reviews, votes, groups)
    states = count_responses(questions, responses, ballots.answers, options).questions
    findings = saq_findings(questions, reviews, ballots, votes, groups, states)
    sets = answer_sets(responses, ballots, votes)
    agreed_in = annotator_groups(sets, empty(PROFILES) if profiles is None else profiles)
    return Aggregation(annotations, findings, locale_agreement(sets), agreed_in)


def _annotations(
    questions: pl.DataFrame,
    responses: pl.DataFrame,
    reviews: pl.DataFrame,
    votes: pl.DataFrame,
    groups: pl.DataFrame,
) -> pl.DataFrame:
    listed = groups.group_by(KEY, maintain_order=True).agg(
        annotations=pl.struct("answers", "en_answers", "count")
    )
    complete = reviews.select(KEY).join(votes.filter(~pl.col("reviewed")), on=KEY, how="anti")
    return (
        questions.select(*KEY, "source")
        .join(listed, on=KEY, how="left")
        .join(_non_answers(responses), on=KEY, how="left")
        .join(complete.with_columns(grouping=pl.lit(Grouping.REVIEWED.value)), on=KEY, how="left")
        .with_columns(
            pl.col("annotations").fill_null([]),
            pl.col("grouping").fill_null(Grouping.PROPOSED.value),
            idks=_idks(),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in ANNOTATIONS.items())
        .sort(KEY)
    )


_KINDS = (NonAnswer.IDK.value, NonAnswer.NO_ANSWER.value, NonAnswer.NOT_APPLICABLE.value)


def _idks() -> pl.Expr:
    return pl.struct(*(pl.col(kind).fill_null(0) for kind in _KINDS), pl.col("others").fill_null([]))


def _non_answers(responses: pl.DataFrame) -> pl.DataFrame:
    """Annotators per question and kind of non-answer; reasons by count, descending, then by text."""
    kinds = responses.group_by(KEY).agg((pl.col("non_answer") == kind).sum().alias(kind) for kind in _KINDS)
    reasons = responses.filter(pl.col("non_answer") == NonAnswer.OTHER.value).select(*KEY, "reason")
    others = (
        cleaned(reasons, "reason")
        .group_by(*KEY, "reason")
        .agg(count=pl.len().cast(pl.Int64))
        .sort(*KEY, "count", "reason", descending=[False, False, True, False])
        .group_by(KEY, maintain_order=True)
        .agg(others=pl.struct("reason", "count"))
    )
    return kinds.join(others, on=KEY, how="left")
