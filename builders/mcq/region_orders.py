"""Region orders: in which order regions are looked at, for every variant of every question another one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blend.builders.digests import digest


class RegionOrders:
    """For every variant and target, the regions in an order of its own.

    Regions are ranked by a key of their own mixed with one of the target and the variant (rendezvous hashing):
    where two regions stand to each other depends on no third one. A region that joins and is not chosen
    therefore changes nothing (independence of irrelevant alternatives).

    Args:
        seed: Seed of the build.
        template_id: The template.
        targets: Tags of the locales asked about.
        regions: Codes of the regions that offer options.
    """

    def __init__(self, seed: int, template_id: str, targets: Sequence[str], regions: Sequence[str]) -> None:
        self._targets = np.array([digest(seed, template_id, "target", tag) for tag in targets], np.uint64)
        self._regions = np.array([digest(seed, template_id, "region", code) for code in regions], np.uint64)
        self._keys: list[Keys] = []
        """By variant, shape ``(n_targets, n_regions)``."""

    def keys(self, target: int, variant: int) -> list[int]:
        """Number the regions, as they were given, so that the smallest comes first.

        Args:
            target: The place of the target among the targets.
            variant: The variant, from 0.
        """
        while len(self._keys) <= variant:
            variants = np.arange(len(self._keys), len(self._keys) + _AT_ONCE, dtype=np.uint64)
            salts = _mixed(self._targets + variants[:, None])
            # Axes: variants, targets, regions. Published releases were ordered by the upper 55 bits.
            self._keys.extend(_mixed(salts[:, :, None] ^ self._regions) >> np.uint64(9))
        keys: list[int] = self._keys[variant][target].tolist()
        return keys


Keys = npt.NDArray[np.uint64]

_AT_ONCE = 5
"""Variants whose keys are computed at once: as many as are asked for where nobody says how many."""


def _mixed(keys: Keys) -> Keys:
    """Spread every bit of a key over all of them: the finalizer of SplitMix64.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators,
        https://doi.org/10.1145/2714064.2660195.
    """
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
