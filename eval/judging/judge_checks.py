"""Checks of a judge: what it was asked, what of it can be read, and how far it agrees with the string rule."""

import polars as pl

from blend.eval.judging.verdicts import JUDGE, judge_signature, read_judge
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import Score, ScoredItems, agreement_scores
from blend.eval.share_scores import share_scores
from blend.schemas.texts import agreeing

MAX_UNREADABLE = 0.01
"""Share of verdicts that cannot be read above which a reader is warned."""


def with_checks(scored: ScoredItems, run: Run, rule: str, verdicts: pl.DataFrame, *, seed: int) -> ScoredItems:
    """Add to what a judge decided who it is, and figures that check it.

    Args:
        scored: Decisions and figures by the verdicts of the judge that the rule names.
        run: The run that it judged.
        rule: As for `verdicts.read_judge`.
        verdicts: `verdicts.VERDICTS` that this judge gave.
        seed: Seed of the intervals, all of which are over templates.

    Returns:
        What was scored, with further figures, parts of the signature, and warnings. ``judge-asked``: share of
        the replies that it was asked about; ``judge-unreadable``: share of its verdicts that cannot be read;
        ``judge-partly`` by region; ``judge-rule-…``, its agreement with the string rule on what it was asked:
        correct or not, as Krippendorff's alpha and as the share of pairs.
    """
    judge = read_judge(run, rule)
    judged = verdicts.select("item_id", "verdict", is_asked=pl.col("decided_by") == JUDGE).join(
        run.items("item_id", "region", "template_id"), on="item_id", how="inner", maintain_order="left"
    )
    asked, known = judged.filter("is_asked"), judged.drop_nulls("verdict")
    unreadable, partly = pl.col("verdict").is_null(), pl.col("verdict") == "partly"
    scores = (
        *share_scores("judge-asked", judged.with_columns(value="is_asked"), {}, seed),
        *share_scores("judge-unreadable", asked.with_columns(value=unreadable), {}, seed),
        *share_scores("judge-partly", known.with_columns(value=partly), {"region": "region"}, seed),
        *_agreement_with_rule(known.filter("is_asked"), scored.decisions, seed),
    )
    return scored._replace(
        scores=(*scored.scores, *scores),
        signature_parts={**scored.signature_parts, **judge_signature(run, judge)},
        warnings=(*scored.warnings, *_warnings(judge, asked)),
    )


def _warnings(judge: Run, asked: pl.DataFrame) -> list[str]:
    """What a reader should know of questions without an answer, and of verdicts that cannot be read."""
    warnings = []
    model, n_questions = judge.description.model.id, judge.description.n_items
    n_failed = n_questions - judge.answers("item_id", "error")["error"].null_count()
    n_unreadable = asked["verdict"].null_count()
    if n_failed:
        warnings.append(
            f"{n_failed:,} of {n_questions:,} questions to {model} {agreeing(n_failed, 'has', 'have')} no "
            "answer, which counts as a verdict that cannot be read; run the same `blend eval judge` again to "
            "ask them"
        )
    if n_unreadable > MAX_UNREADABLE * asked.height:
        warnings.append(
            f"{n_unreadable:,} of {asked.height:,} verdicts of {model} cannot be read, so no figure counts "
            "these replies; take another judge, or a server that holds it to JSON (docs/judging.md)"
        )
    return warnings


def _agreement_with_rule(known: pl.DataFrame, decisions: pl.DataFrame, seed: int) -> tuple[Score, ...]:
    """How far judge and string rule agree on *correct* or not, on what the judge was asked."""
    both = known.join(decisions.select("item_id", "by_rule"), on="item_id", how="left", maintain_order="left")
    by_judge, by_rule = (one.cast(pl.Int64) for one in (pl.col("verdict") == "correct", pl.col("by_rule")))
    yes = both.select(n=by_judge + by_rule)
    return agreement_scores("judge-rule", yes["n"], [2] * both.height, both["template_id"], seed)
