"""Short answers before a judge: what it is asked about them, and what its verdicts make of decisions."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from blend.eval.judging.replies import REPLIES
from blend.eval.judging.verdicts import JUDGE
from blend.eval.scores_json import UNANSWERED
from blend.eval.tasks.short_answer.short_answer_decisions import variants
from blend.eval.text.normalising import normalised, words_of
from blend.schemas.errors import UnknownNameError
from blend.schemas.frames import KEY
from blend.schemas.locales import registry

JUDGED, NOT_JUDGED = "judged", "not judged"
"""Why a reply is correct or wrong by a judge's verdict, and why it is neither."""


def answers_to_judge(items: pl.DataFrame, gold: pl.DataFrame, decided: pl.DataFrame) -> pl.DataFrame:
    """The replies of a run, with what the default rule is sure of.

    It is sure of a reply that is, word for word, the answer that it matches, and of a reply that says nothing.

    Args:
        items: `items.ITEMS`.
        gold: As `short_answer_items` gives it.
        decided: Decisions by the default rule, with ``asked_in`` and ``response``; what is not scored is left
            out.

    Returns:
        `judging.replies.REPLIES`.
    """
    scored = decided.drop_nulls("correct").select("item_id", "asked_in", "response", "why", "matched")
    rows = items.join(scored, on="item_id", how="inner", maintain_order="left").join(
        gold.select(*KEY, "question", "en_question", "annotations"), on=KEY, how="left", maintain_order="left"
    )
    return pl.DataFrame(
        [
            {
                **{name: row[name] for name in REPLIES if name in row},
                "entry": None,
                "people_of": _region_in_a_sentence(row["region"]),
                "question": _question(row),
                "accepted": _accepted(row),
                "reply": row["response"] or "",
                "verdict": _sure(row),
            }
            for row in rows.iter_rows(named=True)
        ],
        schema=REPLIES,
        orient="row",
    )


def decided_by_judge(decided: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """Decisions by a judge's verdicts in place of the default rule's.

    Args:
        decided: Decisions by the default rule.
        verdicts: `judging.verdicts.VERDICTS`.

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
        .then(pl.lit(NOT_JUDGED))
        .when(pl.col("verdict") == "refused")
        .then(pl.lit("refused"))
        .otherwise(pl.lit(JUDGED))
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


def _region_in_a_sentence(code: str) -> str:
    """A region as an English sentence names it; its code where the registry does not know it."""
    try:
        return registry().find(code).prompt_name
    except UnknownNameError:
        return code
