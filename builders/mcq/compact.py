"""Compact: the multiple-choice questions that a file has chosen to stand for all."""

from dataclasses import replace

import polars as pl

from blend.builders.mcq.result import FOUND, McqBuild
from blend.schemas.rows.frame_columns import COMPACT_ROWS, empty

ABSENT = "compact-absent"
"""Finding: a question was chosen that is not in the release, since its options are others now."""


def with_compact(made: McqBuild, chosen: pl.DataFrame) -> McqBuild:
    """Multiple-choice questions with those that stand for all, and a finding for each that is not there.

    Args:
        made: All questions.
        chosen: `frame_columns.COMPACT_ITEMS`.
    """
    batches = (rows.join(chosen, on="mcq_id", how="inner", maintain_order="left") for rows in made.batches())
    rows = pl.concat([empty(COMPACT_ROWS), *(batch.select(list(COMPACT_ROWS)) for batch in batches)])
    absent = chosen.join(rows, on="mcq_id", how="anti", maintain_order="left")
    found = [(None, None, ABSENT, f"{name}, weight {weight:g}") for name, weight in absent.iter_rows()]
    return replace(made, compact=rows, found=pl.concat([made.found, pl.DataFrame(found, FOUND, orient="row")]))
