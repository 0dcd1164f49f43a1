"""Coded rows: the questions of a template as numbers of its options, written out as columns at once.

A template shows some hundred different options in thousands of questions. Rows as Python lists of texts would
cost a polars series each; as one array of numbers they become a column by a single lookup.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    """The questions of a template, in order."""

    template_id: str
    """The template."""
    ids: Sequence[str]
    """Ids of the questions."""
    asked: Sequence[tuple[str, int]]
    """Tags of the locales asked about, each with the number of its questions."""
    shown: Sequence[Shown]
    """The options by number."""
    options: Numbers
    """Numbers of the options in the order in which they are shown, shape ``(n, 4)``."""
    answer: Numbers
    """Position of the right option from 0, shape ``(n,)``."""


def mcq_frame(templates: Sequence[CodedRows]) -> pl.DataFrame:
    """The questions of some templates, one after the other, `schemas.frames.MCQS`."""
    asked = [locale for one in templates for locale in one.asked]
    shown = [option for one in templates for option in one.shown]
    before = np.cumsum([0, *(len(one.shown) for one in templates[:-1])])
    options = np.concatenate([one.options + start for one, start in zip(templates, before, strict=True)])
    return pl.DataFrame(
        {
            "mcq_id": pl.Series([mcq_id for one in templates for mcq_id in one.ids], dtype=pl.String),
            "template_id": _repeated([(one.template_id, len(one.ids)) for one in templates]),
            "locale": _repeated(asked),
            "options": _looked_up([text for text, _ in shown], options),
            "option_locales": _looked_up([tag for _, tag in shown], options),
            "answer": np.concatenate([one.answer for one in templates]),
        },
        schema=MCQS,
    )


def numbers_of(options: Iterable[Sequence[Shown]], rank: Mapping[Shown, int]) -> list[Numbers]:
    """The numbers of options, one array per sequence of them."""
    return [np.array([rank[option] for option in some], np.int64) for some in options]


def _repeated(texts: Sequence[tuple[str, int]]) -> pl.Series:
    """Every text so many times."""
    found = pl.Series([text for text, _ in texts], dtype=pl.String)
    return found.gather(np.repeat(np.arange(len(texts)), [n for _, n in texts]))


def _looked_up(texts: Sequence[str], numbers: Numbers) -> pl.Series:
    """For every row of numbers the list of their texts."""
    found = pl.Series(texts, dtype=pl.String).gather(numbers.ravel())
    return found.reshape((len(numbers), len(LETTERS))).arr.to_list()
