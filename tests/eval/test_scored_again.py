"""Runs that are scored again: no scores stand beside what they do not come from."""

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

import blend
from blend.eval import scoring
from blend.eval.evaluation import read_scored
from blend.eval.judging import JUDGES_FOLDER
from blend.eval.judging.judge_run import judge_run
from blend.eval.models import Generation
from blend.eval.scores_json import DECISIONS_NAME, SCORES_NAME, drop_scores
from blend.loaders.files.atomic import one_at_a_time
from helpers.asking import score
from helpers.judged_runs import OwnJudge, answered_run, finds_the_answer, says
from helpers.messages import wrong
from helpers.models.own_models import Reader, Saying

Asked = Callable[..., blend.Run]


def test_scoring_that_is_stopped_leaves_no_scores_of_other_decisions(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
):
    run = asked(Reader())
    blend.score_run(run)

    def stopped(run: blend.Run) -> None:
        drop_scores(run)
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "drop_scores", stopped)
    with pytest.raises(KeyboardInterrupt):
        blend.score_run(run, seed=1)
    assert wrong(lambda: read_scored([run])) == (
        f"{run.directory}: the run is not scored yet; score it first: blend eval score {run.directory}"
    )


def test_decisions_that_cannot_be_written_leave_the_earlier_scores(asked: Asked, tmp_path: Path):
    run = asked(Reader())
    before = blend.score_run(run).scores
    decisions = run.directory / DECISIONS_NAME
    decisions.symlink_to(decisions.replace(tmp_path / "elsewhere.parquet"))
    assert f"{decisions}: is a link to " in wrong(lambda: blend.score_run(run, seed=1))
    assert read_scored([run])[0].scores == before
    decisions.unlink()
    decisions.mkdir()
    told = f"{decisions}: is not a regular file; move it away, or name a file"
    assert wrong(lambda: blend.score_run(run, seed=1)) == told


def test_another_release_than_the_one_asked_is_refused(asked: Asked, sample_release: Path, tmp_path: Path):
    run = asked(Reader()).directory
    fix = "name the release that was asked, blend-sample 0.1.0"
    assert wrong(lambda: blend.score_run(run, release=sample_release)).endswith(f"with other tables; {fix}")
    assert wrong(lambda: blend.score_run(run, release=tmp_path)).endswith(f"`blend build`; {fix}")
    blend.score_run(run)


def test_a_run_that_has_got_further_answers_is_scored_again(asked: Asked):
    half = (Generation("A", 1, 1, "stop"), Generation.failed("down"))
    run = asked(Saying(lambda prompts: [half[i % 2] for i in range(len(prompts))]))
    before = blend.score_run(run, allow_missing=True).scores
    run = asked(Saying(lambda prompts: ["A"] * len(prompts)))
    assert wrong(lambda: read_scored([run])) == (
        f"{run.directory}: answers have changed since it was scored; score the run again, with the options of "
        f"before: `blend eval score {run.directory}`"
    )
    blend.score_run(run)
    assert read_scored([run])[0].scores.answers != before.answers


def test_a_run_whose_judge_has_said_more_or_else_is_scored_again(mini_release: Path, tmp_path: Path):
    run = answered_run(mini_release, tmp_path)
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    score(run, rule="judge:strict", on_warning=lambda _: None)
    assert read_scored([run])
    shutil.rmtree(run.directory / JUDGES_FOLDER)
    # Without the judge nobody can tell, and the scores can still be shown.
    assert read_scored([run])
    judge_run(run, model=OwnJudge("strict", lambda _: says("wrong")))
    assert wrong(lambda: read_scored([run])) == (
        f"{run.directory}: the judge's verdicts have changed since it was scored; score the run again, with "
        f"the options of before: `blend eval score {run.directory}`"
    )


def test_one_scores_a_run_at_a_time(asked: Asked):
    run = asked(Reader())
    other = Thread(target=blend.score_run, args=(run,))
    with one_at_a_time(run.directory / SCORES_NAME):
        other.start()
        other.join(timeout=0.5)
        assert other.is_alive()
        assert not Path(run.directory / SCORES_NAME).exists()
    other.join()
    assert read_scored([run])
