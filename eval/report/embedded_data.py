"""Data inside a page: numbers that stand for texts, compressed; ``questions.js`` unpacks it in the browser."""

import base64
import itertools
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

_RAW_DEFLATE = -15
"""zlib's parameter for a stream without header, which browsers call ``deflate-raw``."""


class TextTable:
    """Texts, each held once, with a number that stands for it; 0 is the empty text, and null."""

    def __init__(self, characters: int | None = None) -> None:
        """Begin a table.

        Args:
            characters: Characters from which on a text is cut, and says how long it was; never when absent.
        """
        self._numbers: dict[str, int] = {"": 0}
        self._characters = characters
        self.n_cut = 0
        """Distinct texts that were cut."""

    def number(self, text: str | None) -> int:
        """The number of a text, a new one if it is not held yet."""
        return self._numbers.setdefault(text or "", len(self._numbers))

    def numbers(self, texts: Iterable[str | None]) -> list[int]:
        """The numbers of texts as `steps`."""
        return steps([self.number(text) for text in texts])

    def texts(self) -> list[str]:
        """The texts in the order of their numbers, those that are too long cut."""
        limit = self._characters
        if limit is None:
            return list(self._numbers)
        self.n_cut = sum(len(text) > limit for text in self._numbers)
        return [shortened(text, limit) for text in self._numbers]


def shortened(text: str, characters: int) -> str:
    """A text, or its beginning and how long it was."""
    return text if len(text) <= characters else f"{text[:characters]}… ({len(text):,} characters)"


def steps(numbers: Sequence[int]) -> list[int]:
    """The first number, and by how much every other one is above the one before it.

    Numbers of texts rise by one where every text is a new one: thousands of equal steps take no space.
    """
    return [here - before for before, here in itertools.pairwise([0, *numbers])]


def packed(data: Any) -> str:
    """Data as a page holds it: JSON, compressed (RFC 1951), in base64, which needs no escaping in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    compressor = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE)
    return base64.b64encode(compressor.compress(text.encode()) + compressor.flush()).decode("ascii")
