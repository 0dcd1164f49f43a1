"""Made-up facts to document, in any shape."""

import pytest

from blend.schemas.locales import Locale, registry


@pytest.fixture
def all_locales() -> list[Locale]:
    """The 34 locales of the registry."""
    return list(registry())
