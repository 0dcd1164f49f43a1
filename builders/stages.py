"""Stages: what each step of a build made and left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import polars as pl

from blend.schemas.manifest import StageReport


@dataclass(frozen=True, slots=True)
class Stage:
    """Tables that one step made, and rows that it left out."""

    name: str
    """Step, as printed."""
    made: pl.DataFrame
    """``locale`` (or language, for tables without locales) and ``rows``: counts."""
    findings: pl.DataFrame
    """`FINDINGS` of the step."""
    notes: dict[str, int | str] = field(default_factory=dict)
    """Further figures."""

    def report(self, order: Sequence[str]) -> StageReport:
        """The stage in the build report; locales in the given order, others behind them by name."""
        made = dict(self.made.select("locale", "rows").iter_rows())
        names = [*(name for name in order if name in made), *sorted(made.keys() - set(order))]
        kinds = self.findings["kind"].value_counts().sort("kind")
        return StageReport(
            stage=self.name,
            kept={name: made[name] for name in names},
            findings=dict(kinds.iter_rows()),
            notes=self.notes,
        )


def rows_by(rows: pl.DataFrame, column: str = "locale") -> pl.DataFrame:
    """``locale`` and ``rows``: how many rows each value of a column has."""
    return rows.group_by(pl.col(column).alias("locale")).agg(rows=pl.len().cast(pl.Int64))


def digest(*parts: object) -> int:
    """Compute a number of 64 bits that depends on the parts alone: the same in every process and version."""
    # A control character parts them: "ab" and "c" give another number than "a" and "bc".
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
