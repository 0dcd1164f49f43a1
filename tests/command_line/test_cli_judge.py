"""``blend eval judge`` from the command line: a served model judges, and the rule scores by what it says."""

from pathlib import Path

import pytest

from blend.eval.models.tiny_model import make_tiny_model
from helpers.in_process import run
from helpers.judged_runs import answered_run
from helpers.models.judge_server import serving_judge


@pytest.mark.nightly
@pytest.mark.integration
def test_a_served_judge_from_its_plan_to_scores(mini_release: Path, tmp_path: Path):
    judged = answered_run(mini_release, tmp_path, limit=2).directory
    make_tiny_model(tmp_path / "tiny")
    with serving_judge(tmp_path / "tiny") as server:
        ask = ("eval", "judge", judged, "--model", "tiny", "--server", server.url, "--max-tokens", "64")
        planned = run(*ask, "--price", "1,2", "--plan")
        assert planned.startswith("To ask: ")
        assert "cost about" in planned
        assert not (judged / "judges" / "tiny").exists()
        asked = run(*ask, "--price", "1,2", columns=300)
    assert "In all: " in asked
    assert ", cost " in asked
    assert f"  blend eval score {judged} --rule judge:tiny\n" in asked
    scored = run("eval", "score", judged, "--rule", "judge:tiny", columns=300)
    assert "judge-asked" in scored
    assert "|judge:tiny#" in scored
