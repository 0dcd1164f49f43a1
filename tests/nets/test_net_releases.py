"""Six releases hold what was recorded of them: tables to the byte, manifest, files, header of the card."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nets.release_records import release_differences, release_record

if TYPE_CHECKING:
    from conftest import Once

pytestmark = pytest.mark.integration

NETS = Path(__file__).parent


def build(*arguments: str | Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "blend", "build", *map(str, arguments)],
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


@pytest.fixture
def food_release(once: "Once", shared: Path) -> Path:
    """Dishes and ingredients of the snapshot of Wikidata, in default mode."""
    snapshot = shared / "data" / "wikidata" / "food_snapshot.nt.gz"
    return once.path("food", lambda out: build("--food", snapshot, "--out", out))


@pytest.fixture
def culture_release(once: "Once") -> Path:
    """A culture of its own with responses, reviews, verdicts, fillers, wordings, decisions and all rungs."""
    return once.path("culture", lambda out: build(NETS / "culture" / "recipe.toml", "--out", out))


@pytest.fixture
def cultural_release(once: "Once", shared: Path) -> Path:
    """The published topics and templates for readers of all nationalities, in default mode."""
    recipe, topics = NETS / "cultural_prompts" / "recipe.toml", shared / "data" / "extrinsic"
    return once.path(
        "cultural-prompts",
        lambda out: build(recipe, "--source-path", f"extrinsic={topics}", "--out", out),
    )


@pytest.mark.parametrize(
    ("name", "fixture"),
    [
        ("sample", "sample_release"),
        ("regions", "regions_release"),
        ("paper", "paper_release"),
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
