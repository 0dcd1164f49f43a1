"""Coded rows: the questions of a template as numbers of its options, written out as columns at once.

A template shows some hundred different options in thousands of questions. Rows as Python lists of texts would
cost a polars series each; as one array of numbers they become a column by a single lookup.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.schemas.frames import MCQS
from blend.schemas.rows import LETTERS

Numbers = npt.NDArray[np.int64]

Shown = tuple[str, str]
"""An option's text and the tag of its locale."""


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Some questions of one template about one locale."""

    locale: str
    """Tag of the locale asked about."""
    options: Numbers
    """Numbers of the options in the order in which they are shown, shape ``(n, 4)``."""
    answer: Numbers
    """Position of the right option from 0, shape ``(n,)``."""


def mcq_frame(
    template_id: str, ids: Sequence[str], shown: Sequence[Shown], parts: Sequence[CodedRows]
) -> pl.DataFrame:
    """The questions of a template, `schemas.frames.MCQS`, in the order of ``parts``.

    Args:
        template_id: The template.
        ids: Ids of all questions, in order.
        shown: The options by number.
        parts: The questions, locale by locale; as many as there are ids.
    """
    if not ids:
        return pl.DataFrame(schema=MCQS)
    sizes = [len(part.answer) for part in parts]
    locales = pl.Series([part.locale for part in parts], dtype=pl.String)
    codes = np.concatenate([part.options for part in parts])
    return pl.DataFrame(
        {
            "mcq_id": pl.Series(ids, dtype=pl.String),
            "template_id": pl.repeat(template_id, len(ids), eager=True),
            "locale": locales.gather(np.repeat(np.arange(len(parts)), sizes)),
            "options": _looked_up([text for text, _ in shown], codes),
            "option_locales": _looked_up([tag for _, tag in shown], codes),
            "answer": np.concatenate([part.answer for part in parts]),
        },
        schema=MCQS,
    )


def _looked_up(texts: Sequence[str], codes: Numbers) -> pl.Series:
    """For every row of numbers the list of their texts."""
    found = pl.Series(texts, dtype=pl.String).gather(codes.ravel())
    return found.reshape((len(codes), len(LETTERS))).arr.to_list()
