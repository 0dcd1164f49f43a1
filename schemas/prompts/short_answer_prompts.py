"""Short answers: which prompts are the published ones, and which questions are scored."""

import polars as pl

PUBLISHED_PROMPTS = ("inst-4", "pers-3")
"""The prompts of the published evaluation (Myung et al. 2024, section 4)."""

MAX_UNANSWERABLE = 2
"""Votes for ``no-answer`` and ``not-applicable`` together with which a question is still scored."""

MAX_IDK = 4
"""Votes for ``idk`` with which a question is still scored."""


NON_ANSWERS = frozenset({"no answer", "not applicable", "i don't know", "idk"})
"""Answers of SemEval-2026 Task 7 that say that there is none, in lower case."""


def is_scored() -> pl.Expr:
    """Whether short-answer scoring counts a question, over the columns ``annotations`` and ``idks``.

    A question without answers, with three or more votes for ``no-answer`` and ``not-applicable`` together, or
    with five or more for ``idk`` is skipped. Reasons in annotators' own words do not count, nor do votes that
    nobody knows.

    References:
        The scorer that Myung et al. (2024), BLEnD, published with their data.
    """
    votes = pl.col("idks").struct
    return (
        (pl.col("annotations").list.len() > 0)
        & (
            votes.field("no-answer").fill_null(0) + votes.field("not-applicable").fill_null(0)
            <= MAX_UNANSWERABLE
        )
        & (votes.field("idk").fill_null(0) <= MAX_IDK)
    )


def accepts_answers() -> pl.Expr:
    """Whether anything is accepted but `NON_ANSWERS` without votes, over the column ``annotations``.

    By the default rule what accepts nothing else is not scored.
    """
    group = pl.element().struct
    texts = group.field("answers").list.concat(group.field("en_answers"))
    lower = pl.element().str.strip_chars().str.replace_all("’", "'", literal=True).str.to_lowercase()
    answers = texts.list.eval(~lower.is_in(sorted(NON_ANSWERS))).list.any()
    return pl.col("annotations").list.eval(group.field("count").is_not_null() | answers).list.any()
