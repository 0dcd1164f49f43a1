"""Failed kinds: options that need not be tried, since others like them have failed.

Options are of one kind if the same others may not stand beside them, apart from those of their own regions.
Among a thousand regions hundreds answer a question about months alike; where only two answers are left, no
three stand together, and it would take a thousand times a thousand attempts to see it.
"""

from collections.abc import Sequence, Set

_FREE = 30
"""Failures after which they are noted: among the options of few regions that takes longer than to try them."""


class FailedKinds:
    """Kinds of options beside which no others stand.

    What stands beside an option, and not beside another one of its kind, is of the other one's region. So if
    options of a kind from several regions fail, what stands beside a further one must come from all these
    regions, and a triple has fewer places than that.

    Args:
        kinds: By option, its kind.
        regions: By option, its region.
        apart: Options that are a kind of their own, each time.
        n_regions: From how many regions options must fail: one more than others must stand beside them.
    """

    def __init__(self, kinds: Sequence[int], regions: Sequence[int], apart: Set[int], n_regions: int) -> None:
        self._kinds, self._regions, self._apart, self._n_regions = kinds, regions, apart, n_regions
        self._n_failed = 0
        self._failed: dict[tuple[int, bool], set[int]] = {}

    def __contains__(self, i: int) -> bool:
        return (
            bool(self._failed)
            and len(self._failed.get((self._kinds[i], i in self._apart), ())) >= self._n_regions
        )

    def add(self, i: int) -> None:
        """Note that an option has failed."""
        self._n_failed += 1
        if self._n_failed > _FREE:
            self._failed.setdefault((self._kinds[i], i in self._apart), set()).add(self._regions[i])
