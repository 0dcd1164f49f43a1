"""Small releases to compare."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.small_release import small_release


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that writes a release."""
    return lambda tables, **more: small_release(tmp_path_factory.mktemp("release"), tables, **more)
