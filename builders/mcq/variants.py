"""Variants: which three distractors stand together, so that the right answer does not stand out among them.

Two distractors of a right answer stand in all of its questions, as it does itself, and only the third one
changes: whoever sees the whole set and looks for what recurs finds three options. How many distractors outdo
the right answer is drawn, see `builders.mcq.matching`; where nothing outdoes it, one question has to do.

Every choice is the first possible one in an order in which the place of two sets of options does not depend on
a third. A region that joins and is not chosen therefore changes nothing (independence of irrelevant
alternatives), and one that is chosen displaces little, since every variant has its own order.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.answers import digest
from blend.builders.mcq.matching import N_DISTRACTORS, Match

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
        self._keys: list[Keys] = []

    @property
    def regions(self) -> tuple[str, ...]:
        """Codes of the regions, as they were given."""
        return self._codes

    def of(self, target: int, variant: int) -> list[str]:
        """The regions in the order of a variant (from 0) for a target (its place among the targets)."""
        return [self._codes[i] for i in np.argsort(self.keys(target, variant), kind="stable").tolist()]

    def keys(self, target: int, variant: int) -> Keys:
        """What orders the regions, as they were given, for a variant and a target."""
        while len(self._keys) <= variant:
            salt = _mixed(self._targets + np.uint64(len(self._keys)))
            self._keys.append(_mixed(salt[:, None] ^ self._regions[None, :]))
        keys: Keys = self._keys[variant][target]
        return keys


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


OPTIONS_OF_A_REGION = 4
"""How many options of a region are looked at for a question; one of them is shown at most."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One multiple-choice question: which right answer and which distractors."""

    gold: int
    triple: Triple


def pick_variants(
    available: Mapping[str, Sequence[int]],
    apart: Sequence[int],
    orders: Orders,
    *,
    target: int,
    golds: Sequence[Match],
    limit: int | Literal["all"],
    last: frozenset[int] = frozenset(),
) -> list[Pick]:
    """The multiple-choice questions of one target.

    Args:
        available: By region, the numbers of the options that it offers, the preferred one first.
        apart: For every option of the board the options, as bits, that may not stand beside it; those of its
            own region are among them.
        orders: Orders of the regions.
        target: Place of the target in ``orders``.
        golds: The right answers; they take turns.
        limit: How many questions at most, or ``all``: every right answer with every triple of the regions'
            preferred options.
        last: Options to use only where the others do not suffice.

    Returns:
        The questions, none twice.
    """
    if limit == "all":
        ordered = sorted(
            (available[code][0] for code in orders.of(target, 0) if code in available), key=last.__contains__
        )
        triples = (triple for triple in combinations(ordered, N_DISTRACTORS) if _compatible(triple, apart))
        return [Pick(gold, triple) for triple in triples for gold in range(len(golds))]
    offered = _Offered(available, orders, target, last)
    series = [_Series(gold, apart, sum(1 << i for i in last)) for gold in golds]
    used: Counter[int] = Counter()
    picks: list[Pick] = []
    for variant in range(limit):
        for turn in range(len(golds)):
            gold = (variant + turn) % len(golds)
            if series[gold].ended:
                continue
            triple = series[gold].following(offered.ordered(golds[gold], variant, used))
            if triple is not None:
                picks.append(Pick(gold, triple))
                used.update(triple)
                break
    return picks


class _Offered:
    """What a target is offered, in the order of a variant and a right answer."""

    def __init__(
        self, available: Mapping[str, Sequence[int]], orders: Orders, target: int, last: frozenset[int]
    ) -> None:
        self._orders, self._target = orders, target
        rows = [
            (i, place, region, i in last)
            for region, code in enumerate(orders.regions)
            for place, i in enumerate(available.get(code, ())[:OPTIONS_OF_A_REGION])
        ]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        self._numbers, place, self._region, is_last = columns
        self._listed = self._numbers.tolist()
        # What stays the same for all variants and right answers.
        self._fixed = is_last.astype(np.uint64) << np.uint64(63) | place.astype(np.uint64)

    def ordered(self, gold: Match, variant: int, used: Counter[int]) -> list[int]:
        """The options: sound ones first, alike before unlike, unused before used, then as regions are ordered.

        Behind the sound ones come the doubtful, and then the fillers.
        """
        uses = np.array([min(used[i], 7) for i in self._listed], dtype=np.uint64)
        drawn = self._orders.keys(self._target, variant)[self._region] >> np.uint64(9)
        unlike = gold.unlike[self._numbers]
        key = self._fixed | unlike << np.uint64(60) | uses << np.uint64(57) | drawn << np.uint64(2)
        ordered: list[int] = self._numbers[np.argsort(key, kind="stable")].tolist()
        return ordered


class _Series:
    """The questions with one right answer, one after the other."""

    def __init__(self, gold: Match, apart: Sequence[int], last: int) -> None:
        self._gold, self._apart, self._last = gold, apart, last | gold.doubtful
        self._triples: list[Triple] = []
        self.ended = False
        """Whether there is no further one."""

    def following(self, ordered: Sequence[int]) -> Triple | None:
        """The next triple, of options in an order of preference; null when there is none left."""
        triple = self._further(ordered) if self._triples else self._first(ordered)
        if triple is None:
            self.ended = True
        else:
            self._triples.append(triple)
            self.ended = self._is_alone(triple)
        return triple

    def _is_alone(self, triple: Triple) -> bool:
        """Whether one question has to do, since a guesser who sees it finds the right answer."""
        outdoes_all = all(self._gold.below >> i & 1 for i in triple)
        return self._gold.names_region or (outdoes_all and not self._gold.by_value)

    def _first(self, ordered: Sequence[int]) -> Triple | None:
        """With as few fillers and doubtful options as can be, and then with as many above as is wanted most."""
        n_last = range(N_DISTRACTORS + 1) if self._last else (0,)
        found = (self._with(ordered, wanted, n) for n, wanted in product(n_last, self._gold.wanted))
        return next((triple for triple in found if triple is not None), None)

    def _with(self, ordered: Sequence[int], wanted: int, n_last: int) -> Triple | None:
        """The first triple in lexicographic order with so many options above, these first."""
        above, below = self._sides(ordered)
        first, second, third = (above if place < wanted else below for place in range(N_DISTRACTORS))
        of_third = sum(1 << i for i in third)
        possible = (of_third & ~self._last, of_third & self._last)
        for a, b in product(first, second):
            missing = n_last - ((1 << a | 1 << b) & self._last).bit_count()
            if self._apart[a] >> b & 1 or a == b or missing not in (0, 1):
                continue
            left = possible[missing] & ~(self._apart[a] | self._apart[b] | 1 << a | 1 << b)
            if left:
                return a, b, next(c for c in third if left >> c & 1)
        return None

    def _further(self, ordered: Sequence[int]) -> Triple | None:
        """Beside the two that stay another third one, on the side of the first if there is any.

        Never a doubtful one: one question less is better. Numbers keep to their side, since the place among
        four numbers is easily seen.
        """
        a, b, first = self._triples[0]
        thirds = sum(1 << c for _, _, c in self._triples)
        blocked = self._apart[a] | self._apart[b] | 1 << a | 1 << b | thirds | self._gold.doubtful
        above, below = self._sides([i for i in ordered if not blocked >> i & 1])
        same, other = (above, below) if self._gold.above >> first & 1 else (below, above)
        return next(((a, b, c) for c in (same if self._gold.by_value else same + other)), None)

    def _sides(self, ordered: Sequence[int]) -> tuple[list[int], list[int]]:
        """Those that outdo the right answer, and the others, each in order."""
        above = [i for i in ordered if self._gold.above >> i & 1]
        return above, [i for i in ordered if not self._gold.above >> i & 1]


def _compatible(triple: Triple, apart: Sequence[int]) -> bool:
    a, b, c = triple
    return not (apart[a] >> b & 1 or (apart[a] | apart[b]) >> c & 1)
