"""Tables and texts of others on a terminal: one look for every table, and nothing that does harm.

Nothing in a text moves the cursor, changes colours or turns the line around.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from blend.schemas import summaries
from blend.schemas.texts import escape_controls

_SHOWN_ROWS = 25
"""Rows of a table on the first screen."""


def show_tables(
    tables: Sequence[summaries.Table], *, everything: bool = False, console: "SafeConsole | None" = None
) -> None:
    """Print tables: on a first screen the first one and what the others are called, or all of all of them."""
    out = console or SafeConsole()
    for number, (title, frame, caption) in enumerate(tables if everything else tables[:1]):
        head = frame if everything else frame.head(_SHOWN_ROWS)
        more = f" {frame.height - head.height:,} more rows: --all." if head.height < frame.height else ""
        if number:
            out.print()
        out.print(_table_of(summaries.Table(title, head, caption + more)))
    if not everything and len(tables) > 1:
        names = ", ".join(table.name for table in tables[1:])
        out.print(f"Further tables: {names}. --all prints all.", highlight=False, markup=False)


def _table_of(table: summaries.Table) -> Table:
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
        # Figures are not broken anyway, and copied with plain blanks.
        made.add_row(*(escape(cell.replace("\u00a0", " ")) for cell in row))
    return made


def _are_figures(column: pl.Series) -> bool:
    """Whether a column holds figures: numbers, or texts that begin with one, such as ``61.3 [58.0, 64.5]``."""
    if column.dtype != pl.String:
        return True
    cells = column.drop_nulls().filter(column.drop_nulls() != "")
    return len(cells) > 0 and bool(cells.str.contains(r"^[\d–+<-]").all())


_SHOWN_CHARACTERS = 200
_WIDEST = 1_000

# Cc: control characters; Cf: direction marks and overrides, zero-width characters; Cs: lone surrogates.
_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text: str, *, characters: int = _SHOWN_CHARACTERS) -> str:
    """A text made harmless: what is not a visible character stands as its code, what is long is cut."""
    cut = text[:characters]
    safe = "".join(f"\\u{ord(c):04x}" if unicodedata.category(c) in _UNSAFE else c for c in cut)
    return f"{safe}…" if len(text) > characters else safe


def _fitted(table: Table, console: Console) -> int:
    """Give every column a width, and say how wide a terminal must be: figures, to the right, are never broken.

    Columns of text have room for their longest word, and then, from left to right, for as much as is left.
    """
    options = console.options.update(width=_WIDEST)
    needed, text = 2 * len(table.columns), []
    for column in table.columns:
        cells = [console.render_str(str(cell)) for cell in (column.header, *column.cells)]
        sizes = [Measurement.get(console, options, cell) for cell in cells]
        column.no_wrap, column.overflow = column.justify == "right", "fold"
        most = max(size.maximum for size in sizes)
        column.width = most if column.no_wrap else max(size.minimum for size in sizes)
        needed += column.width
        text += [] if column.no_wrap else [(column, most - column.width)]
    spare = max(console.width - needed, 0)
    for column, missing in text:
        given = min(missing, spare)
        column.width = (column.width or 0) + given
        spare -= given
    return needed


class SafeConsole(Console):
    """A terminal on which text of others does no harm, wherever in a table or sentence it stands."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text made harmless before it is measured, so that a column is wide enough for its codes."""
        return super().render_str(escape_controls(text), **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print tables as wide as their figures need, also where the terminal is narrower: none is ever cut."""
        width = self.width
        self.width = max([width, *(_fitted(one, self) for one in objects if isinstance(one, Table))])
        try:
            super().print(*objects, **options)
        finally:
            self.width = width

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed; the styles are ours, and the texts are made harmless."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escape_controls(segment.text))
