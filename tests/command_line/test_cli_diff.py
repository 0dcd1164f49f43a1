"""``blend diff`` as it is typed: three outputs, exit codes, and messages."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.schemas.errors import BlendError
from helpers.in_process import run

diff = partial(run, "diff", columns=80)

FIVE = ("en-US", "ko-KR", "ar-DZ", "zh-CN", "fa-IR")


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release of five locales, and one of six with another seed that calls itself a correction."""
    folder = tmp_path_factory.mktemp("releases")
    recipe = sample_recipe()
    build_release(recipe.model_copy(update={"version": "1.0.0", "locales": FIVE}), folder / "old")
    changed = {"version": "1.0.1", "locales": (*FIVE, "am-ET"), "seed": 7}
    build_release(recipe.model_copy(update=changed), folder / "new")
    return folder / "old", folder / "new"


@pytest.mark.landing
@pytest.mark.slow
def test_the_verdict_comes_first(releases):
    lines = diff(*releases).splitlines()
    assert lines[0] == "blend-sample 1.0.0 → blend-sample 1.0.1"
    assert re.sub(r"\s+", " ", " ".join(lines[1:3])).startswith(
        "Version step: minor, so 1.1.0 follows. The new release calls itself 1.0.1."
    )
    assert any(line.split()[:2] == ["minor", "annotations:"] for line in lines)


@pytest.mark.landing
@pytest.mark.slow
def test_examples_are_as_many_as_asked_for(releases):
    assert "Examples" not in diff(*releases, "--examples", 0)
    assert "Examples" in diff(*releases, "--examples", 1)


@pytest.mark.slow
def test_json_is_all_there_is(releases):
    found = json.loads(diff(*releases, "--json"))
    assert (found["step"], found["expected_version"]) == ("minor", "1.1.0")
    assert found["old"] == {"name": "blend-sample", "version": "1.0.0"}
    splits = {split["split"]: split for split in found["configs"][0]["splits"]}
    assert (splits["KR"]["changed"], splits["ET"]["old_rows"]) == (0, None)


@pytest.mark.landing
@pytest.mark.slow
def test_exit_codes(releases):
    old, new = releases
    assert diff(old, old, "--exit-code") == "blend-sample 1.0.0 → blend-sample 1.0.0\nNothing differs.\n"
    diff(old, new, "--exit-code", code=3)
    diff(old, new, code=0)


def test_messages(releases, tmp_path):
    old, _ = releases
    assert message(old, tmp_path / "nowhere") == (
        f"{tmp_path}/nowhere: no such directory; name the directory of a release, or org/name@v1.0.0"
    )
    assert message(old, tmp_path) == (
        f"{tmp_path}: no release.json here, so it is not a release; build one with `blend build`"
    )


def message(*arguments: str | Path) -> str:
    with pytest.raises(BlendError) as caught:
        diff(*arguments)
    return str(caught.value)
