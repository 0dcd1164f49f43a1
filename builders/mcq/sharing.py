"""Sharing: which options of a template share something with an answer — a value, or words of a locale's own.

Sets of numbered options are integers with one bit each, so that what holds for all options at once is one
operation, however many locales there are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_

from blend.builders.judges.bench import pair
from blend.builders.judges.equivalence import Pair
from blend.builders.mcq.flags import numbers_in
from blend.builders.mcq.options import Acceptable, Option
from blend.builders.mcq.values import values
from blend.schemas.formats import AnswerFormat


class Sharing:
    """What the options of a template share with each other and with acceptable answers.

    Args:
        options: The options, by number.
    """

    def __init__(self, options: Sequence[Option]) -> None:
        self._options = options
        self._holders = _holders(option.values for option in options)
        self._named_so, self._also_named = _names(options)
        self._touching: dict[frozenset[str], int] = {}
        self._touching_as_shown: dict[frozenset[str], int] = {}

    def touching(self, answer: Option | Acceptable) -> int:
        """The options that share a value with an answer."""
        return _looked_up(answer.values, self._holders, self._touching)

    def alike(self, answer: Option | Acceptable) -> int:
        """The options that their locale or that of the answer writes in the same words."""
        found = self._also_named.get(answer.text, 0)
        for text in answer.also:
            found |= self._named_so.get(text, 0)
        return found

    def with_answer(self, answer: Option | Acceptable) -> int:
        """The options that share anything with an answer."""
        return self.touching(answer) | self.alike(answer)

    def as_shown(self, answer: Acceptable) -> int:
        """The options of free text whose shown text shares anything with an answer, and not just a variant."""
        return _looked_up(answer.values, self._holders_as_shown, self._touching_as_shown) | self.alike(answer)

    def both_as_shown(self, option: Option) -> int:
        """The options of free text that share anything with the shown text of another one."""
        words = values(option.text, AnswerFormat.TEXT)
        return _looked_up(words, self._holders_as_shown, self._touching_as_shown) | self.alike(option)

    def named(self, texts: Collection[str]) -> int:
        """The options that are shown as one of some texts."""
        return reduce(or_, (self._named_so.get(text, 0) for text in texts), 0)

    def pairs(self, text: str, options: int) -> set[Pair]:
        """A text with that of every one of some options."""
        found: set[Pair] = set()
        while options:
            other = self._options[next(numbers_in(options))].text
            found.add(pair(text, other))
            options &= ~self._named_so[other]
        return found

    @cached_property
    def _holders_as_shown(self) -> dict[str, int]:
        return _holders(values(option.text, AnswerFormat.TEXT) for option in self._options)


def numbers_of(options: Sequence[Option], serves: Callable[[str], bool]) -> int:
    """The options whose text serves, as bits; each different text is looked at once."""
    texts = {text: serves(text) for text in {option.text for option in options}}
    return reduce(or_, (1 << i for i, option in enumerate(options) if texts[option.text]), 0)


def partners(verdicts: Mapping[Pair, bool], *, same: bool) -> dict[str, set[str]]:
    """By text, the texts that judges find the same, or different."""
    found: dict[str, set[str]] = {}
    for (a, b), verdict in verdicts.items():
        if verdict is same:
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
    return found


def _looked_up(held: frozenset[str], holders: Mapping[str, int], known: dict[frozenset[str], int]) -> int:
    """The options that hold any of some values; each different set of them is looked up once."""
    if held not in known:
        known[held] = reduce(or_, (holders.get(value, 0) for value in held), 0)
    return known[held]


def _holders(held: Iterable[frozenset[str]]) -> dict[str, int]:
    """By value, the options that have it."""
    holders: dict[str, int] = {}
    for i, found in enumerate(held):
        for value in found:
            holders[value] = holders.get(value, 0) | 1 << i
    return holders


def _names(options: Sequence[Option]) -> tuple[dict[str, int], dict[str, int]]:
    """By text, the options that are shown so, and those whose locales write it in the same words."""
    shown_so: dict[str, int] = {}
    also_named: dict[str, int] = {}
    for i, option in enumerate(options):
        shown_so[option.text] = shown_so.get(option.text, 0) | 1 << i
        for text in option.also:
            also_named[text] = also_named.get(text, 0) | 1 << i
    return shown_so, also_named
