"""What the card says of who has read the options of multiple-choice questions."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from blend.builders.cards.model_verdicts import model_verdicts
from blend.schemas.reports import ModelReport
from blend.schemas.summaries import Table


class ReadOptions(NamedTuple):
    """What the card says of who has read what questions show."""

    text: str
    """Of all regions together."""
    table: Table
    """By region: how many options, and shares in per cent."""


def read_options(reading: pl.DataFrame, report: ModelReport | None = None) -> ReadOptions | None:
    """Say by region who has read what its questions show; null where verdicts have no say, or nothing is shown.

    Args:
        reading: `builders.mcq.verdicts.reading.READING`.
        report: How models that read options compare with people; null without any.
    """
    if reading.is_empty():
        return None
    natives, others, model, nobody = (int(reading[name].sum()) for name in _READERS)
    by_question = int(reading["by_question"].sum())
    return ReadOptions(
        f"{_overall(natives, others, model, nobody)}{_inferred(by_question)}{model_verdicts(report, reading)}",
        _by_region(reading, nobody),
    )


def _by_region(reading: pl.DataFrame, nobody: int) -> Table:
    rows = [
        {"region": of["locale"], "options": of["options"]}
        | {head: _share(of[name], of["options"]) for name, head in _READERS.items()}
        | ({"questions expected to be disputed": _expected(of)} if nobody else {})
        for of in reading.to_dicts()
    ]
    caption = f"Shares of a region's options in per cent.{_of_disputed(nobody)}"
    return Table("Who has read the options", pl.DataFrame(rows), caption)


_READERS = {
    "natives": "read by natives",
    "others": "by others only",
    "model": "by a model alone",
    "nobody": "by nobody",
}
"""Columns of `READING`, and what the card calls them."""

_DISPUTED = (26, 18, 35)
"""Of 100 questions of which nobody had read an option, those that a language model disputed, and the ends of
Wilson's 95 % interval of that share; ``docs/mcq.md``."""


def _expected(of: Mapping[str, Any]) -> str:
    """How many of a region's questions a careful reading is expected to dispute, in per cent."""
    share, low, high = (_share(percent * of["with_unread"], 100 * of["mcqs"]) for percent in _DISPUTED)
    return f"{share} ({low} to {high})" if of["nobody"] else "–"


def _of_disputed(nobody: int) -> str:
    if not nobody:
        return ""
    return (
        f" Of questions with options that nobody had read, a language model disputed {_DISPUTED[0]} of 100; "
        "the last column is what that makes of a region's questions, in per cent, with a 95 % interval. "
        "`mcq.max_risk = 0.2` takes a quarter of that away, and a fifth of the questions, and the option that "
        "sounds most like the region is then correct in 78 in place of 55 % of them (16 published regions)."
    )


def _inferred(by_question: int) -> str:
    if not by_question:
        return ""
    return (
        f" Of {by_question:,} that is known by question alone: what the model refused of BLEnD's published "
        "answers was kept and what it accepted was not, so some answers that are shown now may have been "
        "passed over (`decisions/blend/README.md`)."
    )


def _share(part: int, total: int) -> str:
    """A share in per cent; 0 and 100 are exact."""
    percent = round(100 * part / total)
    return str(percent if part in (0, total) else min(99, max(1, percent)))


def _overall(natives: int, others: int, model: int, nobody: int) -> str:
    people = natives + others
    total = people + model + nobody
    if nobody == total:
        return (
            "Nobody has read the options of the multiple-choice questions before they were shown: a distractor "
            "may well be correct, too."
        )
    if not people:
        what = f"{model:,} of the {total:,} options" if nobody else "every option"
        return (
            f"A language model has read {what} of the multiple-choice questions, and no person any: a "
            "distractor may well be correct, too."
        )
    if nobody or model:
        alone = f", and a language model alone {model:,}; where no person has" if model else "; among the rest"
        return (
            f"People have read {people:,} of the {total:,} options of the multiple-choice questions{alone} "
            "a distractor may well be correct, too."
        )
    if natives == total:
        return "Natives of the regions have read every option of the multiple-choice questions."
    who = f"natives of the region {natives:,} of {total:,}" if natives else "no native of the region among them"
    return f"People have read every option of the multiple-choice questions, {who}."
