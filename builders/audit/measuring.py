"""Measuring: how often a rule is right, how sure that is, and what the rules reach together."""

from hashlib import sha256

import numpy as np
import polars as pl
from numpy.typing import NDArray

MEASURED = pl.Schema(
    {
        "questions": pl.Int64(),
        "templates": pl.Int64(),
        "accuracy": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "chance": pl.Float64(),
        "overall": pl.Float64(),
        "by_pair": pl.Float64(),
    }
)
"""How a rule fares: ``questions`` and ``templates`` in which it has an opinion (counts), ``accuracy`` there,
with a 95 % interval over templates (``low``, ``high``; null with fewer than two templates), what guessing
reaches there (``chance``), the share of all questions that it gets right if it guesses where it has no opinion
(``overall``), and the same where every pair of template and group counts once, however many variants it has
(``by_pair``). All are fractions, null where there is no question."""

_FOLDS = 5
"""Parts of the templates; each is answered by what was learnt from the others."""
_PENALTY = 1.0
"""Strength of the pull of every weight towards 0 (half its square is added to the loss)."""
_STEPS = 50
_SETTLED = 1e-5
"""Change of a weight after which no figure changes any more: what is left to go is about its square."""
_Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""

FloatArray = NDArray[np.float64]


def credit_of(options: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Choose by the scores of rules, and compare with the correct options.

    Args:
        options: `rules.RuleInputs.options`.
        scores: As `rules.scored` returns them.

    Returns:
        One row per question: ``template``, ``group``, ``chance`` (what a guess gets right), and for every rule
        the share of the options it likes best that is correct: 1 or 0 without a tie, null without an opinion.
    """
    number, is_correct = options["question"].to_numpy(), options["is_correct"].to_numpy()
    starts, owner = _questions_of(number)
    columns: dict[str, FloatArray] = {}
    for name in scores.columns:
        # Null becomes NaN, which is larger than nothing, so that a rule that does not apply has no opinion.
        score = scores[name].cast(pl.Float64).to_numpy()
        best = np.maximum.reduceat(score, starts)
        has_opinion = best > np.minimum.reduceat(score, starts)
        is_best = score == best[owner]
        n_best = np.maximum(np.add.reduceat(is_best.astype(np.int64), starts), 1)
        columns[name] = np.where(has_opinion, is_best[is_correct] / n_best, np.nan)
    questions = options.filter("is_correct").select("template", "group")
    chance = 1 / np.diff(starts, append=len(number))
    return questions.with_columns(pl.DataFrame({**columns, "chance": chance}, nan_to_null=True))


def _questions_of(question: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the options of each question start, and the index of every option's question."""
    starts = np.flatnonzero(np.diff(question.astype(np.int64), prepend=-1))
    return starts, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(question)))


def measured(questions: pl.DataFrame, rules: list[str]) -> pl.DataFrame:
    """Measure how rules fare, on all questions and by group.

    The interval is Wilson's with an effective number of questions: so many independent ones would be as
    uncertain as these are, whose templates vary together. It comes from the linearised variance of a ratio
    between templates; where all templates agree, every template counts as one question. Few templates widen it
    as Student's t does.

    Args:
        questions: As `credit_of` returns them.
        rules: The columns of rules.

    Returns:
        ``rule``, ``group`` and `MEASURED`: one row per rule of ``all``, then one per rule and group.

    References:
        Wilson (1927); Cochran (1977), Sampling techniques, section 9A.
    """
    kept = pl.concat([questions.with_columns(part=pl.lit("all")), questions.with_columns(part="group")])
    index = ["part", "template", "group", "chance"]
    long = kept.unpivot(rules, index=index, variable_name="rule", value_name="credit")
    long = long.cast({"rule": pl.String, "credit": pl.Float64})
    key = ["rule", "part"]
    guessing = pl.col("credit").fill_null(pl.col("chance")).mean()
    # In order throughout: sums of fractions depend on it in their last digit, and a release is the same bytes.
    pairs = long.group_by(*key, "template", "group", maintain_order=True).agg(by_pair=guessing)
    given = long.drop_nulls("credit")
    accuracy = given.group_by(key, maintain_order=True).agg(
        pl.len().alias("questions"), pl.col("chance").mean(), p=pl.mean("credit")
    )
    apart = (
        given.join(accuracy.select(*key, "p"), on=key, maintain_order="left")
        .group_by(*key, "template", maintain_order=True)
        .agg(apart=(pl.col("credit") - pl.col("p")).sum())
    )
    each = pl.DataFrame({"rule": rules}, {"rule": pl.String})
    groups = questions.select(part="group").unique().sort("part")
    every = pl.concat(
        [each.with_columns(part=pl.lit("all")), each.join(groups, how="cross", maintain_order="left_right")]
    )
    for figures in (
        accuracy,
        apart.group_by(key, maintain_order=True).agg(k=pl.len(), squares=(pl.col("apart") ** 2).sum()),
        long.group_by(key, maintain_order=True).agg(overall=guessing),
        pairs.group_by(key, maintain_order=True).agg(pl.mean("by_pair")),
    ):
        every = every.join(figures, on=key, how="left", maintain_order="left")
    return every.with_columns(
        pl.col("questions").fill_null(0), templates=pl.col("k").fill_null(0), accuracy="p", **_interval()
    ).select(
        "rule", pl.col("part").alias("group"), *(pl.col(name).cast(dtype) for name, dtype in MEASURED.items())
    )


def _interval() -> dict[str, pl.Expr]:
    """The interval, over ``p`` (accuracy), ``k`` (templates), ``squares`` (between these), ``questions``."""
    p, k = pl.col("p"), pl.col("k")
    variance = k / (k - 1) * pl.col("squares") / pl.col("questions").cast(pl.Float64) ** 2
    size = pl.when(variance > 1e-15).then(p * (1 - p) / variance).otherwise(k)
    t = _student(k - 1)
    centre = (p + t**2 / (2 * size)) / (1 + t**2 / size)
    half = t / (1 + t**2 / size) * (p * (1 - p) / size + t**2 / (4 * size**2)).sqrt()
    ends = {"low": (centre - half).clip(lower_bound=0), "high": (centre + half).clip(upper_bound=1)}
    return {name: pl.when(k > 1).then(end) for name, end in ends.items()}


def _student(degrees: pl.Expr) -> pl.Expr:
    """The 97.5 % quantile of Student's t, from the normal one (Abramowitz and Stegun 1964, 26.7.5).

    Within 3 % from two degrees of freedom on; with one it is 9.7 instead of 12.7.
    """
    z, v = _Z, degrees.cast(pl.Float64)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def combined_scores(options: pl.DataFrame, scores: pl.DataFrame) -> pl.Series:
    """Score how correct every option looks by several rules together, as learnt from other templates.

    A conditional logit: within a question, the chance of an option is proportional to the exponential of a
    weighted sum of its scores. Scores count as their difference from the question's mean; one that does not
    apply counts 0.

    References:
        McFadden (1974), Conditional logit analysis of qualitative choice behavior; fitted by Newton's method.
    """
    question, is_correct = options["question"].to_numpy(), options["is_correct"].to_numpy()
    together = scores.cast(pl.Float64).fill_null(0.0).with_columns(question=options["question"])
    apart = together.select((pl.col(name) - pl.mean(name).over("question")) for name in scores.columns)
    # Axis 0: rules; sums over the options of a question are quick along the last axis.
    features = np.array(apart.to_numpy().T, order="C")  # a copy, since they are scaled in place
    spread = np.sqrt((features**2).mean(axis=1, keepdims=True))
    # One scale for all scores, so that the penalty pulls alike on each.
    features /= np.where(spread > 0, spread, 1.0)
    # The part of a template depends on its name alone.
    names = options["template"].unique().to_list()
    numbers = [int.from_bytes(sha256(name.encode()).digest()[:4]) % _FOLDS for name in names]
    part = options["template"].replace_strict(names, numbers).to_numpy()
    found = np.zeros(len(options))
    for held_out in (part == number for number in set(numbers)):
        if not held_out.all():
            used = ~held_out
            weights = _choice_weights(features[:, used], question[used], is_correct[used])
            found[held_out] = weights @ features[:, held_out]
    return pl.Series(np.round(found, 9))


def _choice_weights(
    features: FloatArray, question: NDArray[np.int64], is_correct: NDArray[np.bool_]
) -> FloatArray:
    """Weights of a conditional logit that fit which options are correct; of shape ``(n, n_options)``."""
    starts, owner = _questions_of(question)
    position = np.arange(len(question)) - starts[owner]
    # Axes: position of an option, rule, question. Sums over the options of a question are then sums of a few
    # arrays; where a question has fewer options, nothing is there.
    side_by_side = np.zeros((position.max() + 1, len(features), len(starts)))
    side_by_side[position, :, owner] = features.T
    is_there = np.zeros((len(side_by_side), len(starts)), dtype=bool)
    is_there[position, owner] = True
    of_correct = features[:, is_correct].sum(axis=1)

    def fit_of(weights: FloatArray) -> tuple[float, FloatArray]:
        """How badly weights fit, and the chance that they give every option."""
        utility = np.where(is_there, weights @ side_by_side, -np.inf)
        highest = utility.max(axis=0)
        # Beside the likeliest option of the question, so that nothing overflows.
        odds = np.exp(utility - highest)
        sums = odds.sum(axis=0)
        loss = (highest + np.log(sums)).sum() - weights @ of_correct + _PENALTY / 2 * weights @ weights
        return float(loss), odds / sums

    weights: FloatArray = np.zeros(len(features))
    loss, chances = fit_of(weights)
    for _ in range(_STEPS):
        weighted = side_by_side * chances[:, np.newaxis]
        means = weighted.sum(axis=0)
        gradient = of_correct - means.sum(axis=1) - _PENALTY * weights
        # The spread within questions: of all options, less that of the questions' means.
        spread = (side_by_side @ weighted.transpose(0, 2, 1)).sum(axis=0) - means @ means.T
        change = np.linalg.solve(spread + _PENALTY * np.eye(len(weights)), gradient)
        further, chances = fit_of(weights + change)
        # Where a score is rare and large, a whole step goes too far.
        while further > loss and np.abs(change).max() >= _SETTLED:
            change = change / 2
            further, chances = fit_of(weights + change)
        weights, loss = weights + change, further
        if np.abs(change).max() < _SETTLED:
            break
    return weights
