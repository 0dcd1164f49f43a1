"""Statistics of cultural prompts as tables."""

from rich.table import Table
from rich.text import Text

from blend.builders.stats.cultural import CulturalStats
from blend.views.safe import shown


def cultural_stats_tables(stats: CulturalStats) -> dict[str, Table]:
    """The figures by the name of their table."""
    return {
        "cultural-prompts": _kinds(stats),
        "cultural-categories": _categories(stats),
    }


def _kinds(stats: CulturalStats) -> Table:
    table = Table(title="Cultural prompts, by kind of text", caption="Counts of different ones.")
    for name in stats.kinds.columns:
        table.add_column(name, justify="left" if name == "kind" else "right")
    for kind, *counts in stats.kinds.iter_rows():
        table.add_row(Text(shown(kind)), *(f"{count:,}" for count in counts))
    return table


def _categories(stats: CulturalStats) -> Table:
    table = Table(title="Topics, by category", caption="Counts.")
    for name in ("kind", "category"):
        table.add_column(name)
    table.add_column("topics", justify="right")
    for kind, category, topics in stats.categories.iter_rows():
        table.add_row(Text(shown(kind)), Text(shown(category)), f"{topics:,}")
    return table
