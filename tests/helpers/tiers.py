"""Parameters of which some are tried at every change, and the others in `make test-all`."""

from collections.abc import Iterable
from typing import Any

import pytest


def rest_exhaustive(values: Iterable[Any], *in_test: Any) -> list[Any]:
    """Mark all values as exhaustive but those that `make test` tries; a tuple is one value of several names."""
    values = list(values)
    unknown = [value for value in in_test if value not in values]
    assert not unknown, f"not among the values: {unknown}"
    return [value if value in in_test else exhaustive(value) for value in values]


def exhaustive(value: Any) -> Any:
    """A value that `make test-all` alone tries."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.exhaustive)
