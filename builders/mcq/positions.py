"""Positions: where the right answer stands — each of the four equally often in every region, by construction.

Every question wishes for positions in an order that comes from its own digest. Within one target each full
group of four consecutive variants shares out the four positions, so no one position answers all variants. What
is left over, one to three variants of a target, takes its wishes and is then balanced over the whole region:
only as many move as the quotas ask for, always those with the largest digests, so that a change in one template
moves hardly anything in others.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from blend.schemas.rows import LETTERS

N = len(LETTERS)

_WISHES = tuple(permutations(range(N)))
_ARRANGEMENTS = tuple(permutations(range(N - 1)))
_WISHES_TABLE = np.array(_WISHES)
_ARRANGEMENTS_TABLE = np.array(_ARRANGEMENTS)

Digests = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
"""Positions or orders, by question."""

Place = TypeVar("Place", bound=Hashable)
Shown = tuple[str, str]
"""An option's text and locale."""


def wishes(digest: int) -> tuple[int, ...]:
    """All positions, most wanted first, by a question's digest."""
    return _WISHES[digest % len(_WISHES)]


def arranged(distractors: Sequence[Shown], digest: int) -> list[Shown]:
    """The distractors in the order in which they fill the positions left, by the question's digest."""
    by_text = sorted(distractors)
    return [by_text[i] for i in _ARRANGEMENTS[digest // len(_WISHES) % len(_ARRANGEMENTS)]]


def shared_out(digests: Sequence[int]) -> list[int]:
    """Different positions for at most four questions: by digest, each takes its most wanted of those left."""
    assert len(digests) <= N
    positions = [0] * len(digests)
    left = set(range(N))
    for i in sorted(range(len(digests)), key=digests.__getitem__):
        positions[i] = next(position for position in wishes(digests[i]) if position in left)
        left.remove(positions[i])
    return positions


def shared_out_in_fours(digests: Digests) -> Places:
    """`shared_out` for every four consecutive questions; both of shape ``(n,)``, ``n`` a multiple of four."""
    groups = digests.reshape(-1, N)
    # From here on, the questions of a group stand in the order in which they choose.
    order = np.argsort(groups, axis=1, kind="stable")
    wanted = _WISHES_TABLE[np.take_along_axis(groups, order, axis=1) % len(_WISHES)]
    every = np.arange(len(groups))
    taken = np.zeros(groups.shape, bool)
    positions = np.empty(groups.shape, np.int64)
    for turn in range(N):
        first_free = np.argmin(np.take_along_axis(taken, wanted[:, turn], axis=1), axis=1)
        chosen = wanted[every, turn, first_free]
        taken[every, chosen] = True
        positions[every, order[:, turn]] = chosen
    return positions.ravel()


def arrangements(digests: Digests) -> Places:
    """`arranged` for distractors that are numbered by text and locale: which stands first, second, third."""
    return _ARRANGEMENTS_TABLE[digests // len(_WISHES) % len(_ARRANGEMENTS)]


def split_off(n_variants: int) -> int:
    """How many variants of a target stand in full groups of four; the others are left over."""
    return n_variants - n_variants % N


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A question that stands in no full group."""

    digest: int
    position: int
    """Where it stands before balancing."""


def balanced(left_over: Mapping[Place, Sequence[LeftOver]]) -> dict[Place, tuple[int, ...]]:
    """Positions for all that is left over in one region, each position as often as any other, or once more.

    Args:
        left_over: By target, the questions left over.

    Returns:
        Their positions, in the same order. Positions that are wanted most have the larger quotas.
    """
    every = [(one.digest, place, i) for place, ones in left_over.items() for i, one in enumerate(ones)]
    held: dict[int, list[tuple[int, Place, int]]] = {position: [] for position in range(N)}
    for entry in sorted(every, key=lambda entry: entry[0]):
        held[left_over[entry[1]][entry[2]].position].append(entry)
    quotas = _quotas({position: len(entries) for position, entries in held.items()})
    moving = sorted(
        (entry for position, entries in held.items() for entry in entries[quotas[position] :]),
        key=lambda entry: entry[0],
    )
    free = {position: quotas[position] - len(entries) for position, entries in held.items()}
    final = {place: [one.position for one in ones] for place, ones in left_over.items()}
    for digest, place, i in moving:
        position = next(position for position in wishes(digest) if free[position] > 0)
        free[position] -= 1
        final[place][i] = position
    return {place: tuple(positions) for place, positions in final.items()}


def _quotas(wanted: Mapping[int, int]) -> dict[int, int]:
    """How often each position may occur: equally, the remainder going to those wanted most."""
    equal, remainder = divmod(sum(wanted.values()), N)
    by_demand = sorted(wanted, key=lambda position: (-wanted[position], position))
    return {position: equal + (rank < remainder) for rank, position in enumerate(by_demand)}
