"""Packed questions: what was picked about the locales of a template, packed until it is written.

As Python objects, the questions of 132 regions take more memory than all that people answered; packed, a fifth.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.options import LocaleText
from blend.schemas.language.locales import Locale
from blend.schemas.rows.published_rows import AnswerSpread

if TYPE_CHECKING:
    from blend.builders.mcq.default import LocaleQuestions


class PackedQuestions:
    """Questions of one template by locale, unpacked whenever they are looked at.

    Args:
        asked: The questions of each locale.
    """

    def __init__(self, asked: Iterable["LocaleQuestions"]) -> None:
        made = tuple(asked)
        self._locales = tuple(one.locale for one in made)
        numbers: dict[LocaleText, int] = {}
        of_locales = [
            (
                [numbers.setdefault((gold, one.locale.tag), len(numbers)) for gold in one.golds],
                one.spreads,
                [numbers.setdefault(option, len(numbers)) for option in one.distractors],
            )
            for one in made
        ]
        # Each text once, and in UTF-8: one letter beyond Latin 1 would double the size of a whole string.
        self._texts = json.dumps([list(numbers), of_locales], ensure_ascii=False).encode()
        self._ends = np.cumsum([0, *(len(one.picks) for one in made)])
        """Where the rows of each locale end, and before the first one 0."""
        self._picks = np.concatenate([np.empty((0, 4), np.uint16), *(one.picks for one in made)])
        self._digests = np.concatenate([np.empty(0, np.uint64), *(one.digests for one in made)])

    def __len__(self) -> int:
        return len(self._locales)

    def __iter__(self) -> Iterator["LocaleQuestions"]:
        # They rest on this module.
        from blend.builders.mcq.default import LocaleQuestions

        texts, of_locales = json.loads(self._texts)
        options: list[LocaleText] = [(text, tag) for text, tag in texts]
        for locale, (golds, spreads, distractors), (start, end) in zip(
            self._locales, of_locales, pairwise(self._ends.tolist()), strict=True
        ):
            yield LocaleQuestions(
                locale=locale,
                golds=tuple(options[i][0] for i in golds),
                spreads=tuple(map(AnswerSpread, spreads)),
                distractors=tuple(options[i] for i in distractors),
                picks=self._picks[start:end],
                digests=self._digests[start:end],
            )

    def ids(self, template_id: str) -> Iterator[tuple[Locale, list[str]]]:
        """Make the ids of the questions about each locale; nothing else is unpacked."""
        for locale, (start, end) in zip(self._locales, pairwise(self._ends.tolist()), strict=True):
            yield locale, ids_of(template_id, locale, self._digests[start:end])

    @property
    def counts(self) -> dict[str, int]:
        """Count the questions by locale."""
        return dict(zip((locale.tag for locale in self._locales), np.diff(self._ends).tolist(), strict=True))


# Hexadecimal digits of an id: of 64 bits half, or all where half of them are the same for two questions.
_WIDTHS = (8, 16)


def ids_of(template_id: str, locale: Locale, digests: npt.NDArray[np.uint64]) -> list[str]:
    """Make the ids of a template's questions about a locale from the digests of what they show."""
    texts = [f"{number:016x}" for number in digests.tolist()]
    width = next(width for width in _WIDTHS if len({one[:width] for one in texts}) == len(texts))
    return [f"{template_id}_{locale.split}_{one[:width]}" for one in texts]
