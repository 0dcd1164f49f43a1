"""Text of others on a terminal: nothing in it moves the cursor, changes colours or turns the line around."""

import unicodedata
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from blend.schemas.texts import escape_controls

_SHOWN_CHARACTERS = 200
_WIDEST = 1_000

# Cc: control characters; Cf: direction marks and overrides, zero-width characters; Cs: lone surrogates.
_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text: str, *, characters: int = _SHOWN_CHARACTERS) -> str:
    """A text made harmless: what is not a visible character stands as its code, what is long is cut."""
    cut = text[:characters]
    safe = "".join(f"\\u{ord(c):04x}" if unicodedata.category(c) in _UNSAFE else c for c in cut)
    return f"{safe}…" if len(text) > characters else safe


def _width_needed(table: Table, console: Console) -> int:
    """Columns of a terminal in which a table stands with every figure whole; figures are to the right."""
    options = console.options.update(width=_WIDEST)
    for column in table.columns:
        cells = [console.render_str(str(cell)) for cell in (column.header, *column.cells)]
        sizes = [Measurement.get(console, options, cell) for cell in cells]
        is_figures = column.justify == "right"
        column.min_width = max(size.maximum if is_figures else size.minimum for size in sizes)
        column.no_wrap, column.overflow = is_figures, "fold"
    return Measurement.get(console, options, table).minimum


class SafeConsole(Console):
    """A terminal on which text of others does no harm, wherever in a table or sentence it stands."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text made harmless before it is measured, so that a column is wide enough for its codes."""
        return super().render_str(escape_controls(text), **options)

    def show(self, parts: Iterable[RenderableType]) -> None:
        """Print tables and sentences with a blank line between them."""
        for number, part in enumerate(parts):
            if number:
                self.print()
            self.print(part)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print tables as wide as their figures need, also where the terminal is narrower: none is ever cut."""
        width = self.width
        needed = max((_width_needed(one, self) for one in objects if isinstance(one, Table)), default=0)
        self.width = max(width, needed)
        try:
            super().print(*objects, **options)
        finally:
            self.width = width

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed; the styles are ours, and the texts are made harmless."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escape_controls(segment.text))
