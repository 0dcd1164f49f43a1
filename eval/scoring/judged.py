"""Judged: what a task's scorer makes of the answers of a run."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from blend.eval.scoring.scores import Score


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
