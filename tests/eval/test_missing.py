"""Missing answers: never wrong in silence; above 1 % there is no score unless it is asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import blend
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.run_directory import open_run
from blend.eval.scoring import score_answers
from blend.eval.tasks import TASKS
from helpers import kill_points
from helpers.asking import recorded
from helpers.in_process import run as command
from helpers.kill_points import Echo, run_all
from helpers.messages import wrong

HOW: dict[str, Any] = {"locales": ["KR", "KP", "CN", "JP"], "style": "json"}
"""The questions about four regions: more than 100 and fewer than 200, so that 1 % is one."""


@pytest.fixture
def lacking(sample_release: Path, tmp_path: Path) -> Callable[[int], blend.Run]:
    """Makes a run of recorded answers that lacks so many at its end; all answers are A."""

    def made(n_missing: int) -> blend.Run:
        items = read_items(sample_release, TASKS["multiple-choice"], **HOW).asked.items.select("item_id")
        assert 100 < items.height < 200
        rows = items.head(-n_missing).with_columns(response=pl.lit('{"answer_choice": "A"}'))
        return recorded(sample_release, "multiple-choice", rows, tmp_path / "run", **HOW)

    return made


def missing_share(run: blend.Run, **options: bool) -> tuple[float | None, int]:
    """The figure for missing answers in percent, and the number of answers scored."""
    scores = {one.metric: one for one in score_answers(run, **options).scores.scores if one.scope == "overall"}
    return scores["missing"].value, scores["accuracy"].n


def test_one_percent_may_be_missing_and_is_told(lacking: Callable[[int], blend.Run]):
    run = lacking(1)
    n_items = run.description.n_items
    assert missing_share(run) == (pytest.approx(100 / n_items), n_items - 1)


def test_more_are_scored_when_told_and_are_not_wrong(lacking: Callable[[int], blend.Run], tmp_path: Path):
    run = lacking(20)
    n_items = run.description.n_items
    assert wrong(lambda: score_answers(run)) == (
        f"{tmp_path / 'run'}: 20 of {n_items} items have no answer ({2000 / n_items:.1f} %): 20 are not in the "
        "file; run again with a file that holds them all, into another directory, or score "
        "what is there with `allow_missing`"
    )
    assert not (tmp_path / "run" / "scores.json").exists()
    assert missing_share(run, allow_missing=True) == (pytest.approx(2000 / n_items), n_items - 20)
    command("eval", "score", tmp_path / "run", "--allow-missing")
    decisions = pl.read_parquet(tmp_path / "run" / "decisions.parquet")
    right = run.gold()["answer"].head(-20) == 0
    assert decisions["correct"].to_list() == [*right.to_list(), *[None] * 20]
    # What was let pass, and the seed, stand in the signature.
    usual, seeded = (score_answers(run, allow_missing=True, seed=n).scores.signature for n in (0, 3))
    assert "|missing:20|" in usual
    assert seeded == usual.replace("|missing:20|", "|missing:20|seed:3|")


def test_messages_for_answers_that_failed_and_for_a_run_that_is_not_finished(tmp_path: Path):
    open_run(tmp_path / "begun", kill_points.asked(), Echo().describe(), None)
    run_all(tmp_path / "failed", Echo(fails=True))
    for name, what in {
        "begun": "24 of 24 items have no answer (100.0 %): 24 were not asked yet",
        "failed": "1 of 24 items has no answer (4.2 %): 1 failed (first: timed out)",
    }.items():
        assert wrong(lambda name=name: score_answers(read_run(tmp_path / name))) == (
            f"{tmp_path / name}: {what}; run the same command again to ask them, or score what is there with "
            "`allow_missing`"
        )
