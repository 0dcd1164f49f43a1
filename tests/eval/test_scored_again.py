"""Runs that are scored again: no scores stand beside what they do not come from."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

import blend
from blend.eval import scoring
from blend.eval.evaluation import read_scored
from blend.eval.models.protocols import Generation
from blend.eval.scores_json import SCORES_NAME
from blend.loaders.files.atomic import one_at_a_time
from helpers.models.own_models import Reader, Saying

Asked = Callable[..., blend.Run]


def refusal(run: blend.Run) -> str:
    with pytest.raises(blend.InputError) as raised:
        read_scored([run])
    return str(raised.value)


def test_scoring_that_is_stopped_leaves_no_scores_of_other_decisions(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
):
    run = asked(Reader())
    blend.score_run(run)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "atomic_write", stopped)
    with pytest.raises(KeyboardInterrupt):
        blend.score_run(run, seed=1)
    assert refusal(run) == (
        f"{run.directory}: the run is not scored yet; score it first: blend eval score {run.directory}"
    )


def test_a_run_that_has_got_further_answers_is_scored_again(asked: Asked):
    def some(prompts: list[str]) -> list[Generation]:
        return [
            Generation.failed("down") if i % 2 else Generation("A", 1, 1, "stop") for i in range(len(prompts))
        ]

    run = asked(Saying(some))
    n_answered = blend.score_run(run, allow_missing=True).scores.answered
    run = asked(Saying(lambda prompts: ["A"] * len(prompts)))
    n = run.description.n_items
    assert n_answered is not None
    assert 0 < n_answered < n
    assert refusal(run) == (
        f"{run.directory / SCORES_NAME}: scores of {n_answered} answers, and the run has {n} now; "
        f"score the run again: blend eval score {run.directory}"
    )
    blend.score_run(run)
    assert read_scored([run])[0].scores.answered == n


def test_one_scores_a_run_at_a_time(asked: Asked):
    run = asked(Reader())
    other = Thread(target=blend.score_run, args=(run,))
    with one_at_a_time(run.directory / SCORES_NAME):
        other.start()
        other.join(timeout=0.5)
        assert other.is_alive()
        assert not Path(run.directory / SCORES_NAME).exists()
    other.join()
    assert read_scored([run])[0].scores.answered == run.description.n_items
