"""Counts of the answers of a run: how many there are, what failed, what they took, and how they ended."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from blend.eval.models.finish_reasons import FINISH_REASONS
from blend.eval.runs.answer_files import answer_tables, read_answers
from blend.schemas.language.text_comparison import agreeing, pluralise


class AnswerCounts(NamedTuple):
    """Figures of the answers of a run, each item once."""

    n_answers: int
    """Items asked, those that failed among them."""
    n_failed: int
    """Items whose answer is an error."""
    n_filtered: int
    """Items whose answer a content filter has stopped."""
    first_error: str | None
    """Why the first of them failed."""
    tokens_in: int | None
    """Tokens of the prompts; null where nobody tells."""
    tokens_out: int | None
    """Tokens written; likewise."""
    tokens_thought: int | None
    """Tokens of them that were thought; likewise."""
    unknown_ends: Mapping[str, int] = MappingProxyType({})
    """Answers by their finish reason, where it is a server's word that nobody knows."""

    def on_unknown_ends(self) -> tuple[str, ...]:
        """Say of each finish reason that nobody knows how many answers have it."""
        return tuple(
            f"{pluralise(n, 'answer')} {agreeing(n, 'has', 'have')} the finish reason {reason!r}, which is not "
            f"known; {agreeing(n, 'it is', 'they are')} taken as whole, so look whether "
            f"{agreeing(n, 'its text', 'their texts')} may have been cut"
            for reason, n in sorted(self.unknown_ends.items())
        )


_TOKENS = ("tokens_in", "tokens_out", "tokens_thought")


def count_answers(folder: Path) -> AnswerCounts:
    """Count what was answered so far, a table at a time where no item stands in two of them."""
    names = ["item_id", "error", "finish_reason", *_TOKENS]
    digests, counts = [], []
    ends: Counter[str] = Counter()
    for table in answer_tables(folder):
        rows = table.read(names)
        digests.append(rows["item_id"].hash())
        counts.append(_counts_in(rows))
        ends.update(_unknown_ends(rows))
    if not counts:
        return AnswerCounts(0, 0, 0, None, None, None, None)
    # Digests that all differ are of ids that all differ.
    if sum(map(len, digests)) != pl.concat(digests).n_unique():
        rows = read_answers(folder, *names)
        counts, ends = [_counts_in(rows)], Counter(_unknown_ends(rows))
    total = pl.concat(counts).select(
        pl.col("n_answers", "n_failed", "n_filtered").sum(),
        pl.col("first_error").drop_nulls().first(),
        **_sums(),
    )
    return AnswerCounts(**total.row(0, named=True), unknown_ends=ends)


def _counts_in(rows: pl.DataFrame) -> pl.DataFrame:
    errors = pl.col("error").drop_nulls()
    n_filtered = (pl.col("finish_reason") == "content_filter").sum()
    return rows.select(
        n_answers=pl.len(),
        n_failed=errors.len(),
        n_filtered=n_filtered,
        first_error=errors.first(),
        **_sums(),
    )


def _unknown_ends(rows: pl.DataFrame) -> dict[str, int]:
    is_unknown = ~pl.col("finish_reason").is_in([*FINISH_REASONS, "error"])
    return dict(rows.filter(is_unknown)["finish_reason"].value_counts().iter_rows())


def _sums() -> dict[str, pl.Expr]:
    # A sum over nothing but nulls is unknown, and not 0.
    return {name: pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()) for name in _TOKENS}
