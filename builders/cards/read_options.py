"""What the card says of who has read the options of multiple-choice questions."""

import polars as pl

from blend.builders.cards.model_verdicts import model_verdicts
from blend.schemas.release.model_report import ModelReport


def read_options(reading: pl.DataFrame, report: ModelReport | None = None) -> str | None:
    """Say by region who has read what its questions show; null where verdicts have no say, or nothing is shown.

    Args:
        reading: `builders.mcq.reading.READING`.
        report: How models that read options compare with people; null without any.
    """
    if reading.is_empty():
        return None
    natives, others, by_question, model, nobody = (int(reading[name].sum()) for name in _READERS)
    by_region = ", ".join(
        f"`{row['locale']}` {' / '.join(_share(row[name], row['options']) for name in _READERS)}"
        for row in reading.iter_rows(named=True)
    )
    return (
        f"{_overall(natives, others + by_question, model, nobody)}{_inferred(by_question)}"
        f"{model_verdicts(report, reading)}{_expected(reading)}"
        " Of each region's options, read by natives of the region / by others only / by others, as is known by "
        f"question / by a model alone / by nobody, per cent: {by_region}."
    )


_READERS = ("natives", "others", "by_question", "model", "nobody")

_DISPUTED = (26, 18, 35)
"""Of 100 questions of which nobody had read an option, those that a careful reader disputed, and the ends of
Wilson's 95 % interval of that share; ``docs/mcq.md``."""


def _expected(reading: pl.DataFrame) -> str:
    """Say by region how many questions a careful reader is expected to dispute; nothing where all was read."""
    rows = reading.filter(pl.col("nobody") > 0)
    if rows.is_empty():
        return ""
    by_region = []
    for tag, mcqs, unread in rows.select("locale", "mcqs", "with_unread").iter_rows():
        share, low, high = (_share(percent * unread, 100 * mcqs) for percent in _DISPUTED)
        by_region.append(f"`{tag}` {share} ({low} to {high})")
    return (
        f" Of questions with options that nobody had read, a careful reader disputed {_DISPUTED[0]} of 100, so "
        "that of each region's questions, in per cent, this is expected, with a 95 % interval and less where "
        f"`mcq.max_risk` is set: {', '.join(by_region)}."
    )


def _inferred(by_question: int) -> str:
    if not by_question:
        return ""
    return (
        f" Of {by_question:,} it is known by question alone: the readers of BLEnD's published answers kept "
        "what they refused and not what they accepted, so some answers that are shown now may have been passed "
        "over (`decisions/blend/README.md`)."
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
