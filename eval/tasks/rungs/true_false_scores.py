"""True or false: from answers to decisions and scores; ``docs/scores.md`` has every formula.

Every interval is over templates: the questions made of one template are not independent.
"""

from collections.abc import Iterable, Iterator

import polars as pl

from blend.eval.scores_json import ALL, Score, ScoredItems, missing_share, percents
from blend.eval.statistics.estimates import estimates
from blend.eval.tasks.multiple_choice.choice_scores import (
    DECISIONS,
    accuracies,
    decided,
    decided_in_parts,
    parsing_shares,
    shares_by,
)
from blend.eval.tasks.multiple_choice.chosen_options import choose
from blend.eval.tasks.rungs.yes_no_replies import read_yes_no
from blend.schemas.rows import LETTERS

N_OPTIONS = len(LETTERS)
"""Options of a question, of which one is true."""


def score_true_false(
    parts: Iterable[tuple[pl.DataFrame, pl.DataFrame]],
    gold: Iterable[pl.DataFrame],
    *,
    style: str,
    rule: str,
    seed: int = 0,
) -> ScoredItems:
    """Judge answers of yes or no, and score them by question.

    Args:
        parts: Items, some at a time, each part with the answers to it (`runs.written_answers`). A question of
            which an answer is missing is left out of every figure but ``missing``.
        gold: `tasks.rungs.true_false_items.GOLD` of each part, row by row the same items.
        style: ``json`` for texts, ``letters`` for log-probabilities.
        rule: ``default``, or ``strict`` for texts.
        seed: Seed of the intervals.

    Returns:
        Decisions as of multiple choice, without rotations and regions of options: ``answer`` and ``chosen`` are
        indices of `true_false_items.WORDS`. Scores of questions first, overall, by region and topic, then of
        options.

    Raises:
        UnknownNameError: If there is no such rule for these answers; lists the rules.
    """
    judged = decided_in_parts(
        parts, gold, lambda rows: decided(rows, choose(rows, style=style, rule=rule, read=read_yes_no), rule)
    )
    options = _complete(judged)
    scores = (
        *accuracies(complete_questions(judged), seed),
        *_of_options(options, seed),
        *parsing_shares(options, seed),
        missing_share(int(judged["answered"].sum()), judged.height),
    )
    return ScoredItems(judged.select(name for name in DECISIONS if name in judged.columns), scores)


def complete_questions(decisions: pl.DataFrame) -> pl.DataFrame:
    """The questions of which every option has an answer.

    Args:
        decisions: As `score_true_false` returns them.

    Returns:
        One row per question, in their order: ``item_id``, that of the question, ``locale``,
        ``region``, ``template_id``, ``topic``, and ``correct``, 1 where all options are answered correctly.
    """
    first = pl.col("locale", "region", "template_id", "topic").first()
    correct = pl.col("correct").all().cast(pl.Float64)
    by_question = _complete(decisions).group_by(item_id="question_id", maintain_order=True)
    return by_question.agg(first, correct)


def _complete(decisions: pl.DataFrame) -> pl.DataFrame:
    return decisions.filter(pl.col("correct").is_not_null().sum().over("question_id") == N_OPTIONS)


def _of_options(options: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Balanced accuracy, and how much more often yes is said than it is true, overall and by region."""
    # One of four options is true. With the true one counted three times, the mean over options is half the
    # share of true options called true and half that of false ones called false; the weights add up to four.
    is_true = pl.col("answer") == 0
    weight = pl.when(is_true).then(N_OPTIONS / 2).otherwise(N_OPTIONS / 2 / (N_OPTIONS - 1))
    more_yes = (pl.col("chosen") == 0).cast(pl.Float64) - is_true
    for metric, rows, value in (
        ("balanced-accuracy", options.with_columns(weight=weight), pl.col("correct")),
        ("yes-bias", options.drop_nulls("chosen"), more_yes),
    ):
        of_regions, is_share = shares_by(rows, value, "region"), metric != "yes-bias"
        for scope, keys, of in (
            ("overall", [ALL], of_regions.pooled),
            ("region", of_regions.groups, of_regions),
        ):
            yield from percents(metric, scope, keys, estimates(of, seed=seed, proportion=is_share))
