"""Text of others on a terminal: nothing in it moves the cursor, changes colours or turns the line around."""

import unicodedata
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from blend.schemas.text import harmless

_SHOWN_CHARACTERS = 200

# Cc: control characters; Cf: direction marks and overrides, zero-width characters; Cs: lone surrogates.
_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text: str, *, characters: int = _SHOWN_CHARACTERS) -> str:
    """A text made harmless: what is not a visible character stands as its code, what is long is cut."""
    cut = text[:characters]
    safe = "".join(f"\\u{ord(c):04x}" if unicodedata.category(c) in _UNSAFE else c for c in cut)
    return f"{safe}…" if len(text) > characters else safe


class SafeConsole(Console):
    """A terminal on which text of others does no harm, wherever in a table or sentence it stands."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text made harmless before it is measured, so that a column is wide enough for its codes."""
        return super().render_str(harmless(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed; the styles are ours, and the texts are made harmless."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))
