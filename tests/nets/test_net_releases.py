"""Six releases hold what was recorded of them: tables to the byte, manifest, files, header of the card."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from nets.release_records import release_differences, release_record

pytestmark = pytest.mark.integration

NETS = Path(__file__).parent


@pytest.mark.parametrize(
    ("name", "fixture"),
    [
        ("sample", "sample_release"),
        pytest.param("regions", "regions_release", marks=pytest.mark.landing),
        pytest.param("paper", "paper_release", marks=pytest.mark.landing),
        ("food", "food_release"),
        ("culture", "culture_release"),
        ("cultural-prompts", "cultural_release"),
    ],
)
def test_a_release_is_as_recorded(
    name: str, fixture: str, request: pytest.FixtureRequest, hold: Callable[..., None]
):
    release: Path = request.getfixturevalue(fixture)
    compare = partial(release_differences, release)
    hold(f"release {name}", NETS / "releases" / f"{name}.json", release_record(release), compare)
