"""Tables of figures for a terminal, in one look."""

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table


def figures_table(title: str, caption: str, first: str, others: Iterable[str]) -> Table:
    """A table whose first column names what the figures in the others are about."""
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.add_column(first)
    for name in others:
        # Folded rather than cut: a figure must not lose its last digits where a table is too wide.
        table.add_column(name, justify="right", overflow="fold")
    return table


def narrow_table(title: str, caption: str, first: str, others: Iterable[str]) -> Table:
    """The same without frames, for tables that would otherwise not fit 80 columns."""
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    table.box, table.padding, table.show_edge = SIMPLE_HEAD, (0, 1, 0, 0), False
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def with_total(table: Table, label: str, cells: Iterable[str]) -> Table:
    """The table with a last row for everything together."""
    table.add_section()
    table.add_row(label, *cells)
    return table


def topic_heads(topics: Iterable[str]) -> list[str]:
    """Topics as headings, which may be broken at their slashes."""
    return [escape(topic).replace("/", "/\n") for topic in topics]


def count(number: int) -> str:
    """A number with commas between its thousands."""
    return f"{number:,}"


def mean(value: float | None, unit: str) -> str:
    """A mean with the digits and the sign of its unit; a dash where no question counts."""
    if value is None:
        return "–"
    return f"{value:.1%}" if unit == "fraction" else f"{value:.2f}"
