"""A release to load, and a cache of the tests' own for what ``datasets`` makes of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the embedded sample: five regions and multiple-choice questions."""
    from helpers.hub.hub_releases import make_release

    locales = ("ko-KR", "ko-KP", "en-US", "fa-IR", "su-JB")
    return make_release(tmp_path_factory.mktemp("release") / "sample", "1.0.0", locales=locales)


@pytest.fixture(scope="session")
def datasets_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where ``datasets`` keeps what it has read."""
    import datasets

    cache = tmp_path_factory.mktemp("datasets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)
        yield cache
