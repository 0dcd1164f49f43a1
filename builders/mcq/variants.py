"""Variants: which three distractors stand together, so that the right answer does not stand out among them.

Two distractors of a right answer stand in all of its questions, as it does itself, and only the third one
changes: whoever sees the whole set and looks for what recurs finds three options. How many distractors outdo
the right answer is drawn, see `builders.mcq.matching`; where nothing outdoes it, one question has to do.

Every choice is the first possible one in an order in which the place of two sets of options does not depend on
a third (see `builders.mcq.orders`). A region that joins and is not chosen therefore changes nothing, and one
that is chosen displaces little, since every variant has its own order.

A template has dozens of targets, which choose independently of each other. They do so at the same time: a step
of the choice is one operation on a table with a row for every target and a column for every option.
"""

from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Literal

import numpy as np

from blend.builders.mcq.flags import Flags
from blend.builders.mcq.matching import Matches
from blend.builders.mcq.offers import Offered
from blend.builders.mcq.orders import Keys, Orders
from blend.builders.mcq.together import N_DISTRACTORS, NONE, Choices, Numbers, best, first_triples

Picks = Numbers
"""Multiple-choice questions, one row each, shape ``(n, 4)``: the number of the right answer among those of its
target, then three options."""

_MOST_USES = 7
"""From which on it no longer counts how often an option was used."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which targets choose, and what they wish for."""

    targets: Numbers
    """Their places in ``orders``, shape ``(n_targets,)``."""
    orders: Orders
    """Orders of the regions."""
    golds: Matches
    """Their right answers, those of a target side by side."""
    n_golds: Numbers
    """How many right answers each target has, shape ``(n_targets,)``; they take turns."""
    regions: Numbers
    """For every option the place of its region in ``orders``, shape ``(n_options,)``."""
    fillers: Flags
    """Options to use only where the others do not suffice, shape ``(n_options,)``."""
    reserve: Flags
    """Those of them that few people gave, and nobody reviewed."""

    def at(self, rows: Numbers) -> "Asked":
        """Some of the targets."""
        of_golds = np.repeat(np.arange(len(self.targets)), self.n_golds)
        golds = self.golds.at(np.flatnonzero(np.isin(of_golds, rows)))
        return replace(self, targets=self.targets[rows], golds=golds, n_golds=self.n_golds[rows])


def pick_variants(offered: Offered, apart: Flags, asked: Asked, *, limit: int | Literal["all"]) -> list[Picks]:
    """The multiple-choice questions of every target.

    Args:
        offered: What the targets are offered.
        apart: Which options may not stand beside which, shape ``(n_options, n_options)``: those of one region
            never, and so none beside itself.
        asked: The targets.
        limit: How many questions at most, or ``all``: every right answer with every triple of the regions'
            preferred options.

    Returns:
        The questions of each target, none twice.
    """
    if not offered.shown.size:
        return [np.empty((0, 1 + N_DISTRACTORS), np.int64) for _ in asked.targets]
    if limit == "all":
        return [_every_triple(offered, apart, asked, row) for row in range(len(asked.targets))]
    made = _Made(offered, apart, asked)
    for variant in range(limit):
        if made.is_complete:
            break
        made.make(variant)
    return made.picks()


def _every_triple(offered: Offered, apart: Flags, asked: Asked, row: int) -> Picks:
    shown = np.flatnonzero(offered.shown[row])
    preferred = shown[np.unique(asked.regions[shown], return_index=True)[1]]
    keys = asked.orders.keys(0)[asked.targets[row], asked.regions[preferred]]
    ordered = preferred[np.lexsort((keys, asked.fillers[preferred]))]
    triples = np.fromiter(chain.from_iterable(combinations(ordered.tolist(), N_DISTRACTORS)), np.int64)
    a, b, c = triples.reshape(-1, N_DISTRACTORS).T
    together = triples.reshape(-1, N_DISTRACTORS)[~(apart[a, b] | apart[a, c] | apart[b, c])]
    golds = np.arange(asked.n_golds[row])
    return np.column_stack([np.tile(golds, len(together)), np.repeat(together, len(golds), axis=0)])


class _Made:
    """The questions of all targets, made one variant after the other."""

    def __init__(self, offered: Offered, apart: Flags, asked: Asked) -> None:
        self._offered, self._apart, self._asked = offered, apart, asked
        golds = asked.golds
        target = np.repeat(np.arange(len(asked.targets)), asked.n_golds)
        self._first_gold = np.cumsum(asked.n_golds) - asked.n_golds
        self._last = golds.doubtful | asked.fillers
        # Sound options first, alike before unlike, unused before used, then as regions are ordered. Behind the
        # sound ones come the doubtful, and then the fillers. This part stays the same for all variants.
        fixed = asked.fillers.astype(np.uint64) << np.uint64(63) | golds.unlike << np.uint64(60)
        self._fixed = fixed | offered.place[target]
        self._uses = np.zeros(offered.shown.shape, np.uint64)
        self._ended = np.zeros(len(target), np.bool_)
        self._first = np.full((len(target), N_DISTRACTORS), NONE)
        self._shown = np.zeros(self._last.shape, np.bool_)
        self._steps: list[tuple[Numbers, Picks]] = []

    @property
    def is_complete(self) -> bool:
        """Whether no target has any question left."""
        return bool(self._ended.all())

    def make(self, variant: int) -> None:
        """One more question of every target that has any left; the right answers take turns."""
        drawn = self._asked.orders.keys(variant)[self._asked.targets] >> np.uint64(9) << np.uint64(2)
        waiting = np.arange(len(self._asked.targets))
        for turn in range(int(self._asked.n_golds.max())):
            waiting = waiting[turn < self._asked.n_golds[waiting]]
            if not len(waiting):
                return
            numbers = (variant + turn) % self._asked.n_golds[waiting]
            going_on = ~self._ended[self._first_gold[waiting] + numbers]
            if not going_on.any():
                continue
            targets, numbers = waiting[going_on], numbers[going_on]
            golds = self._first_gold[targets] + numbers
            uses = np.minimum(self._uses[targets], _MOST_USES) << np.uint64(57)
            keys = self._fixed[golds] | uses | drawn[targets[:, None], self._asked.regions]
            triples = self._following(keys, targets, golds)
            is_made = triples[:, 0] != NONE
            self._ended[golds[~is_made]] = True
            self._keep(targets[is_made], numbers[is_made], triples[is_made])
            going_on[going_on] = is_made
            waiting = waiting[~going_on]

    def picks(self) -> list[Picks]:
        """The questions made, in order, for every target."""
        targets = np.concatenate([targets for targets, _ in self._steps])
        picks = np.concatenate([picks for _, picks in self._steps])
        order = np.argsort(targets, kind="stable")
        ends = np.cumsum(np.bincount(targets, minlength=len(self._asked.targets)))
        return np.split(picks[order], ends[:-1])

    def _following(self, keys: Keys, targets: Numbers, golds: Numbers) -> Numbers:
        """The next triple of each of some right answers, `NONE` where there is none left."""
        is_first = self._first[golds, 0] == NONE
        triples = np.empty((len(golds), N_DISTRACTORS), np.int64)
        for rows, made in ((is_first, self._first_ones), (~is_first, self._further_ones)):
            if rows.any():
                triples[rows] = made(keys[rows], targets[rows], golds[rows])
        return triples

    def _first_ones(self, keys: Keys, targets: Numbers, golds: Numbers) -> Numbers:
        of_golds = self._asked.golds
        choices = Choices(keys, self._offered.shown[targets], of_golds.above[golds], self._last[golds])
        triples = first_triples(choices, of_golds.wanted[golds], self._apart)
        # Answers of few people are worth a question, but not one that a guesser finds the answer to.
        from_reserve = (self._asked.reserve[triples] & (triples != NONE)).sum(axis=1)
        triples[(from_reserve > 1) & self._give_away(golds, triples)] = NONE
        self._first[golds] = triples
        return triples

    def _further_ones(self, keys: Keys, targets: Numbers, golds: Numbers) -> Numbers:
        """Beside the two that stay another third one, on the side of the first if there is any.

        Never a doubtful one: one question less is better. Numbers keep to their side, since the place among
        four numbers is easily seen.
        """
        of_golds = self._asked.golds
        a, b, first = self._first[golds].T
        free = self._offered.shown[targets] & ~(self._apart[a] | self._apart[b])
        free &= ~(self._shown[golds] | of_golds.doubtful[golds])
        side = of_golds.above[golds] == of_golds.above[golds, first][:, None]
        third = best(keys, free & side)
        third = np.where((third == NONE) & ~of_golds.by_value[golds], best(keys, free & ~side), third)
        return np.where((third == NONE)[:, None], NONE, np.column_stack([a, b, third]))

    def _keep(self, targets: Numbers, numbers: Numbers, triples: Numbers) -> None:
        golds, of_golds = self._first_gold[targets] + numbers, self._asked.golds
        self._steps.append((targets, np.column_stack([numbers, triples])))
        self._uses[targets[:, None], triples] += np.uint64(1)
        self._shown[golds, triples[:, 2]] = True
        # One question has to do where a guesser who sees it finds the right answer.
        self._ended[golds] = of_golds.names_region[golds] | self._give_away(golds, triples)

    def _give_away(self, golds: Numbers, triples: Picks) -> Flags:
        """Whether all options sound less like the region than the right answers do, shape ``(n_golds,)``."""
        of_golds = self._asked.golds
        return of_golds.below[golds[:, None], triples].all(axis=1) & ~of_golds.by_value[golds]
