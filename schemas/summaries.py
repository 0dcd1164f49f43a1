"""Tables for readers: at a terminal, on a card, in a notebook."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from blend.schemas.texts import escape_controls

if TYPE_CHECKING:
    import polars as pl


_MEANING = re.compile(r"[\\`*_\[\]#~$|]")
"""What means something to Markdown in the middle of a line."""

NOTHING = "–"
"""Stands for null."""


class Table(NamedTuple):
    """A table for readers, at a terminal, on a card or in HTML."""

    title: str
    """What it is of, in a few words."""
    frame: "pl.DataFrame"
    """The rows. Columns whose name ends with ``%`` hold percentages."""
    caption: str = ""
    """What the figures mean, and in which unit."""

    @classmethod
    def of(cls, title: str, columns: Collection[str], rows: Iterable[Any], caption: str = "") -> "Table":
        """Make a table of rows whose cells are written already, or of one kind in each column."""
        import polars as pl

        schema = list(columns)
        frame = pl.DataFrame(list(rows), schema, orient="row", infer_schema_length=None, strict=False)
        # A column without any value could be of any type.
        return cls(title, frame.with_columns(pl.selectors.by_dtype(pl.Null).cast(pl.String)), caption)

    @property
    def name(self) -> str:
        """What to ask for it by: the title in lower case, with hyphens."""
        return self.title.lower().replace(" ", "-")

    def cells(self) -> list[list[str]]:
        """The rows as they are written."""
        # Other numbers than percentages are counts, or have two digits.
        forms = ["{:.1f}" if name.endswith("%") else None for name in self.frame.columns]
        return [
            [written(value, form) for value, form in zip(row, forms, strict=True)] for row in self.frame.rows()
        ]


def markdown_text(text: str) -> str:
    """A text as one line of Markdown that shows it as it was typed: no tag, link or emphasis begins in it."""
    one_line = escape(" ".join(escape_controls(text).split()), quote=False)
    return _MEANING.sub(r"\\\g<0>", one_line)


def markdown_table(table: Table) -> str:
    """A table of Markdown, its caption below it; every text is shown as it was typed."""
    import polars as pl

    head = [name.replace("_", " ") for name in table.frame.columns]
    rule = ["---" if dtype == pl.String else "--:" for dtype in table.frame.dtypes]
    rows = [[_in_direction(markdown_text(cell)) for cell in row] for row in table.cells()]
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
    return f"{lines}\n\n{table.caption}" if table.caption else lines


class Summarised:
    """A result that is shown as tables, the first of them in a notebook; its title is the ``repr``."""

    __slots__ = ()

    def as_tables(self) -> "list[Table]":
        """The result as tables for readers, what matters most first."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.as_tables()[0].title}>"

    def _repr_html_(self) -> str:
        return html_table(self.as_tables()[0])


def html_table(table: Table, *, characters: int | None = None) -> str:
    """A table of HTML with its title; nothing in a text of others is markup, and figures stand to the right.

    Every cell says what it is (``data-label``), so that a narrow page can put cells below each other, and one
    with text to be read in lines is ``prose`` there.

    Args:
        table: The table.
        characters: Beyond these a text is cut, and says how long it was.
    """
    heads = [_text(name) for name in table.frame.columns]
    sides = ["" if dtype == "String" else _RIGHT for dtype in map(str, table.frame.dtypes)]
    rows = table.cells()
    prose = ' class="prose"' if any(len(text) > _IN_A_LINE for row in rows for text in row[1:]) else ""
    body = "".join(
        "<tr>"
        + "".join(
            f'<td{prose}{side} data-label="{head}"><bdi>{_text(shortened(cell, characters))}</bdi></td>'
            for head, side, cell in zip(heads, sides, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    above = "".join(f'<th scope="col"{side}>{head}</th>' for side, head in zip(sides, heads, strict=True))
    caption = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    return f'<table class="stack">{caption}<thead><tr>{above}</tr></thead><tbody>{body}</tbody></table>'


_RIGHT = ' style="text-align: right"'
_IN_A_LINE = 32
"""Characters of figures and names: a longer text is read in lines."""


def shortened(text: str, characters: int | None) -> str:
    """A text, or its beginning and how long it was."""
    if characters is None or len(text) <= characters:
        return text
    return f"{text[:characters]}… ({len(text):,} characters)"


def written(value: Any, form: str | None = None) -> str:
    """A value as a table shows it: counts with commas, other numbers by a format or with two digits."""
    if value is None:
        return NOTHING
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    return (form or ("{:,}" if isinstance(value, int) else "{:.2f}")).format(value)


def _in_direction(text: str) -> str:
    """A text written from right to left in a box of its own, so that what ends it stands at its end."""
    kinds = map(unicodedata.bidirectional, text)
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), "L")
    return text if first == "L" else f'<span dir="rtl">{text}</span>'


def _text(text: str) -> str:
    return escape(escape_controls(text))
