"""Judged: what a task's scorer makes of the answers of a run."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from blend.eval.scoring.scores import Score

DISH_DECIDED = pl.Schema(
    {
        "item_id": pl.String(),
        "qid": pl.String(),
        "locale": pl.String(),
        "region": pl.String(),
        "template_id": pl.String(),
        "language": pl.String(),
        "prompt_id": pl.String(),
    }
)
"""What a decision about a dish and its parts begins with, however it was asked: the dish, the country
(``region``), the language and the template."""


class Judged(NamedTuple):
    """Decisions and figures."""

    decisions: pl.DataFrame
    """One row per item, in the order of the items; the task's module says its columns."""
    scores: tuple[Score, ...]
    """Every figure."""
    signature_parts: Mapping[str, str] = MappingProxyType({})
    """What of the task's options and tools can change a figure, for the signature."""
    remarks: tuple[str, ...] = ()
    """What a reader of the figures should know, in words for a user."""
