"""What the card says of who has read the options of multiple-choice questions, and how models compare there."""

from typing import NamedTuple

import polars as pl

from blend.schemas.manifest import MODEL_VERDICTS_NAME
from blend.schemas.reports import ANY_REFUSAL, EVERY, ModelComparison, ModelReport
from blend.schemas.sheets import OK
from blend.schemas.summaries import Table, markdown_text

_READERS = {
    "natives": "read by natives",
    "others": "by others only",
    "model": "by a model alone",
    "nobody": "by nobody",
}
"""Columns of `READING`, and what the card calls them."""


class ReadOptions(NamedTuple):
    """What the card says of who has read what questions show."""

    text: str
    """Of all regions together."""
    table: Table
    """By region: how many options, and shares in per cent."""


def read_options(reading: pl.DataFrame, report: ModelReport | None = None) -> ReadOptions | None:
    """Say by region who has read what its questions show; null where verdicts have no say, or nothing is shown.

    Args:
        reading: `builders.mcq.result.READING`.
        report: How models that read options compare with people; null without any.
    """
    if reading.is_empty():
        return None
    natives, others, model, nobody = (int(reading[name].sum()) for name in _READERS)
    sentences = [_overall(natives, others, model, nobody)]
    if by_question := int(reading["by_question"].sum()):
        sentences.append(
            f"Of {by_question:,} that is known by question alone: what the model refused of BLEnD's published "
            "answers was kept and what it accepted was not, so some answers that are shown now may have been "
            "passed over (`decisions/blend/README.md`)."
        )
    sentences += [] if report is None else [_beside_people(one) for one in report.each if one.verdicts]
    rows = [
        {"region": of["locale"], "options": of["options"]}
        | {head: _share(of[name], of["options"]) for name, head in _READERS.items()}
        for of in reading.to_dicts()
    ]
    table = Table("Who has read the options", pl.DataFrame(rows), "Shares of a region's options in per cent.")
    return ReadOptions(" ".join(sentences), table)


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


def _beside_people(model: ModelComparison) -> str:
    name = markdown_text(model.reviewer)
    if not model.compared:
        return f"Nobody has checked what {name} says: no person has read any option on which it is sure."
    kinds = (model.of(EVERY, kind) for kind in (ANY_REFUSAL, OK))
    alike = sum(kind.confirmed for kind in kinds if kind is not None)
    return (
        f"Of {model.compared:,} options on which {name} is sure and that people have read as well, they say "
        f"alike of {alike:,} whether they may be shown (`{MODEL_VERDICTS_NAME}`)."
    )


def _share(part: int, total: int) -> str:
    """A share in per cent; 0 and 100 are exact."""
    percent = round(100 * part / total)
    return str(percent if part in (0, total) else min(99, max(1, percent)))
