"""Offers: which of a template's options each locale asked about may be shown at all."""

from typing import NamedTuple

import numpy as np

from blend.builders.mcq.flags import Flags
from blend.builders.mcq.orders import Keys
from blend.builders.mcq.together import Numbers

OPTIONS_OF_A_REGION = 4
"""How many options of a region are looked at for a question; one of them is shown at most."""


class Offered(NamedTuple):
    """What the targets of a template are offered, tables of shape ``(n_targets, n_options)``."""

    shown: Flags
    """Whether an option may be shown to a target, whatever else is."""
    place: Keys
    """Its place among those that its region offers to the target, from 0."""

    def at(self, rows: Numbers) -> "Offered":
        """What some of the targets are offered."""
        return Offered(self.shown[rows], self.place[rows])


def preferred(alive: Flags, regions: Numbers) -> Offered:
    """Of each region the `OPTIONS_OF_A_REGION` first options.

    Which they are must not depend on verdicts: one that was not asked for, since nothing rests on it, would
    hide another one.

    Args:
        alive: Which options the rules let a target show, shape ``(n_targets, n_options)``.
        regions: Number of the region of every option, shape ``(n_options,)``. Options of a region stand side by
            side, the preferred one first, and regions are numbered in this order.
    """
    starts = np.searchsorted(regions, np.arange(regions[-1] + 1)) if len(regions) else np.zeros(0, np.int64)
    before: Numbers = np.cumsum(alive, axis=1) - alive
    place: Numbers = before - before[:, starts[regions]]
    return Offered(alive & (place < OPTIONS_OF_A_REGION), place.astype(np.uint64))
