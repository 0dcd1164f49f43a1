"""What aggregation noticed: one row per oddity of a question, and what was done about it."""

from collections.abc import Sequence

import polars as pl

from blend.builders.saq.ballots import Ballots
from blend.builders.saq.collection import NEEDS_RESPONSES, STOPPED, rejections
from blend.builders.saq.grouping import several_answers
from blend.schemas.formats import AnswerFormat, understood
from blend.schemas.frames import FINDINGS, KEY


def saq_findings(
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
        states: `builders.saq.collection.CollectionStatus.questions`.

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
