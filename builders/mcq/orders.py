"""Orders: for every variant and target, the regions in an order of its own.

Where two regions stand to each other depends on no third one. A region that joins and is not chosen therefore
changes nothing (independence of irrelevant alternatives).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blend.builders.mcq.digests import digest

Keys = npt.NDArray[np.uint64]
"""Numbers to order by, the smallest first."""


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

    def of(self, target: int, variant: int) -> list[str]:
        """The regions in the order of a variant (from 0) for a target (its place among the targets)."""
        return [self._codes[i] for i in np.argsort(self.keys(variant)[target], kind="stable").tolist()]

    def keys(self, variant: int) -> Keys:
        """What orders the regions, as they were given, for a variant: shape ``(n_targets, n_regions)``."""
        while len(self._keys) <= variant:
            salt = _mixed(self._targets + np.uint64(len(self._keys)))
            self._keys.append(_mixed(salt[:, None] ^ self._regions[None, :]))
        return self._keys[variant]


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
