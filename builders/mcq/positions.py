"""Positions: where the correct answer stands — each of the four equally often in every region, by construction.

Every question prefers positions in an order that comes from its own digest. Within one target each full group
of four consecutive variants shares out the four positions, so no one position answers all variants. What is
left over, one to three variants of a target, takes what it prefers and is then balanced over the whole region:
only as many move as must, always those with the largest digests, so that a change in one template moves hardly
anything in others.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

from blend.builders.mcq.options import LocaleText
from blend.schemas.rows.published_rows import LETTERS

N = len(LETTERS)

_ORDERS = tuple(permutations(range(N)))
_ARRANGEMENTS = tuple(permutations(range(N - 1)))

Key = TypeVar("Key", bound=Hashable)


def positions_in_region(digests: Mapping[Key, Sequence[int]]) -> dict[Key, list[int]]:
    """Place the correct answers of all questions about one region, each position as often as any other.

    Args:
        digests: By target, a digest for every variant.

    Returns:
        By target, the position of every variant, from 0.
    """
    placed = {
        key: [position for i in range(0, len(ones), N) for position in shared_out(ones[i : i + N])]
        for key, ones in digests.items()
    }
    in_groups = {key: split_off(len(ones)) for key, ones in digests.items()}
    left_over = {
        key: [LeftOver(*one) for one in zip(ones[in_groups[key] :], placed[key][in_groups[key] :], strict=True)]
        for key, ones in digests.items()
    }
    return {key: [*placed[key][: in_groups[key]], *rest] for key, rest in balanced(left_over).items()}


def preferred_positions(digest: int) -> tuple[int, ...]:
    """List all positions, the preferred one first, by a question's digest."""
    # The digest is used as mixed digits: its remainder by 24 orders the positions, what is left of it the
    # distractors.
    return _ORDERS[digest % len(_ORDERS)]


def arranged(distractors: Sequence[LocaleText], digest: int) -> list[LocaleText]:
    """Order the distractors as they fill the positions left, by the question's digest."""
    by_text = sorted(distractors)
    return [by_text[i] for i in _ARRANGEMENTS[digest // len(_ORDERS) % len(_ARRANGEMENTS)]]


def shared_out(digests: Sequence[int]) -> list[int]:
    """Find different positions for at most four questions; by digest, each takes the best one left."""
    assert len(digests) <= N
    positions = [0] * len(digests)
    left = set(range(N))
    # By digest and not by variant, so the order in which questions are handed in does not matter.
    for i in sorted(range(len(digests)), key=digests.__getitem__):
        positions[i] = next(position for position in preferred_positions(digests[i]) if position in left)
        left.remove(positions[i])
    return positions


def split_off(n_variants: int) -> int:
    """Count the variants of a target that stand in full groups of four; the others are left over."""
    return n_variants - n_variants % N


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A question that stands in no full group."""

    digest: int
    position: int
    """Where it stands before balancing."""


def balanced(left_over: Mapping[Key, Sequence[LeftOver]]) -> dict[Key, tuple[int, ...]]:
    """Balance what is left over in one region: each position as often as any other, or once more.

    Args:
        left_over: By target, the questions left over.

    Returns:
        Their positions, in the same order. Positions that are preferred most may occur once more than others.
    """
    every = [(one.digest, key, i) for key, ones in left_over.items() for i, one in enumerate(ones)]
    held: dict[int, list[tuple[int, Key, int]]] = {position: [] for position in range(N)}
    for entry in sorted(every, key=lambda entry: entry[0]):
        # Within a position the smallest digests stay: what lies beyond the quota, those with the largest,
        # moves.
        held[left_over[entry[1]][entry[2]].position].append(entry)
    quotas = _quotas({position: len(entries) for position, entries in held.items()})
    moving = sorted(
        (entry for position, entries in held.items() for entry in entries[quotas[position] :]),
        key=lambda entry: entry[0],
    )
    free = {position: quotas[position] - len(entries) for position, entries in held.items()}
    final = {key: [one.position for one in ones] for key, ones in left_over.items()}
    for digest, key, i in moving:
        position = next(position for position in preferred_positions(digest) if free[position] > 0)
        free[position] -= 1
        final[key][i] = position
    return {key: tuple(positions) for key, positions in final.items()}


def _quotas(wanted: Mapping[int, int]) -> dict[int, int]:
    """Say how often each position may occur: equally, the remainder going to those preferred most."""
    equal, remainder = divmod(sum(wanted.values()), N)
    by_demand = sorted(wanted, key=lambda position: (-wanted[position], position))
    return {position: equal + (rank < remainder) for rank, position in enumerate(by_demand)}
