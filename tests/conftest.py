"""What all tests share: the real data beside the checkout, and a home of their own for every cache."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from hub_server import Hub

pytest_plugins = ["wikidata_fixtures"]

ROOT = Path(__file__).resolve().parents[1]

# Set before any test imports huggingface_hub, which reads them once.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_XET", "1")

# No property depends on how fast the machine is.
hypothesis.settings.register_profile(
    "blend", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("blend")


def absent(part: str) -> None:
    """Skip for want of an optional part of the machine; with BLEND_REQUIRE_ALL=1 (CI) fail instead."""
    if os.environ.get("BLEND_REQUIRE_ALL") == "1":
        pytest.fail(f"{part} is required here")
    pytest.skip(f"{part} is not here")


@pytest.fixture(scope="session")
def missing() -> Callable[[str], None]:
    """Call it with the name of an optional part that is not here; see `absent`."""
    return absent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden results, kept beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        absent("the folder ../shared")
    return folder


@pytest.fixture(scope="session")
def blend_data(shared: Path) -> Path:
    """The published data of BLEnD's 16 regions."""
    return shared / "data" / "blend"


@pytest.fixture(scope="session")
def golden(shared: Path) -> Path:
    """Results expected on the published data."""
    return shared / "golden" / "blend"


@pytest.fixture
def hub(tmp_path: Path) -> "Iterator[Hub]":
    """A running Hub of the test's own, without repositories; see tests/hub/hub_server.py."""
    from hub_server import Hub

    with Hub(tmp_path / "hub").serving() as hub:
        yield hub


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own for the Hub client in this process."""
    from huggingface_hub import constants

    cache = tmp_path / "hub-cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    return cache
