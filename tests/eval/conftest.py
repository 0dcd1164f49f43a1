"""What tests of evaluation share: the release of the published dishes."""

from pathlib import Path
from typing import Protocol

import pytest


class Maker(Protocol):
    """See `conftest.Once`."""

    def path(self, name: str, make: object) -> Path: ...


@pytest.fixture(scope="session")
def food_release(once: Maker, food_snapshot: Path) -> Path:
    """The release of the published dishes, made from their snapshot; not to be changed."""
    from blend.builders.release import build_release
    from blend.loaders.files.pins import file_sha256
    from blend.schemas.recipe import Recipe

    recipe = Recipe.model_validate(
        {
            "name": "food",
            "version": "1.0.0",
            "license": "cc0-1.0",
            "sources": [
                {"kind": "wikidata", "location": str(food_snapshot), "sha256": file_sha256(food_snapshot)}
            ],
        }
    )
    return once.path("food", lambda out: build_release(recipe, out))
