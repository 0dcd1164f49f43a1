"""True or false: from answers to decisions and scores; ``docs/scores.md`` has every formula.

Every interval is over templates: the questions made of one template are not independent.
"""

from collections.abc import Callable, Iterator

import polars as pl

from blend.eval.runs.written_answers import says_nothing
from blend.eval.scores_json import ALL, UNANSWERED, Score, ScoredItems, missing_share, percents
from blend.eval.statistics.clusters import cluster_sums
from blend.eval.statistics.estimates import estimates
from blend.eval.tasks.multiple_choice.choice_scores import accuracies, parsing_shares
from blend.eval.tasks.rungs.yes_no_replies import says_yes_leniently, says_yes_strictly
from blend.schemas.errors import UnknownNameError
from blend.schemas.rows.published_rows import LETTERS

N_OPTIONS = len(LETTERS)
"""Options of a question, of which one is true."""

DECISIONS = pl.Schema(
    {
        **dict.fromkeys(("item_id", "question_id", "locale", "region"), pl.String()),
        **dict.fromkeys(("template_id", "topic", "prompt_id"), pl.String()),
        **dict.fromkeys(("is_true", "says_yes", "correct"), pl.Boolean()),
        **dict.fromkeys(("rule", "why"), pl.String()),
    }
)
"""One row per item, in the order of the items: what was asked; whether the option is correct there, and whether
the answer says yes (null: it says neither); whether that is correct (null: there is no answer); the rule; and
why, in a word (``likeliest``, ``strict``, ``lenient``, ``unparsable``, ``unanswered``, ``error``, ``missing``).
Runs with repeats have ``sample`` as well."""


def score_true_false(
    items: pl.DataFrame, gold: pl.DataFrame, answers: pl.DataFrame, *, rule: str, seed: int = 0
) -> ScoredItems:
    """Judge answers of yes or no, and score them by question.

    Args:
        items: `items.ITEMS`, with ``sample`` where there are several; prompts and options are not needed.
        gold: `tasks.rungs.true_false_items.GOLD`, row by row the same items.
        answers: `runs.answer_files.ANSWERS` as they are scored (`written_answers.as_scored`), in any order. A
            question of which an answer is missing is left out of every figure but ``missing``.
        rule: ``default``, or ``strict`` for texts.
        seed: Seed of the intervals.

    Returns:
        `DECISIONS`, and the scores: of questions first, overall, by region and topic, then of options.

    Raises:
        UnknownNameError: If there is no such rule for these answers; lists the rules.
    """
    rows = pl.concat([items, gold.drop("item_id")], how="horizontal").join(
        answers.select("item_id", "text", "logprobs", "error"),
        on="item_id",
        how="left",
        maintain_order="left",
    )
    judged = _judged(rows, rule).drop("text", "logprobs", "error")
    kept = _complete(judged)
    n_answered = judged.height - judged["correct"].null_count()
    scores = (
        *accuracies(complete_questions(judged), seed),
        *_of_options(kept, seed),
        *parsing_shares(kept, seed),
    )
    columns = [*DECISIONS, *(["sample"] if "sample" in judged.columns else [])]
    missing = missing_share(n_answered, judged.height)
    return ScoredItems(judged.select(columns).cast(DECISIONS), (*scores, missing))


def complete_questions(decisions: pl.DataFrame) -> pl.DataFrame:
    """The questions of which every option has an answer.

    Args:
        decisions: `DECISIONS`.

    Returns:
        One row per question and repeat, in their order: ``question_id``, ``region``, ``template_id``,
        ``topic``, and ``correct``, 1 where all options are answered correctly, else 0.
    """
    each = [name for name in ("question_id", "sample") if name in decisions.columns]
    first = pl.col("region", "template_id", "topic").first()
    correct = pl.col("correct").all().cast(pl.Float64)
    return _complete(decisions).group_by(each, maintain_order=True).agg(first, correct)


def _complete(decisions: pl.DataFrame) -> pl.DataFrame:
    each = [name for name in ("question_id", "sample") if name in decisions.columns]
    return decisions.filter(pl.col("correct").is_not_null().sum().over(each) == N_OPTIONS)


def _judged(rows: pl.DataFrame, rule: str) -> pl.DataFrame:
    """The rows with what each answer says, whether that is correct, and why."""
    is_text = rows["text"].null_count() < rows.height
    rules = ("default", "strict") if is_text else ("default",)
    if rule not in rules:
        raise UnknownNameError("rule", rule, rules)
    # Of equally likely words the first one is said, which is yes.
    likelier = pl.col("logprobs").list.get(0) >= pl.col("logprobs").list.get(1)
    strict, lenient = (_read(rows["text"], how) for how in (says_yes_strictly, says_yes_leniently))
    written = strict if rule == "strict" else lenient
    answered = pl.col("text").is_not_null() | pl.col("logprobs").is_not_null()
    rows = rows.with_columns(
        strict.alias("_strict"), says_yes=pl.when(is_text).then(written).otherwise(likelier)
    )
    why = (
        pl.when(pl.col("error").is_not_null())
        .then(pl.lit("error"))
        .when(~answered)
        .then(pl.lit("missing"))
        .when(pl.col("logprobs").is_not_null())
        .then(pl.lit("likeliest"))
        .when(says_nothing("text"))
        .then(pl.lit(UNANSWERED))
        .when(pl.col("says_yes").is_null())
        .then(pl.lit("unparsable"))
        .when(pl.col("_strict").is_not_null())
        .then(pl.lit("strict"))
        .otherwise(pl.lit("lenient"))
    )
    correct = (pl.col("says_yes") == pl.col("is_true")).fill_null(value=False)
    return rows.with_columns(why=why, rule=pl.lit(rule), correct=pl.when(answered).then(correct))


def _read(texts: pl.Series, how: Callable[[str], bool | None]) -> pl.Series:
    """What texts say, each distinct one read once."""
    readings = {text: how(text) for text in texts.drop_nulls().unique().to_list()}
    return pl.Series([readings.get(text) for text in texts.to_list()], dtype=pl.Boolean)


def _of_options(options: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Balanced accuracy, and how much more often yes is said than it is true, overall and by region."""
    # One of four options is true. With the true one counted three times, the mean over options is half the
    # share of true options called true and half that of false ones called false; the weights add up to four.
    weight = pl.when("is_true").then(N_OPTIONS / 2).otherwise(N_OPTIONS / 2 / (N_OPTIONS - 1))
    more_yes = pl.col("says_yes").cast(pl.Float64) - pl.col("is_true").cast(pl.Float64)
    for metric, some, value, count in (
        ("balanced-accuracy", options, pl.col("correct") * weight, weight),
        ("yes-bias", options.drop_nulls("says_yes"), more_yes, pl.lit(1.0)),
    ):
        rows = some.select("template_id", "region", value=value, count=count)
        by_region = cluster_sums(*(rows[name].to_numpy() for name in _SUMMED), counts=rows["count"].to_numpy())
        for scope, keys, sums in (
            ("overall", [ALL], by_region.pooled),
            ("region", by_region.groups, by_region),
        ):
            yield from percents(
                metric, scope, keys, estimates(sums, seed=seed, proportion=metric != "yes-bias")
            )


_SUMMED = ("value", "template_id", "region")
