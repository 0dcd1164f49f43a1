"""Right answers beside options, as tests write them, and the choice of distractors from them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from blend.builders.mcq.matching import Matches
from blend.builders.mcq.offers import Offered, preferred
from blend.builders.mcq.orders import Orders
from blend.builders.mcq.variants import Asked, pick_variants


class Gold(NamedTuple):
    """A right answer beside numbered options, see `builders.mcq.matching.Matches`."""

    above: Collection[int]
    below: Collection[int]
    doubtful: Collection[int]
    unlike: Sequence[int]
    wanted: Sequence[int]
    by_value: bool = False
    names_region: bool = False


class Pick(NamedTuple):
    """A question: the number of its right answer, and its distractors."""

    gold: int
    triple: tuple[int, int, int]


class Case(NamedTuple):
    """What the targets of a template choose from."""

    regions: Sequence[int]
    """For every option the number of its region; options of a region stand side by side."""
    alive: Sequence[Collection[int]]
    """By target, the options that no acceptable answer rules out."""
    conflicts: Collection[tuple[int, int]]
    """Options of different regions that may not stand together."""
    golds: Sequence[Sequence[Gold]]
    """By target, the right answers."""
    fillers: Collection[int]
    reserve: Collection[int]
    """Those of them that few people gave."""
    seed: int

    def orders(self) -> Orders:
        codes = [f"R{region}" for region in sorted(set(self.regions))]
        return Orders(self.seed, "Al-en-01", [f"en-{target}" for target in range(len(self.alive))], codes)

    def offered(self) -> Offered:
        alive = np.array([column(own, len(self.regions)) for own in self.alive])
        return preferred(alive, np.array(self.regions, np.int64))

    def apart(self) -> np.ndarray[Any, Any]:
        regions = np.array(self.regions, np.int64)
        apart = regions[:, None] == regions
        for a, b in self.conflicts:
            apart[a, b] = apart[b, a] = True
        return apart


def column(numbers: Collection[int], n: int) -> np.ndarray[Any, Any]:
    return np.array([i in numbers for i in range(n)], np.bool_)


def matches_of(golds: Sequence[Gold], n: int) -> Matches:
    sides = [[column(side, n) for side in sides] for sides in zip(*[gold[:3] for gold in golds], strict=True)]
    return Matches(
        *map(np.array, sides),
        unlike=np.array([gold.unlike for gold in golds], np.uint64),
        wanted=np.array([gold.wanted for gold in golds], np.int64),
        by_value=np.array([gold.by_value for gold in golds]),
        names_region=np.array([gold.names_region for gold in golds]),
    )


def chosen(case: Case, limit: int | str, orders: Orders | None = None) -> list[list[Pick]]:
    """What `pick_variants` chooses, by target."""
    asked = Asked(
        targets=np.arange(len(case.alive)),
        orders=orders or case.orders(),
        golds=matches_of([gold for own in case.golds for gold in own], len(case.regions)),
        n_golds=np.array([len(own) for own in case.golds]),
        regions=np.array(case.regions, np.int64),
        fillers=column(case.fillers, len(case.regions)),
        reserve=column(case.reserve, len(case.regions)),
    )
    made = pick_variants(case.offered(), case.apart(), asked, limit=limit)
    return [[Pick(gold, (a, b, c)) for gold, a, b, c in picks.tolist()] for picks in made]


def used(picks: Iterable[Pick]) -> set[int]:
    return {i for pick in picks for i in pick.triple}
