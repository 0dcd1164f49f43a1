"""Judges that are killed: at every moment of their writing, nothing is lost, and nothing asked twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from blend.eval.asked_runs import read_run
from blend.eval.judging.verdicts import read_verdicts
from helpers import judge_kills
from helpers.judged_runs import OwnJudge, answered_run, finds_the_answer


@pytest.mark.nightly
@pytest.mark.integration
def test_killed_at_any_moment_a_judge_loses_and_doubles_nothing(mini_release: Path, tmp_path: Path):
    run = answered_run(mini_release, tmp_path, limit=2)
    made = subprocess.run(
        [sys.executable, judge_kills.__file__, str(run.directory), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(judge_kills.__file__).parents[1])},
    )
    moments = [int(moment) for moment in made.stdout.split()]
    assert len(moments) >= 10
    judge_kills.judged(run.directory, whole := OwnJudge("strict", finds_the_answer))
    for moment in moments:
        killed = read_run(tmp_path / str(moment))
        folder = killed.directory / "judges" / "strict"
        kept = read_run(folder).answers()["item_id"].to_list() if (folder / "run.json").exists() else []
        judge_kills.judged(killed.directory, again := OwnJudge("strict", finds_the_answer))
        # Answers are kept a few at a time: what was kept is what is not asked again.
        assert len(again.prompts) == len(set(again.prompts)) == len(whole.prompts) - len(kept)
        answers = read_run(folder).answers()
        assert answers.height == answers["item_id"].n_unique() == len(whole.prompts), f"moment {moment}"
        assert_frame_equal(read_verdicts(killed), read_verdicts(run))
