"""Short answers: from what annotators typed and reviewers decided to answer groups with votes.

References:
    Myung et al. (2024), BLEnD, section 3 and appendix, https://arxiv.org/abs/2406.09948.
    ``docs/aggregation.md`` states every rule, and what is ours where the paper is silent.
"""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from blend.builders.saq.agreement import annotator_groups, answer_sets, locale_agreement
from blend.builders.saq.ballots import (
    NEEDS_RESPONSES,
    STOPPED,
    Ballots,
    cast_ballots,
    cleaned,
    count_responses,
    rejections,
)
from blend.builders.saq.grouping import answer_groups, grouped, several_answers
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.frames import ANNOTATIONS, FINDINGS, KEY, PROFILES, empty
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
    """
    ballots = cast_ballots(questions, responses, reviews)
    votes = grouped(ballots)
    groups = answer_groups(votes, reviews, questions)
    annotations = _annotations(questions, responses, reviews, votes, groups)
    states = count_responses(questions, responses, ballots.answers, options).questions
    findings = _saq_findings(questions, reviews, ballots, votes, groups, states)
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


def _saq_findings(
    questions: pl.DataFrame,
    reviews: pl.DataFrame,
    ballots: Ballots,
    votes: pl.DataFrame,
    groups: pl.DataFrame,
    states: pl.DataFrame,
) -> pl.DataFrame:
    """The findings of `builders.saq.aggregate`.

    Args:
        questions: `frames.QUESTIONS`.
        reviews: `frames.REVIEWS`.
        ballots: All answers and decisions.
        votes: The valid answers, with ``group``, ``key`` and ``reviewed``.
        groups: The answer groups: ``group``, ``key``, ``answers``, ``en_answers``.
        states: `builders.saq.ballots.CollectionStatus.questions`.

    Returns:
        `frames.FINDINGS`, ordered by kind, source, locale, template and detail.
    """
    locations = questions.select(*KEY, "source")
    found = [
        *_incomplete(states.join(locations, on=KEY)),
        _unreviewed_questions(votes.join(reviews, on=KEY, how="anti"), groups, locations),
        _unreviewed_answers(votes.join(reviews, on=KEY, how="semi"), groups),
        _invalid(ballots.decisions),
        _rejected(ballots.answers),
        _untranslated(groups, locations),
        _out_of_format(votes),
        _several_answers(votes),
    ]
    return pl.concat(found).sort("kind", "source", "locale", "template_id", "detail")


def _rows(found: pl.DataFrame, kind: str, detail: pl.Expr) -> pl.DataFrame:
    return found.with_columns(kind=pl.lit(kind), detail=detail).select(
        pl.col(name).cast(dtype) for name, dtype in FINDINGS.items()
    )


def _quoted(answers: str) -> pl.Expr:
    """A list column of texts as one text, each in quotes."""
    return pl.col(answers).list.eval(pl.format("'{}'", pl.element())).list.join(", ")


def _incomplete(states: pl.DataFrame) -> Sequence[pl.DataFrame]:
    short = states.filter(pl.col("state") == NEEDS_RESPONSES)
    stopped = states.filter(pl.col("state") == STOPPED)
    counts = pl.format("{} of {} valid responses", "valid", "wanted")
    return (
        _rows(short, "too-few-responses", pl.format("{}; aggregated all the same", counts)),
        _rows(
            stopped,
            "collection-stopped",
            pl.format("{} after {} 'I don't know'; aggregated all the same", counts, "idk"),
        ),
    )


def _unreviewed_questions(votes: pl.DataFrame, groups: pl.DataFrame, locations: pl.DataFrame) -> pl.DataFrame:
    proposed = (
        votes.group_by(KEY)
        .agg(n_answers=pl.col("answer").n_unique())
        .join(groups.group_by(KEY).agg(n_groups=pl.len()), on=KEY)
        .join(locations, on=KEY)
    )
    one = pl.col("n_answers") == 1
    answers = pl.when(one).then(pl.lit("1 answer")).otherwise(pl.format("{} answers", "n_answers"))
    detail = pl.format("no review; {} grouped by rules into {}", answers, "n_groups")
    return _rows(proposed, "no-review", detail)


def _unreviewed_answers(votes: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Answers that the review of their question does not mention, at the first response that gave them."""
    own = ["group", "key", *KEY]
    answers = (
        votes.filter(~pl.col("reviewed"))
        .sort("source")
        .unique([*KEY, "answer"], keep="first", maintain_order=True)
        .join(groups.select(*own, "answers"), on=own, nulls_equal=True)
        .with_columns(beside=pl.col("answers").list.set_difference(pl.concat_list("answer")).list.sort())
    )
    alone = pl.col("beside").list.len() == 0
    done = (
        pl.when(alone)
        .then(pl.lit("a group of its own"))
        .otherwise(pl.format("grouped with {}", _quoted("beside")))
    )
    detail = pl.format("the review does not mention '{}'; by the rules {}", "answer", done)
    return _rows(answers, "unreviewed-answer", detail)


def _invalid(decisions: pl.DataFrame) -> pl.DataFrame:
    """The answers that a review removes, each with the reviewer's reason where there is one."""
    why = pl.when(pl.col("reason").fill_null("") != "").then(pl.format(" ({})", "reason")).otherwise(pl.lit(""))
    struck = (
        decisions.filter("invalid")
        .sort("position")
        .group_by(*KEY, "review", maintain_order=True)
        .agg(answers=pl.format("'{}'{}", "answer", why))
        .rename({"review": "source"})
    )
    return _rows(
        struck, "invalid-answers", pl.format("the review removes {}", pl.col("answers").list.join(", "))
    )


def _rejected(answers: pl.DataFrame) -> pl.DataFrame:
    detail = pl.format(
        "all answers of annotator '{}' are invalid ({}); neither a vote nor a non-answer",
        "annotator",
        _quoted("answers"),
    )
    return _rows(rejections(answers), "rejected-response", detail)


def _untranslated(groups: pl.DataFrame, locations: pl.DataFrame) -> pl.DataFrame:
    missing = (
        groups.filter(pl.col("en_answers").list.len() == 0)
        .group_by(KEY, maintain_order=True)
        .agg(answers=pl.col("answers").list.first())
        .join(locations, on=KEY)
    )
    return _rows(missing, "no-translation", pl.format("no English for {}", _quoted("answers")))


def _out_of_format(votes: pl.DataFrame) -> pl.DataFrame:
    """Answers that lack the format their question asks for, at the first response that gave them."""
    formatted = votes.filter(pl.col("answer_format") != AnswerFormat.TEXT.value)
    fits = [
        understood(answer, AnswerFormat(form), language, unit=unit) is not None
        for answer, form, language, unit in formatted.select(
            "answer", "answer_format", "language", "unit"
        ).iter_rows()
    ]
    odd = _first_typed(formatted.filter(~pl.Series(fits, dtype=pl.Boolean)))
    return _rows(
        odd, "out-of-format", pl.format("'{}' is not in the format {}; kept", "answer", "answer_format")
    )


def _several_answers(votes: pl.DataFrame) -> pl.DataFrame:
    """Unreviewed answers that look like several in one cell, at the first response that gave them."""
    typed = _first_typed(votes.filter(~pl.col("reviewed"), pl.col("answer_format") == AnswerFormat.TEXT.value))
    parts = [several_answers(answer, lines) for answer, lines in typed.select("answer", "lines").iter_rows()]
    listed = typed.with_columns(parts=pl.Series(parts, dtype=pl.List(pl.String)))
    n_parts = pl.col("parts").list.len()
    detail = pl.format("'{}' may be {} answers: {}; kept as one", "answer", n_parts, _quoted("parts"))
    return _rows(listed.filter(n_parts > 1), "several-answers", detail)


def _first_typed(votes: pl.DataFrame) -> pl.DataFrame:
    return votes.sort("source").unique([*KEY, "answer"], keep="first", maintain_order=True)
