"""Votes of another number of annotators: which questions they would leave, from those that were asked.

Fewer annotators are some of those who were asked, drawn without replacement, so that the votes for an answer
are hypergeometric. Further ones are drawn from Pólya's urn: each agrees with one of those before, or says
something of its own with the weight of `NOVELTY` annotators (Dirichlet-multinomial, a beta-binomial for every
answer).

References:
    Johnson, Kotz and Balakrishnan (1997), Discrete multivariate distributions, chapters 35 and 39.
"""

from collections.abc import Iterable
from functools import cache
from itertools import product
from math import comb, exp, lgamma, prod

import polars as pl

from blend.schemas.frames import MAX_IDK, MAX_UNANSWERABLE

NOVELTY = 1.75
"""Weight, in annotators, of saying what nobody has said.

The value with which three of BLEnD's five annotators tell best what all five leave. """

VOTE_SHARES = pl.Schema(
    {"locale": pl.String(), "annotators": pl.Int64(), "short_answers": pl.Float64(), "majority": pl.Float64()}
)
"""One row per locale and number of annotators: expected shares of the questions that short-answer scoring does
not skip, and that default mode asks about as far as votes decide (fractions)."""

Counts = tuple[int, int, int, int]
"""Annotators by what they said: three kinds, and the rest."""
Weights = tuple[float, float, float, float]
Limits = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
"""Least and most annotators of the three kinds."""


def vote_shares(annotations: pl.DataFrame, annotators: Iterable[int], *, wanted: int) -> pl.DataFrame:
    """Estimate the shares of questions that some numbers of annotators would leave.

    Default mode's rules for five annotators go with their number: a top answer needs a majority, non-answers
    may be a minority, and none says *not applicable*. The limits of short-answer scoring are numbers, and stay.

    Args:
        annotations: `frame_columns.ANNOTATIONS`, one row per question.
        annotators: Numbers of annotators.
        wanted: Annotators that each question was given to; where more have answered, these count.

    Returns:
        `VOTE_SHARES`, by locale and number of annotators. For as many annotators as there were, the shares are
        those observed. For others, each answer reaches a majority by itself: some annotators give several
        answers.
    """
    reasons, votes = pl.col("idks").struct, pl.col("annotations").list.eval(pl.element().struct.field("count"))
    others = reasons.field("others").list.eval(pl.element().struct.field("count")).list.sum()
    rows = annotations.select(
        "locale",
        votes=votes.list.eval(pl.element().filter(pl.element() > 0)),
        idk=reasons.field("idk"),
        none=reasons.field("no-answer"),
        never=reasons.field("not-applicable"),
        others=others,
    )
    found: list[tuple[str, int, float, float]] = []
    for (tag,), of_locale in rows.sort("locale").group_by("locale", maintain_order=True):
        questions = [_Question(wanted, *row[1:]) for row in of_locale.iter_rows()]
        found.extend((tag, n, *_shares(questions, n)) for n in sorted(set(annotators)))
    return pl.DataFrame(found, VOTE_SHARES, orient="row")


class _Question:
    """Annotators of a question by what they said."""

    def __init__(self, wanted: int, votes: list[int], idk: int, none: int, never: int, others: int) -> None:
        silent = idk + none + never + others
        n = max(wanted, silent + max(votes, default=0))
        answered = n - silent if votes else 0
        self.scored: Counts = (none + never, idk, answered, n - none - never - idk - answered)
        self.by_answer: list[Counts] = [(never, silent - never, one, n - silent - one) for one in votes]
        self.silent: tuple[float, float] = never / n, (silent - never) / n
        self.weights = tuple(kind / n for kind in self.scored)


def _shares(questions: list[_Question], n: int) -> tuple[float, float]:
    """Compute shares of scored questions and of those with a majority among ``n`` annotators."""
    size = len(questions)
    scored = _mean_weights([one.weights for one in questions])
    never, silent = (sum(one.silent[kind] for one in questions) / size for kind in (0, 1))
    # Nobody new gives an answer that was given only by chance: what is new is an answer of its own.
    spoken: Weights = (never, silent, 0.0, 1 - never - silent)
    kept = sum(
        chance(one.scored, scored, n, ((0, MAX_UNANSWERABLE), (0, MAX_IDK), (1, n))) for one in questions
    )
    limits: Limits = ((0, 0), (0, (n - 1) // 2), (n // 2 + 1, n))
    agreed = sum(1 - prod(1 - chance(one, spoken, n, limits) for one in each.by_answer) for each in questions)
    return kept / size, agreed / size


def _mean_weights(weights: list[tuple[float, ...]]) -> Weights:
    first, second, third, rest = (sum(kind) / len(weights) for kind in zip(*weights, strict=True))
    return first, second, third, rest


@cache
def chance(counts: Counts, new: Weights, n: int, limits: Limits, *, novelty: float = NOVELTY) -> float:
    """Compute the chance that ``n`` annotators keep within limits.

    Args:
        counts: What those said who were asked.
        new: Shares of the kinds in what nobody has said yet.
        n: How many annotators there would be.
        limits: Least and most annotators of each of the first three kinds.
        novelty: See `NOVELTY`.
    """
    asked = sum(counts)
    if n <= asked:
        ranges = [range(least, most + 1) for least, most in limits]
        ways = sum(
            comb(counts[0], a) * comb(counts[1], b) * comb(counts[2], c) * comb(counts[3], n - a - b - c)
            for a, b, c in product(*ranges)
            if a + b + c <= n
        )
        return ways / comb(asked, n)
    more = n - asked
    alphas = [count + novelty * weight for count, weight in zip(counts, new, strict=True)]
    ranges = [
        range(max(least - count, 0), min(most - count, more) + 1)
        for count, (least, most) in zip(counts[:3], limits, strict=True)
    ]
    scale = lgamma(more + 1) + lgamma(sum(alphas)) - lgamma(sum(alphas) + more)
    total = 0.0
    for drawn in product(*ranges):
        rest = more - sum(drawn)
        if rest < 0:
            continue
        each = zip((*drawn, rest), alphas, strict=True)
        if all(alpha > 0 or not k for k, alpha in each):
            terms = zip((*drawn, rest), alphas, strict=True)
            total += exp(scale + sum(lgamma(k + a) - lgamma(a) - lgamma(k + 1) for k, a in terms if k))
    return total
