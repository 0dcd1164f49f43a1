"""Missing answers: never wrong in silence; above 1 % there is no score unless it is asked for."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.recorded_answers import read_recorded
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.answers import write_answers
from blend.eval.runs.run_description import ReleaseItems
from blend.eval.runs.run_directory import Run, opened
from blend.eval.scoring import score_answers
from blend.schemas.errors import InputError
from helpers import kill_points
from helpers.kill_points import Echo, run_all


@pytest.fixture(scope="module")
def asked(sample_release: Path) -> ReleaseItems:
    """The questions about four regions: more than 100 and fewer than 200, so that 1 % is one."""
    asked = read_items(sample_release, TASKS["multiple-choice"], locales=["KR", "KP", "CN", "JP"], style="json")
    assert 100 < asked.asked.items.height < 200
    return asked


@pytest.fixture
def recorded(asked: ReleaseItems, tmp_path: Path) -> Callable[[int], Run]:
    """Makes a run of recorded answers that lacks so many at its end; all answers are A."""

    def recorded(n_missing: int) -> Run:
        rows = asked.asked.items.select("item_id").head(asked.asked.items.height - n_missing)
        rows.with_columns(response=pl.lit('{"answer_choice": "A"}')).write_csv(tmp_path / "answers.csv")
        found = read_recorded(tmp_path / "answers.csv", asked.asked)
        with opened(tmp_path / "run", asked, found.description, None) as run:
            write_answers(run.answers_folder / "main.jsonl", found.answers)
        return read_run(tmp_path / "run")

    return recorded


def missing_share(run: Run, **options: bool) -> tuple[float, int]:
    """The figure for missing answers in percent, and the number of answers scored."""
    scores = {
        score.metric: score for score in score_answers(run, **options).scores.scores if score.scope == "overall"
    }
    return scores["missing"].value, scores["accuracy"].n


@pytest.mark.slow
def test_one_percent_may_be_missing_and_is_told(recorded: Callable[[int], Run]):
    run = recorded(1)
    n_items = run.description.n_items
    assert missing_share(run) == (pytest.approx(100 / n_items), n_items - 1)


def test_message_for_more_than_one_percent(recorded: Callable[[int], Run], tmp_path: Path):
    run = recorded(2)
    n_items = run.description.n_items
    with pytest.raises(InputError) as caught:
        score_answers(run)
    assert str(caught.value) == (
        f"{tmp_path / 'run'}: 2 of {n_items} items have no answer ({200 / n_items:.1f} %): 2 are not in the "
        "file; run again with a file that holds them all, into another directory, or score "
        "what is there with `allow_missing`"
    )
    assert not (tmp_path / "run" / "scores.json").exists()


@pytest.mark.slow
def test_missing_answers_are_scored_when_told_and_are_not_wrong(
    recorded: Callable[[int], Run], asked: ReleaseItems, tmp_path: Path
):
    n_missing = asked.asked.items.height - 100
    found = missing_share(recorded(n_missing), allow_missing=True)
    assert found == (pytest.approx(100 * n_missing / (100 + n_missing)), 100)
    result = CliRunner().invoke(app, ["eval", "score", str(tmp_path / "run"), "--allow-missing"])
    assert result.exit_code == 0
    decisions = pl.read_parquet(tmp_path / "run" / "decisions.parquet")
    right = asked.asked.gold["answer"].head(100) == 0
    assert decisions["correct"].to_list() == [*right.to_list(), *[None] * n_missing]
    # What was let pass, and the seed, stand in the signature.
    run, missing = read_run(tmp_path / "run"), f"|missing:{n_missing}|"
    usual, seeded = (score_answers(run, allow_missing=True, seed=n).scores.signature for n in (0, 3))
    assert missing in usual
    assert seeded == usual.replace(missing, f"{missing}seed:3|")


AGAIN = "run the same command again to ask them, or score what is there with `allow_missing`"


def test_messages_for_answers_that_failed_and_for_a_run_that_is_not_finished(tmp_path: Path):
    with kill_points.opened(tmp_path / "begun", kill_points.asked(), Echo().describe(), None):
        pass
    run_all(tmp_path / "failed", Echo(fails=True))
    for name, what in {
        "begun": "24 of 24 items have no answer (100.0 %): 24 were not asked yet",
        "failed": "1 of 24 items has no answer (4.2 %): 1 failed (first: timed out)",
    }.items():
        with pytest.raises(InputError) as caught:
            score_answers(read_run(tmp_path / name))
        assert str(caught.value) == f"{tmp_path / name}: {what}; {AGAIN}"
