"""A run that is nowhere on disk: what a task's scoring asks of it, for figures worked by hand."""

from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

import polars as pl

from blend.eval.runs.run_directory import Run


def answered_run(
    parts: Iterable[tuple[pl.DataFrame, pl.DataFrame]],
    gold: Iterable[pl.DataFrame],
    *,
    holds_texts: bool = True,
    **options: Any,
) -> Any:
    """A run of items with their answers and their gold, part by part, that was asked with some options."""
    parts, known = [*parts], pl.concat(gold)
    run = SimpleNamespace(
        description=SimpleNamespace(holds_texts=holds_texts, options=options),
        items=lambda *columns: pl.concat([items for items, _ in parts]).select(columns or pl.all()),
        gold=lambda: known,
        answered_parts=lambda *_, **__: iter(parts),
    )
    run.answered_items = partial(Run.answered_items, run)
    return run
