"""Together: the first three options, in an order of preference, that may stand side by side.

Of all triples that serve, the first one in lexicographic order is taken: the best first option that has any
partners, with it the best second one, and then the best third one. Mostly the best first option stands with the
best second one that it may stand beside, and these with some third. So that is tried for many questions at
once; the few in which it leads nowhere are searched one by one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.flags import Flags, meet
from blend.builders.mcq.orders import Keys

N_DISTRACTORS: Final = 3
"""Distractors of a question."""

NONE: Final = -1
"""Stands for an option where there is none."""

Numbers = npt.NDArray[np.int64]

_NEVER = np.uint64(2**64 - 1)


class Choices(NamedTuple):
    """What some questions can choose from; one row per question, one column per option."""

    keys: Keys
    """In which order options are preferred, the smallest first; equal ones by number."""
    offered: Flags
    """What may be shown at all."""
    above: Flags
    """What outdoes the right answer."""
    last: Flags
    """What is taken only where the others do not suffice."""

    def at(self, rows: Numbers) -> "Choices":
        """Those of some questions."""
        return Choices(self.keys[rows], self.offered[rows], self.above[rows], self.last[rows])


def best(keys: Keys, among: Flags) -> Numbers:
    """The option of every row that is preferred among some, `NONE` where there is none; shape ``(n,)``."""
    found = np.argmin(np.where(among, keys, _NEVER), axis=1)
    return np.where(among[np.arange(len(found)), found], found, NONE)


def first_triples(choices: Choices, wanted: Numbers, apart: Flags) -> Numbers:
    """The first three options that may stand together: with as few last ones as can be, then as is wanted most.

    Args:
        choices: What there is, ``n`` questions.
        wanted: How many of the three should outdo the right answer, the first choice first; shape
            ``(n, n_wishes)``.
        apart: Which options may not stand beside which, shape ``(n_options, n_options)``; none stands beside
            itself.

    Returns:
        Shape ``(n, 3)``, those that outdo the right answer first; rows of `NONE` where no three stand together.
    """
    found = np.full((len(wanted), N_DISTRACTORS), NONE)
    sound = choices._replace(offered=choices.offered & ~choices.last)
    for wish in wanted.T:
        left = np.flatnonzero(found[:, 0] == NONE)
        if len(left):
            found[left] = _with(sound.at(left), wish[left], apart)
    short = (found[:, 0] == NONE) & (choices.offered & choices.last).any(axis=1)
    for row in np.flatnonzero(short).tolist():
        one = _Question(choices, row)
        if not one.has_any(apart):
            continue
        wishes = ((wish, n_last) for n_last in range(1, N_DISTRACTORS + 1) for wish in wanted[row].tolist())
        tried = (one.first(wish, apart, n_last) for wish, n_last in wishes)
        found[row] = next((triple for triple in tried if triple is not None), NONE)
    return found


def _with(sound: Choices, wanted: Numbers, apart: Flags) -> Numbers:
    """The first triples with so many options that outdo the right answer, these first; all of them sound."""
    found = np.full((len(wanted), N_DISTRACTORS), NONE)
    above, below = sound.offered & sound.above, sound.offered & ~sound.above
    enough = (above.sum(axis=1) >= wanted) & (below.sum(axis=1) >= N_DISTRACTORS - wanted)
    rows = np.flatnonzero(enough)
    if not len(rows):
        return found
    keys = sound.keys[rows]
    free = np.ones(keys.shape, np.bool_)
    for place in range(N_DISTRACTORS):
        side = np.where((wanted[rows] > place)[:, None], above[rows], below[rows])
        found[rows, place] = best(keys, side & free)
        free &= ~apart[found[rows, place]]
    for row in rows[(found[rows] == NONE).any(axis=1)].tolist():
        triple = _Question(sound, row).first(int(wanted[row]), apart, 0)
        found[row] = NONE if triple is None else triple
    return found


class _Question:
    """One question, whose options are tried one after the other.

    Mostly in vain: the few that outdo the right answer are of one region, or mean the same.
    """

    def __init__(self, choices: Choices, row: int) -> None:
        self._keys, offered, above, self._last = (table[row] for table in choices)
        self._above, self._below = np.flatnonzero(offered & above), np.flatnonzero(offered & ~above)

    def first(self, wanted: int, apart: Flags, n_last: int) -> Sequence[int] | None:
        """The first triple with so many options that outdo the right answer, and with so many last ones."""
        first, second, third = (
            self._above if place < wanted else self._below for place in range(N_DISTRACTORS)
        )
        has_partners = self._has_partners(first, second, third, apart, n_last)
        if not has_partners.any():
            return None
        a = self._preferred(first[has_partners])
        second, third = second[~apart[a, second]], third[~apart[a, third]]
        n_of_both = self._last[second].astype(np.int8)[:, None] + self._last[third]
        serves = ~apart[second[:, None], third] & (n_of_both == n_last - int(self._last[a]))
        b = self._preferred(second[serves.any(axis=1)])
        return a, b, self._preferred(third[serves[second == b][0]])

    def has_any(self, apart: Flags) -> bool:
        """Whether any three options may stand together."""
        options = np.concatenate([self._above, self._below])
        together = ~apart[options[:, None], options]
        return bool(np.any(meet(together, together) & together))

    def _preferred(self, options: Numbers) -> int:
        return int(options[np.argmin(self._keys[options])])

    def _has_partners(
        self, first: Numbers, second: Numbers, third: Numbers, apart: Flags, n_last: int
    ) -> Flags:
        """Which first options stand together with any second and third ones, with so many last ones in all."""
        serves = np.zeros((len(first), len(third)), np.bool_)
        n_of_outer = self._last[first].astype(np.int8)[:, None] + self._last[third]
        for n, among in enumerate((second[~self._last[second]], second[self._last[second]])):
            to_second, to_third = ~apart[first[:, None], among], ~apart[among[:, None], third]
            if to_second.any():
                serves |= meet(to_second, to_third.T) & (n_of_outer + n == n_last)
        has_partners: Flags = np.any(serves & ~apart[first[:, None], third], axis=1)
        return has_partners
