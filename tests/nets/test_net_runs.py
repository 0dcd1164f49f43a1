"""Kept answers hold their scores to the last digit that no processor changes, and comparisons of their runs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nets.commands import blend
from nets.kept_runs import RUNS, description, held, held_signature, make_run, score

pytestmark = pytest.mark.slow

NAMES = sorted(folder.name for folder in RUNS.iterdir())

RELEASES = {"sample": "sample_release", "rungs": "rungs_release", "food": "food_release"}
"""Fixture of the release that a run names; a table of texts needs none."""

COMPARED = {
    "multiple-choice": ("mc-texts", "mc-thoughts", "mc-missing"),
    "short-answers": ("short-answers", "short-answers-other"),
    "free-listing": ("free-listing", "free-listing-other"),
    "probing": ("probing", "probing-other"),
}
"""Runs that asked the same questions in the same way."""


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a run of the answers that a folder keeps."""

    def made(name: str) -> Path:
        fixture = RELEASES.get(description(name).get("release", ""))
        release = request.getfixturevalue(fixture) if fixture else "release"
        make_run(name, release, tmp_path / name)
        return tmp_path / name

    return made


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_scored_as_recorded(name: str, make: Callable[[str], Path], hold: Callable[..., None]):
    out = make(name)
    for options in description(name)["scored"]:
        what = options["name"]
        hold(f"run {name}, {what}.json", RUNS / name / f"{what}.json", score(name, out, options))


@pytest.mark.integration
@pytest.mark.parametrize("title", COMPARED)
def test_runs_are_compared_as_recorded(title: str, make: Callable[[str], Path], hold: Callable[..., None]):
    outs = []
    for name in COMPARED[title]:
        outs.append(make(name))
        score(name, outs[-1], description(name)["scored"][0])
    found = json.loads(blend("eval", "compare", *outs, "--json"))
    found["signature"] = held_signature(found["signature"])
    hold(f"comparison {title}", RUNS.parent / "comparisons" / f"{title}.json", found)


@pytest.mark.integration
def test_commands_score_as_public_names_do(sample_release: Path, tmp_path: Path, hold: Callable[..., None]):
    asked = ("--task", "multiple-choice", "--locales", "KR", "--locales", "Iran", "--limit", "8")
    answers = ("--answers", RUNS / "mc-texts" / "answers.csv", "--model", "invented-1")
    blend("eval", "run", sample_release, *asked, *answers, "--out", tmp_path / "run")
    printed = json.loads(blend("eval", "score", tmp_path / "run", "--json"))
    hold("commands on mc-texts", RUNS / "mc-texts" / "scores.json", held(printed))
