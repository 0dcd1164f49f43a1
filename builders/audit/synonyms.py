"""Synonyms: wrong options that look as if they meant the same as an answer that counts as right."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from blend.builders.audit.question_arrays import QuestionArrays
from blend.builders.judges.suspects import Suspects
from blend.builders.mcq.overlap import values
from blend.loaders.responses.decisions import pair_key
from blend.loaders.responses.shipped import AnyDecision
from blend.schemas.formats import AnswerFormat

ACCEPTED = pl.Schema({"template": pl.String(), "group": pl.String(), "text": pl.String()})
"""Which texts count as right: one row per template, group and text."""

SYNONYMS = pl.Schema(
    {
        "option": pl.String(),
        "accepted": pl.String(),
        "why": pl.String(),
        "questions": pl.Int64(),
        "template": pl.String(),
        "group": pl.String(),
    }
)
"""Pairs suspected: a wrong option, an answer that counts as right there, why they are suspected, in how many
questions they meet, and the first template and group with one of them."""

DECIDED = "decided"
COMMON_WORD = "common word"


def suspected(asked: QuestionArrays, accepted: pl.DataFrame, decisions: Iterable[AnyDecision]) -> pl.DataFrame:
    """Pairs of a wrong option and an answer that counts as right.

    A pair is suspected because it is ``decided`` to be the same, because the two share a word or a base
    form (``common word``), or for the cause that `builders.judges.suspects.Suspects` names; one that is decided
    to be different is not. Numbers, times and dates are left out: two of them are equal or not.

    Args:
        asked: The questions.
        accepted: `ACCEPTED`.
        decisions: What was decided on pairs.

    Returns:
        `SYNONYMS`, most questions first, then by option and accepted answer.
    """
    cooccurrence = _cooccurrence(asked, accepted)
    pairs = cooccurrence.select("option", "accepted").unique().sort("option", "accepted")
    why = _why(pairs, tuple(decisions))
    found = pairs.with_columns(why=pl.Series(why, dtype=pl.String)).drop_nulls("why")
    found_in = (
        cooccurrence.join(found, on=["option", "accepted"])
        .sort("template", "group")
        .group_by("option", "accepted", "why")
        .agg(pl.col("questions").sum(), pl.col("template", "group").first())
    )
    ordered = found_in.sort("questions", "option", "accepted", descending=[True, False, False])
    return ordered.select(list(SYNONYMS)).cast(SYNONYMS)


def _cooccurrence(asked: QuestionArrays, accepted: pl.DataFrame) -> pl.DataFrame:
    """Every wrong option with every accepted answer of its question, and in how many questions it stands."""
    cells = asked.cells
    often = np.bincount(cells.cell, minlength=len(cells.text))
    options = pl.DataFrame(
        {
            "template": np.array(asked.templates, dtype=object)[cells.template].tolist(),
            "group": np.array(asked.groups, dtype=object)[cells.group].tolist(),
            "option": np.array(asked.texts, dtype=object)[cells.text].tolist(),
            "questions": often,
            "is_right": cells.is_correct,
        }
    ).filter(~pl.col("is_right"))
    met = options.join(accepted.rename({"text": "accepted"}), on=["template", "group"])
    # Case alone makes no other pair.
    return (
        met.with_columns(pl.col("option", "accepted").str.to_lowercase())
        .group_by("template", "group", "option", "accepted")
        .agg(pl.col("questions").max())
    )


def _why(pairs: pl.DataFrame, decisions: tuple[AnyDecision, ...]) -> list[str | None]:
    """Return why each pair is suspected; null where nothing speaks for it."""
    decided = {pair_key(d.answer_a, d.answer_b): d.verdict for d in decisions}
    ordered = [(min(pair), max(pair)) for pair in pairs.iter_rows()]
    suspects = Suspects(decisions)
    found: list[str | None] = []
    for a, b in ordered:
        lettered = [any(map(str.isalpha, text)) for text in (a, b)]
        verdict = decided.get(pair_key(a, b)) if any(lettered) else None
        if verdict is not None:
            found.append(DECIDED if verdict == "same" else None)
        elif not all(lettered):
            found.append(None)
        elif not values(a, AnswerFormat.TEXT).isdisjoint(values(b, AnswerFormat.TEXT)):
            found.append(COMMON_WORD)
        else:
            found.append(suspects.cause(a, b) or None)
    return found
