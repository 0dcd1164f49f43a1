"""Correct answers beside options, as tests write them, and the choice of distractors from them."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

from blend.builders.mcq.distractors import Comparison, Question
from blend.builders.mcq.option_sets import option_set
from blend.builders.mcq.region_orders import RegionOrders
from blend.builders.mcq.variants import Pick, pick_variants


class Gold(NamedTuple):
    """A correct answer beside numbered options, see `builders.mcq.distractors.Comparison`."""

    higher: Collection[int]
    lower: Collection[int]
    possibly_correct: Collection[int]
    unlike: Sequence[int]
    quotas: Sequence[int]
    is_number: bool = False
    names_region: bool = False

    def comparison(self, n: int) -> Comparison:
        """How ``n`` options compare with it."""
        return Comparison(
            side=[(i in self.higher) - (i in self.lower) for i in range(n)],
            possibly_correct=frozenset(self.possibly_correct),
            unlike=self.unlike,
            quotas=self.quotas,
            is_number=self.is_number,
            names_region=self.names_region,
        )


class Case(NamedTuple):
    """What the targets of a template choose from."""

    regions: Sequence[int]
    """For every option the number of its region; options of a region stand side by side."""
    alive: Sequence[Collection[int]]
    """By target, the options that no acceptable answer rules out."""
    conflicts: Collection[tuple[int, int]]
    """Options of different regions that may not stand together."""
    golds: Sequence[Sequence[Gold]]
    """By target, the correct answers."""
    fillers: Collection[int]
    reserve: Collection[int]
    """Those of them that few people gave."""
    seed: int
    texts: Sequence[str] = ()
    """By option, what it shows; each something else when absent."""
    kinds: Sequence[int] = ()
    """By option, its kind; each of its own when absent."""

    def orders(self) -> RegionOrders:
        codes = [f"R{region}" for region in sorted(set(self.regions))]
        return RegionOrders(self.seed, "Al-en-01", [f"en-{target}" for target in range(len(self.alive))], codes)

    def offered(self, target: int) -> dict[int, int]:
        """Options that may be shown, each with its place in its region: the first four of each."""
        places = {region: count() for region in self.regions}
        placed = {i: next(places[self.regions[i]]) for i in sorted(self.alive[target])}
        return {i: place for i, place in placed.items() if place < 4}

    def may_not_stand_beside(self, i: int) -> set[int]:
        of_region = {j for j, region in enumerate(self.regions) if region == self.regions[i]}
        return of_region | {b if a == i else a for a, b in self.conflicts if i in (a, b)}


def chosen(case: Case, limit: int | str, orders: RegionOrders | None = None) -> list[list[Pick]]:
    """What `pick_variants` chooses, by target."""
    n = len(case.regions)
    conflicts = [option_set(case.may_not_stand_beside(i)) for i in range(n)]
    orders = orders or case.orders()
    questions = (
        Question(
            comparisons=[gold.comparison(n) for gold in golds],
            offered=case.offered(target),
            conflicts=conflicts,
            fillers=case.fillers,
            reserve=case.reserve,
            regions=case.regions,
            kinds=case.kinds or range(n),
            texts=case.texts or [f"option {i}" for i in range(n)],
            drawn=partial(orders.keys, target),
        )
        for target, golds in enumerate(case.golds)
    )
    return [pick_variants(question, limit=limit) for question in questions]


def used(picks: Iterable[Pick]) -> set[int]:
    return {i for pick in picks for i in pick.triple}
