"""Parameters of which some are tried at every change, and the others in `make nightly`."""

from collections.abc import Iterable
from typing import Any

import pytest


def rest_nightly(values: Iterable[Any], *in_test: Any) -> list[Any]:
    """Mark all values as nightly but those that `make test` tries; a tuple is one value of several names."""
    values = list(values)
    unknown = [value for value in in_test if value not in values]
    assert not unknown, f"not among the values: {unknown}"
    return [value if value in in_test else nightly(value) for value in values]


def nightly(value: Any) -> Any:
    """A value that `make nightly` alone tries."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly)
