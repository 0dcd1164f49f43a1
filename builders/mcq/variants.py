"""Variants: which three distractors stand together, spread over the regions that offer any.

Every choice is the first possible one in an order that depends on the seed, the template, the region asked
about and the regions themselves. A region that joins and is not chosen therefore changes nothing (independence
of irrelevant alternatives), and one that is chosen displaces little, since every variant has its own order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.answers import digest

N_DISTRACTORS: Final = 3
"""Distractors of a question."""

Triple = tuple[int, int, int]
"""Numbers of three options of a board."""

Keys = npt.NDArray[np.uint64]


class Orders:
    """For every variant and target, the regions in an order of its own.

    Regions are ranked by a key of their own mixed with one of the target and the variant (rendezvous hashing),
    so that the order of any two does not depend on the others.

    Args:
        seed: Seed of the build.
        template_id: The template.
        targets: Tags of the locales asked about.
        regions: Codes of the regions that offer options.
    """

    def __init__(self, seed: int, template_id: str, targets: Sequence[str], regions: Sequence[str]) -> None:
        self._targets = np.array([digest(seed, template_id, "target", tag) for tag in targets], np.uint64)
        self._regions = np.array([digest(seed, template_id, "region", code) for code in regions], np.uint64)
        self._codes = tuple(regions)
        self._ranked: list[list[list[int]]] = []

    def of(self, target: int, variant: int) -> list[str]:
        """The regions in the order of a variant (from 0) for a target (its place among the targets)."""
        while len(self._ranked) <= variant:
            salt = _mixed(self._targets + np.uint64(len(self._ranked)))
            keys = _mixed(salt[:, None] ^ self._regions[None, :])
            self._ranked.append(np.argsort(keys, axis=1, kind="stable").tolist())
        return [self._codes[i] for i in self._ranked[variant][target]]


def _mixed(keys: Keys) -> Keys:
    """Every bit of a key spread over all of them: the finalizer of SplitMix64.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators,
        https://doi.org/10.1145/2714064.2660195.
    """
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


_LAST = 1 << 32
"""More uses than any option has: what is to be used last counts as used so often."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One multiple-choice question: which right answer and which distractors."""

    gold: int
    triple: Triple


def pick_variants(
    available: Mapping[str, int],
    conflicts: Sequence[int],
    orders: Orders,
    *,
    target: int,
    n_golds: int,
    limit: int | Literal["all"],
    last: frozenset[int] = frozenset(),
) -> list[Pick]:
    """The multiple-choice questions of one target.

    Args:
        available: By region, the number of the option that it offers.
        conflicts: For every option of the board the options, as bits, that may not stand beside it.
        orders: Orders of the regions.
        target: Place of the target in ``orders``.
        n_golds: Right answers; they take turns.
        limit: How many questions at most, or ``all``: every right answer with every triple.
        last: Options to use only where the others do not suffice.

    Returns:
        The questions, none twice. With a limit, each takes the options least used by those before it, in the
        order of its own variant; the first three in this order that may stand together.
    """
    if limit == "all":
        ordered = sorted(
            (available[code] for code in orders.of(target, 0) if code in available), key=last.__contains__
        )
        triples = (triple for triple in combinations(ordered, N_DISTRACTORS) if _compatible(triple, conflicts))
        return [Pick(gold, triple) for triple in triples for gold in range(n_golds)]
    picks: list[Pick] = []
    used = {i: _LAST if i in last else 0 for i in available.values()}
    taken: list[set[frozenset[int]]] = [set() for _ in range(n_golds)]
    for variant in range(limit):
        ordered = [available[code] for code in orders.of(target, variant) if code in available]
        ordered.sort(key=used.__getitem__)
        pick = _first_pick(ordered, conflicts, taken, variant)
        if pick is None:
            break
        picks.append(pick)
        taken[pick.gold].add(frozenset(pick.triple))
        for i in pick.triple:
            used[i] += 1
    return picks


def _first_pick(
    ordered: Sequence[int], conflicts: Sequence[int], taken: Sequence[set[frozenset[int]]], variant: int
) -> Pick | None:
    """The right answer whose turn it is, or the next that has a triple left, with its first triple."""
    for turn in range(len(taken)):
        gold = (variant + turn) % len(taken)
        for triple in _triples(ordered, conflicts):
            if frozenset(triple) not in taken[gold]:
                return Pick(gold, triple)
    return None


def _triples(ordered: Sequence[int], conflicts: Sequence[int]) -> Iterator[Triple]:
    """All triples that may stand together, in lexicographic order of the given one."""
    for i, a in enumerate(ordered):
        for j, b in enumerate(ordered[i + 1 :], start=i + 2):
            if conflicts[a] >> b & 1:
                continue
            both = conflicts[a] | conflicts[b]
            yield from ((a, b, c) for c in ordered[j:] if not both >> c & 1)


def _compatible(triple: Triple, conflicts: Sequence[int]) -> bool:
    a, b, c = triple
    return not (conflicts[a] >> b & 1 or (conflicts[a] | conflicts[b]) >> c & 1)
