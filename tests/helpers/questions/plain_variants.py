"""The choice of distractors by trying all triples in order, each rule as it is told: slow, and plain to see.

Held against `builders.mcq.distractors` and `builders.mcq.variants`, which stop at the first that serves.
"""

from collections import Counter
from itertools import permutations, product

from blend.builders.mcq.variants import Pick
from helpers.questions.variant_inputs import Case, Gold


def plainly_chosen(case: Case, limit: int) -> list[list[Pick]]:
    """The questions of every target."""
    return [_of_target(case, target, limit) for target in range(len(case.alive))]


def _of_target(case: Case, target: int, limit: int) -> list[Pick]:
    golds = case.golds[target]
    picks: list[Pick] = []
    ended: set[int] = set()
    for variant in range(limit):
        # Correct answers take turns; one that has no question left gives its turn to the next.
        turns = [(variant + turn) % len(golds) for turn in range(len(golds))]
        for gold in turns:
            if gold in ended:
                continue
            made = [pick.triple for pick in picks if pick.gold == gold]
            ordered = _ordered(case, target, golds[gold], variant, Counter(i for p in picks for i in p.triple))
            triple = _further(case, ordered, golds[gold], made) if made else _first(case, ordered, golds[gold])
            if triple is None:
                ended.add(gold)
                continue
            picks.append(Pick(gold, triple))
            if _gives_away(golds[gold], triple):
                ended.add(gold)
            break
    return picks


def _offers(case: Case, target: int) -> list[tuple[int, int]]:
    """Options that may be shown, each with its place in its region: the first four."""
    found = []
    for region in sorted(set(case.regions)):
        alive = [i for i in sorted(case.alive[target]) if case.regions[i] == region]
        found += [(i, place) for place, i in enumerate(alive[:4])]
    return found


def _ordered(case: Case, target: int, gold: Gold, variant: int, uses: Counter[int]) -> list[int]:
    """Own before fillers, wrong before possibly correct, alike, seldom used, then as the variant orders."""
    drawn = case.orders().keys(target, variant)

    def key(offer: tuple[int, int]) -> tuple[object, ...]:
        i, place = offer
        region = sorted(set(case.regions)).index(case.regions[i])
        used = min(uses[i], 7)
        return i in case.fillers, i in gold.possibly_correct, gold.unlike[i], used, drawn[region], place, i

    return [i for i, _ in sorted(_offers(case, target), key=key)]


def _first(case: Case, ordered: list[int], gold: Gold) -> tuple[int, int, int] | None:
    """The first triple with the fewest last ones, of these with the first quota that can be met."""
    last = {i for i in ordered if i in case.fillers or i in gold.possibly_correct}
    together = [triple for triple in permutations(ordered, 3) if _may_stand_together(case, triple)]
    for n_last, n_higher in product(range(4), gold.quotas):
        for triple in together:
            higher = [i in gold.higher for i in triple]
            if higher == [place < n_higher for place in range(3)] and len(last & set(triple)) == n_last:
                return None if _is_weak(case, gold, triple) else triple
    return None


def _is_weak(case: Case, gold: Gold, triple: tuple[int, ...]) -> bool:
    """Whether two of the options or more are from the reserve and none hides the correct answer."""
    hides_nothing = not gold.is_number and all(i in gold.lower for i in triple)
    return hides_nothing and sum(i in case.reserve for i in triple) > 1


def _further(
    case: Case, ordered: list[int], gold: Gold, made: list[tuple[int, int, int]]
) -> tuple[int, int, int] | None:
    """The first two stay; the third shows something else, rather on the same side as the first third one."""
    a, b, first = made[0]
    shown = {case.texts[third] for _, _, third in made}
    thirds = [
        c
        for c in ordered
        if case.texts[c] not in shown
        and c not in gold.possibly_correct
        and _may_stand_together(case, (a, b, c))
    ]
    same_side = [c for c in thirds if (c in gold.higher) == (first in gold.higher)]
    others = [] if gold.is_number else [c for c in thirds if c not in same_side]
    return next(((a, b, c) for c in same_side + others), None)


def _may_stand_together(case: Case, triple: tuple[int, ...]) -> bool:
    couples = permutations(triple, 2)
    return len({case.regions[i] for i in triple}) == 3 and not any(
        couple in case.conflicts for couple in couples
    )


def _gives_away(gold: Gold, triple: tuple[int, int, int]) -> bool:
    return gold.names_region or (not gold.is_number and all(i in gold.lower for i in triple))
