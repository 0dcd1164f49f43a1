"""Surveys: what a country's people answered on average, one number per dimension."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A table of countries and dimensions."""

    name: str
    """Its name, for example ``hofstede``."""
    groups: tuple[str, ...]
    """The demonym of every row."""
    dimensions: tuple[str, ...]
    """The name of every column."""
    values: NDArray[np.float64]
    """Shape ``(n_groups, n_dimensions)``; NaN where the survey has no value."""
    nominal: tuple[str, ...] = ()
    """Dimensions whose numbers are codes of answers, of which a mean means nothing."""

    def renamed(self, aliases: Mapping[str, str], wanted: Collection[str]) -> "Survey":
        """The survey with the usual names of rows that go by another one.

        Args:
            aliases: Usual name by other name. A row takes its usual name where no row has that already.
            wanted: The names that are of use; no row that has one of them loses it.
        """
        held = {*self.groups}
        names = tuple(
            aliases[name]
            if name not in wanted and aliases.get(name) in wanted and aliases[name] not in held
            else name
            for name in self.groups
        )
        return replace(self, groups=names)
