"""Judged answers: what a judge is asked where the default rule is unsure, and what becomes of its verdicts."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from blend.eval.judging import JUDGE, judge_signature, read_judge
from blend.eval.judging.judge_run import REPLIES
from blend.eval.runs.run_directory import Run
from blend.eval.scores_json import UNANSWERED, ScoredItems, share_scores
from blend.eval.tasks.short_answer.short_answer_decisions import variants
from blend.eval.text import normalised, words_of
from blend.schemas.frames import KEY
from blend.schemas.locales import Locale

_JUDGED, _NOT_JUDGED = "judged", "not judged"
"""Why a reply is correct or wrong by a judge's verdict, and why it is neither."""


def answers_to_judge(
    items: pl.DataFrame, gold: pl.DataFrame, decided: pl.DataFrame, by_region: Mapping[str, Locale]
) -> pl.DataFrame:
    """The replies of a run, with what the default rule is sure of.

    It is sure of a reply that is, word for word, the answer that it matches, and of a reply that says nothing.

    Args:
        items: `items.ITEMS`.
        gold: As `short_answer_items` gives it.
        decided: Decisions by the default rule, with ``asked_in`` and ``response``; what is not scored is left
            out.
        by_region: What is known of regions, by their code in the items.

    Returns:
        `judging.judge_run.REPLIES`.
    """
    scored = decided.drop_nulls("correct").select("item_id", "asked_in", "response", "why", "matched")
    rows = items.join(scored, on="item_id", how="inner", maintain_order="left").join(
        gold.select(*KEY, "question", "en_question", "annotations"), on=KEY, how="left", maintain_order="left"
    )
    people_of = {code: locale.prompt_name for code, locale in by_region.items()}
    return pl.DataFrame(
        [
            {
                **{name: row[name] for name in REPLIES if name in row},
                "people_of": people_of.get(row["region"], row["region"]),
                "question": _question(row),
                "accepted": _accepted(row),
                "reply": row["response"] or "",
                "verdict": _sure(row),
            }
            for row in rows.iter_rows(named=True)
        ],
        schema=REPLIES,
    )


def decided_by_judge(decided: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Decisions by a judge's verdicts in place of the default rule's.

    Args:
        decided: Decisions by the default rule.
        verdicts: `judging.VERDICTS`.

    Returns:
        The rows, with ``verdict``, ``reason``, ``decided_by`` and ``by_rule``, what the default rule says. Only
        ``correct`` is correct; without a verdict that can be read ``correct`` is null. Weights are null: a
        verdict has no votes.
    """
    stated = verdicts.select("item_id", "verdict", "reason", "decided_by")
    rows = decided.join(stated, on="item_id", how="left", maintain_order="left")
    is_judged = pl.col("decided_by") == JUDGE
    why = (
        pl.when(~is_judged)
        .then("why")
        .when(pl.col("verdict").is_null())
        .then(pl.lit(_NOT_JUDGED))
        .when(pl.col("verdict") == "refused")
        .then(pl.lit("refused"))
        .otherwise(pl.lit(_JUDGED))
    )
    return rows.with_columns(
        by_rule="correct",
        correct=pl.when(pl.col("correct").is_not_null()).then(pl.col("verdict") == "correct"),
        weight=pl.lit(None, pl.Float64),
        rule=pl.lit(JUDGE),
        why=pl.coalesce(why, "why"),
        matched=pl.when(~is_judged).then("matched"),
    )


def _question(row: Mapping[str, Any]) -> str:
    """The question as it was asked, with its translation."""
    if row["asked_in"] == "english" or not row["question"]:
        return str(row["en_question"])
    is_same = row["question"] == row["en_question"] or not row["en_question"]
    return str(row["question"]) if is_same else f"{row['question']} (in English: {row['en_question']})"


def _accepted(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answers that count in the language asked in, a group each, with its votes."""
    groups: dict[int, dict[str, None]] = {}
    for index, _, answer in variants(row["annotations"], row["asked_in"], as_given=False):
        groups.setdefault(index, {})[answer] = None
    return [
        {"texts": list(texts), "votes": row["annotations"][index]["count"]} for index, texts in groups.items()
    ]


def _sure(row: Mapping[str, Any]) -> str | None:
    """The verdict of the default rule where it is sure; null where a judge is to be asked."""
    if row["why"] == UNANSWERED:
        return "wrong"
    if row["matched"] is None:
        return None
    reply, answer = (words_of(normalised(row[name], row["language"])) for name in ("response", "matched"))
    return "correct" if reply and reply == answer else None


_MAX_UNREADABLE = 0.01
"""Share of verdicts that cannot be read above which a reader is warned."""


def with_checks(scored: ScoredItems, run: Run, rule: str, verdicts: pl.DataFrame, *, seed: int) -> ScoredItems:
    """Add to what a judge decided who it is, and figures that check it.

    Args:
        scored: Decisions and figures by the verdicts of the judge that the rule names.
        run: The run that it judged.
        rule: As for `judging.read_judge`.
        verdicts: `judging.VERDICTS` that this judge gave.
        seed: Seed of the intervals, all of which are over templates.

    Returns:
        What was scored, with further figures, parts of the signature, and warnings. ``judge-asked``: share of
        the replies that it was asked about; ``judge-unreadable``: share of its verdicts that cannot be read;
        ``judge-partly`` by region.
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
    )
    warnings, n_unreadable = scored.warnings, asked["verdict"].null_count()
    if n_unreadable > _MAX_UNREADABLE * asked.height:
        unread = (
            f"{n_unreadable:,} of {asked.height:,} verdicts of {judge.description.model.id} cannot be read, so "
            "no figure counts these replies; take another judge, or a server that holds it to JSON "
            "(docs/short-answers.md)"
        )
        warnings = (*warnings, unread)
    return scored._replace(
        scores=(*scored.scores, *scores),
        signature_parts={**scored.signature_parts, **judge_signature(judge)},
        warnings=warnings,
    )
