"""Surveys: what a country's people answered on average, one number per dimension."""

from dataclasses import dataclass

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
