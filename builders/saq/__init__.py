"""Short answers: from what annotators typed and reviewers decided to answer groups with votes.

References:
    Myung et al. (2024), BLEnD, section 3 and appendix, https://arxiv.org/abs/2406.09948.
    ``docs/aggregation.md`` states every rule, and what is ours where the paper is silent.
"""

from collections.abc import Iterator
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
    listed = groups.group_by(KEY, maintain_order=True).agg(
        annotations=pl.struct("answers", "en_answers", "count")
    )
    complete = reviews.select(KEY).join(votes.filter(~pl.col("reviewed")), on=KEY, how="anti")
    annotations = (
        questions.select(*KEY, "source")
        .join(listed, on=KEY, how="left")
        .join(_non_answers(responses), on=KEY, how="left")
        .join(complete.with_columns(grouping=pl.lit(Grouping.REVIEWED.value)), on=KEY, how="left")
        .with_columns(
            pl.col("annotations").fill_null([]),
            pl.col("grouping").fill_null(Grouping.PROPOSED.value),
            idks=pl.struct(*(pl.col(kind).fill_null(0) for kind in _KINDS), pl.col("others").fill_null([])),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in ANNOTATIONS.items())
        .sort(KEY)
    )
    states = count_responses(questions, responses, ballots.answers, options).questions
    findings = _saq_findings(questions, reviews, ballots, votes, groups, states)
    sets = answer_sets(responses, ballots, votes)
    agreed_in = annotator_groups(sets, empty(PROFILES) if profiles is None else profiles)
    return Aggregation(annotations, findings, locale_agreement(sets), agreed_in)


_KINDS = (NonAnswer.IDK.value, NonAnswer.NO_ANSWER.value, NonAnswer.NOT_APPLICABLE.value)


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
        states: `builders.saq.ballots._CollectionStatus.questions`.

    Returns:
        `frames.FINDINGS`, ordered by kind, source, locale, template and detail.
    """
    locations = questions.select(*KEY, "source")
    # At the first response that gave them.
    typed = votes.sort("source").unique([*KEY, "answer"], keep="first", maintain_order=True)
    found = [
        *_incomplete(states.join(locations, on=KEY)),
        _beyond_wanted(states.join(locations, on=KEY)),
        _unreviewed_questions(votes.join(reviews, on=KEY, how="anti"), groups, locations),
        _unreviewed_answers(typed.join(reviews, on=KEY, how="semi"), groups),
        _invalid(ballots.decisions),
        _rejected(ballots.answers),
        _untranslated(groups, locations),
        _out_of_format(typed.filter(pl.col("answer_format") != AnswerFormat.TEXT.value)),
        _several_answers(typed.filter(~pl.col("reviewed"), answer_format=AnswerFormat.TEXT.value)),
    ]
    return pl.concat(found).sort("kind", "source", "locale", "template_id", "detail")


def _rows(found: pl.DataFrame, kind: str, detail: pl.Expr) -> pl.DataFrame:
    named = found.with_columns(kind=pl.lit(kind), detail=detail)
    return named.select(pl.col(name).cast(dtype) for name, dtype in FINDINGS.items())


def _quoted(answers: str) -> pl.Expr:
    """A list column of texts as one text, each in quotes."""
    return pl.col(answers).list.eval(pl.format("'{}'", pl.element())).list.join(", ")


def _incomplete(states: pl.DataFrame) -> Iterator[pl.DataFrame]:
    counts = pl.format("{} of {} valid responses", "valid", "wanted")
    stopped = pl.format("{} after {} 'I don't know'", counts, "idk")
    for state, kind, detail in (
        (NEEDS_RESPONSES, "too-few-responses", counts),
        (STOPPED, "collection-stopped", stopped),
    ):
        yield _rows(states.filter(state=state), kind, pl.format("{}; aggregated all the same", detail))


def _beyond_wanted(states: pl.DataFrame) -> pl.DataFrame:
    """Locales in which more people are asked than are wanted: shares of annotators are of those wanted."""
    usual = (
        states.sort(KEY)
        .group_by("locale", "wanted")
        .agg(
            pl.col("valid").median().floor().cast(pl.Int64), pl.col("source").first(), template_id=pl.lit(None)
        )
    )
    detail = pl.format(
        "half of the questions have {} valid responses or more, but wanted = {} in [saq], so that shares of "
        "annotators come out too high",
        "valid",
        "wanted",
    )
    return _rows(usual.filter(pl.col("valid") > pl.col("wanted")), "more-than-wanted", detail)


def _unreviewed_questions(votes: pl.DataFrame, groups: pl.DataFrame, locations: pl.DataFrame) -> pl.DataFrame:
    proposed = (
        votes.group_by(KEY)
        .agg(n_answers=pl.col("answer").n_unique())
        .join(groups.group_by(KEY).agg(n_groups=pl.len()), on=KEY)
        .join(locations, on=KEY)
    )
    plural = pl.when(pl.col("n_answers") == 1).then(pl.lit("")).otherwise(pl.lit("s"))
    detail = pl.format("no review; {} answer{} grouped by rules into {}", "n_answers", plural, "n_groups")
    return _rows(proposed, "no-review", detail)


def _unreviewed_answers(typed: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Answers that the review of their question does not mention."""
    own = ["group", "key", *KEY]
    answers = (
        typed.filter(~pl.col("reviewed"))
        .join(groups.select(*own, "answers"), on=own, nulls_equal=True)
        .with_columns(beside=pl.col("answers").list.set_difference(pl.concat_list("answer")).list.sort())
    )
    alone = pl.col("beside").list.len() == 0
    together = pl.format("grouped with {}", _quoted("beside"))
    done = pl.when(alone).then(pl.lit("a group of its own")).otherwise(together)
    detail = pl.format("the review does not mention '{}'; by the rules {}", "answer", done)
    return _rows(answers, "unreviewed-answer", detail)


def _invalid(decisions: pl.DataFrame) -> pl.DataFrame:
    """The answers that a review removes, each with the reviewer's reason where there is one."""
    why = pl.when(pl.col("reason").fill_null("") != "").then(pl.format(" ({})", "reason")).otherwise(pl.lit(""))
    struck = (
        decisions.filter("invalid")
        .sort("position")
        .group_by(*KEY, source="review", maintain_order=True)
        .agg(answers=pl.format("'{}'{}", "answer", why))
    )
    detail = pl.format("the review removes {}", pl.col("answers").list.join(", "))
    return _rows(struck, "invalid-answers", detail)


def _rejected(answers: pl.DataFrame) -> pl.DataFrame:
    text = "all answers of annotator '{}' are invalid ({}); neither a vote nor a non-answer"
    return _rows(rejections(answers), "rejected-response", pl.format(text, "annotator", _quoted("answers")))


def _untranslated(groups: pl.DataFrame, locations: pl.DataFrame) -> pl.DataFrame:
    missing = (
        groups.filter(pl.col("en_answers").list.len() == 0)
        .group_by(KEY, maintain_order=True)
        .agg(answers=pl.col("answers").list.first())
        .join(locations, on=KEY)
    )
    return _rows(missing, "no-translation", pl.format("no English for {}", _quoted("answers")))


def _out_of_format(typed: pl.DataFrame) -> pl.DataFrame:
    """Answers that lack the format their question asks for."""
    texts = typed.select("answer", "answer_format", "language", "unit").iter_rows()
    odd = [understood(text, AnswerFormat(form), tag, unit=unit) is None for text, form, tag, unit in texts]
    detail = pl.format("'{}' is not in the format {}; kept", "answer", "answer_format")
    return _rows(typed.filter(pl.Series(odd, dtype=pl.Boolean)), "out-of-format", detail)


def _several_answers(typed: pl.DataFrame) -> pl.DataFrame:
    """Unreviewed answers that look like several in one cell."""
    parts = [several_answers(answer, lines) for answer, lines in typed.select("answer", "lines").iter_rows()]
    listed = typed.with_columns(parts=pl.Series(parts, dtype=pl.List(pl.String)))
    n_parts = pl.col("parts").list.len()
    detail = pl.format("'{}' may be {} answers: {}; kept as one", "answer", n_parts, _quoted("parts"))
    return _rows(listed.filter(n_parts > 1), "several-answers", detail)
