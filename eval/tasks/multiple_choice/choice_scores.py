"""Multiple choice: from answers to decisions and scores; ``docs/scores.md`` has every formula.

Every interval is over templates: the questions made of one template are not independent.
"""

from collections.abc import Callable, Iterable, Iterator

import polars as pl

from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import (
    ALL,
    UNANSWERED,
    UNREAD,
    Score,
    ScoredItems,
    missing_share,
    percent,
    percents,
    plain,
)
from blend.eval.statistics import Clusters, cluster_sums
from blend.eval.statistics.agreement import auroc, coverage_weights, expected_calibration_error
from blend.eval.statistics.estimates import estimates, gap_estimate, macro_estimate
from blend.eval.task import Progress, ScoringOptions
from blend.eval.tasks.multiple_choice.chosen_options import (
    GIVEN,
    RULES,
    SEMEVAL,
    decided,
    stated_confidence,
    without_confidence,
)
from blend.schemas.rows import LETTERS, AnswerSpread

DECISIONS = pl.Schema(
    {
        "item_id": pl.String(),
        "question_id": pl.String(),
        "locale": pl.String(),
        "region": pl.String(),
        "template_id": pl.String(),
        "topic": pl.String(),
        "prompt_id": pl.String(),
        "rotation": pl.Int64(),
        "answer": pl.Int64(),
        "chosen": pl.Int64(),
        "chosen_region": pl.String(),
        "correct": pl.Boolean(),
        "rule": pl.String(),
        "why": pl.String(),
    }
)
"""One row per item, in the order of the items: what was asked; indices from 0 of the correct and of the chosen
option; the region behind the chosen one; whether it is correct (null: there is no answer); the rule; and why,
in a word (as of `chosen_options.decided`, or ``unanswered``). Where answers have one, ``confidence`` as well,
the share that the model gives its choice."""

_TEMPLATE = "template_id"

_FEW = ("locale", "region", _TEMPLATE, "topic", "prompt_id", "why", "rule")
"""Columns of few different texts: of a million answers each takes 4 MB as categories, and 16 MB as texts."""


def score_choice_run(run: Run, options: ScoringOptions, _on_progress: Progress) -> ScoredItems:
    """Score a run of multiple choice."""
    asked = run.description.options
    scored = score_choices(
        scored_parts(run),
        run.gold_in_parts(),
        style="json" if run.description.holds_texts else asked["style"],
        rule=options.rule,
        seed=options.seed,
        says_confidence=asked["confidence"],
    )
    stated = {"conf": "stated"} if asked["confidence"] else {}
    named = {"style": asked["style"], "rot": str(asked["rotations"]), **stated}
    return scored._replace(signature_parts=named)


def scored_parts(run: Run) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """What scores of a run of questions go by: its items with their answers, some at a time."""
    asked = ("item_id", "locale", "region", "template_id", "topic", "prompt_id")
    sample = ("sample",) if run.description.options.get("samples", 1) > 1 else ()
    return run.answered_parts("logprobs", "option_tokens", "option_bytes", items=(*asked, *sample))


_PAIR = "/"


def score_choices(
    parts: Iterable[tuple[pl.DataFrame, pl.DataFrame]],
    gold: Iterable[pl.DataFrame],
    *,
    style: str,
    rule: str,
    seed: int = 0,
    says_confidence: bool = False,
) -> ScoredItems:
    """Judge the answers to multiple-choice questions, and score them.

    Args:
        parts: Items, some at a time, each part with the answers to it (`runs.answers`); items without
            an answer are left out of every figure but ``missing``, and wrong by the rule `SEMEVAL`.
        gold: `tasks.multiple_choice.choice_items.GOLD` of each part, row by row the same items.
        style: Style of the questions; ``json`` wherever answers are texts.
        rule: Name of a rule, see `chosen_options.decided`.
        seed: Seed of the intervals.
        says_confidence: Whether answers say how sure they are (`chosen_options.stated_confidence`).

    Returns:
        `DECISIONS`, and the scores: those of all items first, then by region, topic, answer
        spread, position, culture. By the rule `SEMEVAL` only of questions as published, and with those of the
        rule ``default`` beside them, ``accuracy-default``.

    Raises:
        UnknownNameError: If there is no such rule for these answers; lists the rules.
    """

    def decide(rows: pl.DataFrame) -> pl.DataFrame:
        rows = rows.filter(rotation=0) if rule == SEMEVAL else rows
        stated = rows.select(stated_confidence(pl.col("text"))).to_series()
        if says_confidence:
            rows = rows.with_columns(without_confidence(pl.col("text")))
        found = decided(rows, style=style, rule=rule)
        sure = stated if says_confidence else found["confidence"]
        return found.with_columns(
            chosen_region=pl.col("option_regions").list.get(pl.col("chosen"), null_on_oob=True),
            confidence=pl.when(pl.col("chosen").is_not_null()).then(sure),
        )

    judged = decided_in_parts(parts, gold, decide)
    written = judged if judged["answered"].all() else judged.filter("answered")
    kept = judged if rule == SEMEVAL else written
    sure = ["confidence"] if says_confidence or style != "json" else []
    others = RULES[style][1:]
    scores = (
        *accuracies(kept, seed),
        *_by_answer_spread(kept, seed),
        *(score for name in others for score in _figures(f"accuracy-{name}", kept, pl.col(name), seed)),
        *parsing_shares(written, seed),
        *(_beside(written, seed) if rule == SEMEVAL else ()),
        missing_share(written.height, judged.height),
        *_all_positions(kept, seed),
        *_positions(kept, seed),
        *_default_culture(kept, seed),
        *(_confidence_scores(kept, seed) if sure else ()),
    )
    return ScoredItems(judged.select(*DECISIONS, *sure).cast(DECISIONS), scores)


def decided_in_parts(
    parts: Iterable[tuple[pl.DataFrame, pl.DataFrame]],
    gold: Iterable[pl.DataFrame],
    decide: Callable[[pl.DataFrame], pl.DataFrame],
) -> pl.DataFrame:
    """Decide items part by part.

    Args:
        parts: Items, some at a time, each part with the answers to it.
        gold: What the answers to each part are compared with, row by row the same items.
        decide: Decides rows of items with their gold and what was answered, null where there is no answer; the
            rows that it returns hold no texts.
    """
    made = []
    for (items, answers), known in zip(parts, gold, strict=True):
        rows = pl.concat([items, known.drop("item_id")], how="horizontal").join(
            answers.select("item_id", *GIVEN), on="item_id", how="left", maintain_order="left"
        )
        made.append(decide(rows).with_columns(pl.col(_FEW).cast(pl.Categorical)))
    # In one piece: sums of fractions do not depend on the parts.
    return pl.concat(made, rechunk=True)


def _beside(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy by the default rule, which leaves out what has no answer."""
    by_region = shares_by(rows, pl.col("correct"), "region")
    return [
        *_figures("accuracy-default", rows, pl.col("correct"), seed, "region"),
        percent("accuracy-macro-default", "overall", ALL, macro_estimate(by_region, seed=seed)),
    ]


def accuracies(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy over all items, by region, topic and both; its mean over regions, and the gap between them.

    Before them the first two by pair of template and region, and behind them by region: a pair counts the same
    however many questions it has.
    """
    # In the order of the items, so that sums of fractions are the same in every run.
    pairs = rows.group_by(_TEMPLATE, "region", maintain_order=True).agg(pl.col("correct").mean())
    pairs_by_region, by_region = (shares_by(some, pl.col("correct"), "region") for some in (pairs, rows))
    scores = []
    for metric, some, in_regions in (
        ("accuracy-by-pair", pairs, pairs_by_region),
        ("accuracy", rows, by_region),
    ):
        scores += _figures(metric, some, pl.col("correct"), seed)
        scores.append(percent(f"{metric}-macro", "overall", ALL, macro_estimate(in_regions, seed=seed)))
    gap = gap_estimate(by_region, seed=seed)
    if gap is not None:
        key = f"{gap.best}{_PAIR}{gap.worst}"
        scores.append(percent("parity-gap", "overall", key, gap.estimate))
    for scope, columns in (("region", ["region"]), ("topic", ["topic"]), ("region-topic", ["region", "topic"])):
        scores += _each("accuracy", scope, shares_by(rows, pl.col("correct"), *columns), seed)
    return [*scores, *_each("accuracy-by-pair", "region", pairs_by_region, seed)]


def _by_answer_spread(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Accuracy by how many other regions gave the correct answer, the most widespread ones first.

    Nothing of a release in paper mode, where that is not known.
    """
    known = rows.drop_nulls("answer_spread")
    by_spread = _each("accuracy", "answer-spread", shares_by(known, pl.col("correct"), "answer_spread"), seed)
    return sorted(by_spread, key=lambda score: list(AnswerSpread).index(AnswerSpread(score.key)))


def parsing_shares(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Count the answers that name an option: strictly, at all, not; and those that are none.

    Nothing where options were scored.
    """
    why = pl.col("why")
    if not rows["why"].is_in(["strict", "lenient", UNREAD, UNANSWERED]).any():
        return []
    return [
        *_figures("parsed-strictly", rows, why == "strict", seed),
        *_figures("parsed", rows, ~why.is_in([UNREAD, UNANSWERED]), seed),
        *_figures(UNREAD, rows, why == UNREAD, seed, "region"),
        *_figures(UNANSWERED, rows, why == UNANSWERED, seed, "region"),
    ]


def _all_positions(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Share of questions answered correctly wherever the correct option stood; only with rotations.

    A question of which an answer is missing is left out.
    """
    rotations = rows["rotation"].n_unique()
    if rotations < 2:
        return []
    each = [name for name in ("question_id", "sample", "region", _TEMPLATE) if name in rows.columns]
    questions = (
        rows.group_by(each)
        .agg(correct=pl.col("correct").all(), asked=pl.len())
        .filter(pl.col("asked") == rotations)
    )
    return _figures("correct-in-all-positions", questions, pl.col("correct"), seed, "region")


def _positions(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Score how often letters were chosen and were correct, of answers that choose any; and their distance."""
    columns = [name for name in (_TEMPLATE, "chosen", "answer") if name in rows.columns]
    chosen = rows.select(columns).filter(pl.col("chosen").is_not_null())
    scores: list[Score] = []
    distance = 0.0
    for index, letter in enumerate(LETTERS):
        for metric, column in (("chosen", "chosen"), ("correct", "answer")):
            share = estimates(shares_by(chosen, pl.col(column) == index).pooled, seed=seed)[0]
            scores.append(percent(f"position-{metric}", "position", letter, share))
        shares = chosen.select((pl.col(name) == index).mean() for name in ("chosen", "answer")).row(0)
        # Total variation: half of the summed differences of the two distributions, in percent.
        distance += 50 * abs((shares[0] or 0) - (shares[1] or 0))
    bias = distance if chosen.height else None
    return [plain("position-bias", "overall", ALL, bias, n=chosen.height), *scores]


def _default_culture(rows: pl.DataFrame, seed: int) -> list[Score]:
    """Of the wrong choices, how often a culture was chosen where it was among the distractors.

    By the culture chosen, and by region asked about and culture chosen (``KR/US``).
    """
    is_wrong = pl.col("chosen").is_not_null() & ~pl.col("correct")
    wrong = rows.lazy().filter(is_wrong)
    # The wrong options offered and whether they were taken, counted position by position: a row for each option
    # would be the most that scoring ever holds in memory.
    offered = pl.concat(
        wrong.filter(pl.col("option_regions").list.len() > position, pl.col("answer") != position)
        .group_by(
            "region",
            _TEMPLATE,
            culture=pl.col("option_regions").list.get(position, null_on_oob=True),
            taken=pl.col("chosen") == position,
        )
        .agg(weight=pl.len())
        .collect()
        for position in range(len(LETTERS))
    )
    taken = pl.col("taken")
    return [
        *_each("default-culture", "culture", shares_by(offered, taken, "culture"), seed),
        *_each("default-culture", "region-culture", shares_by(offered, taken, "region", "culture"), seed),
    ]


def _figures(metric: str, rows: pl.DataFrame, share: pl.Expr, seed: int, *by: str) -> list[Score]:
    """A share of all rows, and by columns, whose names are the scopes."""
    overall = estimates(shares_by(rows, share).pooled, seed=seed)[0]
    each = (_each(metric, column, shares_by(rows, share, column), seed) for column in by)
    return [percent(metric, "overall", ALL, overall), *(score for of in each for score in of)]


def _each(metric: str, scope: str, shares: Clusters, seed: int) -> tuple[Score, ...]:
    return percents(metric, scope, shares.groups, estimates(shares, seed=seed))


def shares_by(rows: pl.DataFrame, share: pl.Expr, *groups: str) -> Clusters:
    """Count the rows that a condition holds for, by group and template; several groups make one joined key.

    Rows with a column ``weight`` count as many times.
    """
    group = pl.concat_str(groups, separator=_PAIR) if groups else pl.lit(ALL)
    weight = pl.col("weight") if "weight" in rows.columns else pl.lit(1)
    sums = (
        rows.group_by(_TEMPLATE, *groups, maintain_order=True)
        .agg(total=(share.cast(pl.Float64) * weight).sum(), count=(share.is_not_null() * weight).sum())
        .with_columns(group=group)
    )
    return cluster_sums(
        sums["total"].to_numpy(),
        sums[_TEMPLATE].to_numpy(),
        sums["group"].to_numpy(),
        counts=sums["count"].to_numpy(),
    )


COVERAGES = (50, 80, 90, 100)
"""Shares of the answers, in percent, of which accuracy is told."""


def _confidence_scores(rows: pl.DataFrame, seed: int) -> Iterator[Score]:
    """Calibration error, area under the curve and accuracy at coverage, overall and by region.

    Args:
        rows: Answered items: ``correct``, ``confidence``, ``region`` and ``template_id``; nothing is scored
            where no answer has a confidence.
        seed: Seed of the intervals.
    """
    if rows["confidence"].null_count() == rows.height:
        return
    yield from _of_confidence(rows, "overall", ALL, seed)
    for (region,), part in rows.sort("region").group_by("region", maintain_order=True):
        yield from _of_confidence(part, "region", str(region), seed)


def _of_confidence(rows: pl.DataFrame, scope: str, key: str, seed: int) -> Iterator[Score]:
    known = rows.drop_nulls("confidence")
    sure, correct = known["confidence"].to_numpy(), known["correct"].to_numpy()
    for metric, value in (("ece", expected_calibration_error(sure, correct)), ("auroc", auroc(sure, correct))):
        yield plain(metric, scope, key, None if value is None else 100 * value, n=known.height)
    everything = rows["confidence"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    correct_share = rows["correct"].cast(pl.Float64).to_numpy()
    for coverage in COVERAGES:
        weight = coverage_weights(everything, coverage / 100)
        shares = cluster_sums(correct_share * weight, rows["template_id"].to_numpy(), counts=weight)
        name = str(coverage) if scope == "overall" else f"{key}/{coverage}"
        of = "coverage" if scope == "overall" else f"{scope}-coverage"
        yield percent("accuracy-at-coverage", of, name, estimates(shares, seed=seed)[0])
