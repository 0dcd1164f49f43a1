"""Tables on a terminal: one function that shows any table, in one look."""

import re
from collections.abc import Sequence

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from blend.schemas import summaries
from blend.views.safe import SafeConsole

SHOWN_ROWS = 25
"""Rows of a table on the first screen."""


def show_tables(
    console: SafeConsole, tables: Sequence[summaries.Table], *, everything: bool = False, option: str = "--all"
) -> None:
    """Print tables: on a first screen the first one and what the others are called, or all of all of them."""
    shown = []
    for title, frame, caption in tables if everything else tables[:1]:
        head = frame if everything else frame.head(SHOWN_ROWS)
        more = f" {frame.height - head.height:,} more rows: {option}." if head.height < frame.height else ""
        shown.append(table_of(summaries.Table(title, head, caption + more)))
    console.show(shown)
    if not everything and len(tables) > 1:
        names = ", ".join(table.name for table in tables[1:])
        line = f"Further tables: {names}. --table NAME prints one of them, {option} prints all."
        console.print(line, highlight=False, markup=False)


def table_of(table: summaries.Table) -> Table:
    """A table for the terminal: words to the left, figures to the right and never cut.

    A heading is broken behind its slashes, at its underscores and before a last per cent sign.
    """
    title, frame, caption = table
    made = Table(title=escape(title) or None, caption=escape(caption) or None)
    made.title_justify = made.caption_justify = "left"
    # Without frames and with little space, so that many figures stand in 80 columns.
    made.box, made.padding, made.show_edge = SIMPLE_HEAD, (0, 1, 0, 0), False
    for column in frame:
        is_text = not _are_figures(column)
        heading = re.sub("_| (?=%$)", "\n", escape(column.name)).replace("/", "/\n")
        made.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.cells():
        made.add_row(*map(escape, row))
    return made


def _are_figures(column: pl.Series) -> bool:
    """Whether a column holds figures: numbers, or texts that begin with one, such as ``61.3 [58.0, 64.5]``."""
    if column.dtype != pl.String:
        return True
    cells = column.drop_nulls().filter(column.drop_nulls() != "")
    return len(cells) > 0 and bool(cells.str.contains(r"^[\d–+-]").all())
