"""An item analysis as tables for a terminal."""

from collections.abc import Iterator

from rich.table import Table

from blend.eval.item_analysis.analysis import ItemAnalysis
from blend.eval.item_analysis.item_sections import item_sections
from blend.views.frames import frame_table


def item_tables(found: ItemAnalysis) -> Iterator[Table]:
    """Regions, abilities and suspects."""
    for title, text, rows in item_sections(found):
        shown = rows.head(20) if title == "Suspects" else rows
        if shown.height < rows.height:
            text += f" These are the first {shown.height} of {rows.height:,}."
        heads = {name: name.replace("_", "/") for name in shown.columns[: 4 if title == "Abilities" else None]}
        yield frame_table(shown, title, text, heads=heads, texts=("model", "item_id", "region"))
