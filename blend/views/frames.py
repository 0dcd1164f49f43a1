"""Frames on a terminal: one function that shows any frame as a table, in one look."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from blend.schemas import summaries
from blend.schemas.summaries import written
from blend.views.safe import SafeConsole

PERCENT = "{:.1%}"


def frame_table(
    frame: pl.DataFrame,
    title: str = "",
    caption: str = "",
    *,
    heads: Mapping[str, str] | None = None,
    texts: Collection[str] | None = None,
    forms: Mapping[str, str] | None = None,
    total: Mapping[str, object] | None = None,
) -> Table:
    """A frame as a table: a line per row, words to the left, figures to the right and never cut.

    Args:
        frame: The rows, in order.
        title: What they are.
        caption: What the figures mean, and in which unit.
        heads: Columns to show, in this order, and what stands above them; all of the frame under their names
            when absent. A heading is broken behind its slashes.
        texts: Columns that hold words; the first one when absent. All others hold figures.
        forms: How figures of a column are written, as a format; counts with commas and other numbers with two
            digits when absent.
        total: Values of a last row for everything together, by column; those that it leaves out stay empty.
    """
    heads = {name: name for name in frame.columns} if heads is None else heads
    words = tuple(heads)[:1] if texts is None else texts
    table = Table(title=title or None, title_justify="left", caption=caption or None, caption_justify="left")
    # Without frames and with little space, so that many figures stand in 80 columns.
    table.box, table.padding, table.show_edge = SIMPLE_HEAD, (0, 1, 0, 0), False
    for name, head in heads.items():
        is_text = name in words
        heading = escape(head).replace("/", "/\n")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    forms = forms or {}
    for row in frame.select(list(heads)).iter_rows(named=True):
        table.add_row(*(cell(value, forms.get(name)) for name, value in row.items()))
    if total is not None:
        table.add_section()
        table.add_row(*(cell(total.get(name, ""), forms.get(name)) for name in heads))
    return table


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
    """A table for the terminal: words to the left, figures to the right."""
    title, frame, caption = table
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    heads = {name: name.replace("_", "\n").replace(" %", "\n%") for name in frame.columns}
    forms = {name: form for name in frame.columns if (form := summaries.form_of(name))}
    return frame_table(frame, title, caption, heads=heads, texts=texts, forms=forms)


def rows_frame(columns: Collection[str], rows: Any) -> pl.DataFrame:
    """Rows whose cells are written already, or of one kind in each column, as a frame to show."""
    return pl.DataFrame(list(rows), schema=list(columns), orient="row", infer_schema_length=None, strict=False)


def cell(value: Any, form: str | None = None) -> str:
    """A value as it stands in a table."""
    return escape(written(value, form))
