"""Coded rows: the questions of a template as numbers of its options, written out as columns at once.

A template shows some hundred different options in thousands of questions. Rows as Python lists of texts would
cost a polars series each; as one array of numbers they become a column by a single lookup.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.schemas.frames import MCQS
from blend.schemas.rows import LETTERS

Numbers = npt.NDArray[np.int64]

Shown = tuple[str, str]
"""An option's text and the tag of its locale."""


def mcq_frame(
    template_id: str,
    ids: Sequence[str],
    asked: Sequence[tuple[str, int]],
    shown: Sequence[Shown],
    options: Numbers,
    answer: Numbers,
) -> pl.DataFrame:
    """The questions of a template, `schemas.frames.MCQS`, in order.

    Args:
        template_id: The template.
        ids: Ids of the questions.
        asked: Tags of the locales asked about, each with the number of its questions.
        shown: The options by number.
        options: Numbers of the options in the order in which they are shown, shape ``(n, 4)``.
        answer: Position of the right option from 0, shape ``(n,)``.
    """
    tags = pl.Series([tag for tag, _ in asked], dtype=pl.String)
    return pl.DataFrame(
        {
            "mcq_id": pl.Series(ids, dtype=pl.String),
            "template_id": pl.repeat(template_id, len(ids), dtype=pl.String, eager=True),
            "locale": tags.gather(np.repeat(np.arange(len(asked)), [n for _, n in asked])),
            "options": _looked_up([text for text, _ in shown], options),
            "option_locales": _looked_up([tag for _, tag in shown], options),
            "answer": answer,
        },
        schema=MCQS,
    )


def numbers_of(options: Iterable[Sequence[Shown]], rank: Mapping[Shown, int]) -> list[Numbers]:
    """The numbers of options, one array per sequence of them."""
    return [np.array([rank[option] for option in some], np.int64) for some in options]


def _looked_up(texts: Sequence[str], numbers: Numbers) -> pl.Series:
    """For every row of numbers the list of their texts."""
    found = pl.Series(texts, dtype=pl.String).gather(numbers.ravel())
    return found.reshape((len(numbers), len(LETTERS))).arr.to_list()
