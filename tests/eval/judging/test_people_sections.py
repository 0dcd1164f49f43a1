"""What people say of a reply, beside what a rule or a judge says of it."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.evaluation import read_scored
from blend.eval.judging.judge_run import judge_run
from blend.eval.judging.labels import LABELS, write_labels
from blend.eval.judging.reply_sheet import replies
from blend.eval.report.scored_runs import ScoredRun
from helpers.judged_runs import OwnJudge, answered_run, finds_the_answer
from helpers.messages import wrong

pytestmark = pytest.mark.filterwarnings("ignore::blend.BlendWarning")  # a quarter of the replies is blank


@pytest.fixture(scope="module")
def run(mini_release: Path, tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    """Exact answers, sentences with them and other words, of which the judge knows the sentences alone."""
    made = answered_run(mini_release, tmp_path_factory.mktemp("differences"))
    judge_run(made, model=OwnJudge("strict", finds_the_answer))
    blend.score_run(made, rule="judge")
    return read_scored([made])[0]


def labelled(run: ScoredRun, verdict: pl.Expr) -> None:
    """Labels of all replies in Korea; ``verdict`` takes ``reply``."""
    known = replies(run).filter(region="KR", language="ko")
    more = {"probability": pl.lit(1.0), "annotators": pl.lit("anna|ben")}
    labels = known.with_columns(verdict=verdict, **more).select(list(LABELS))
    write_labels(run.run.directory, labels)


@pytest.mark.landing
def test_what_people_say_of_a_reply_stands_beside_it(run: ScoredRun):
    labelled(run, pl.when(pl.col("reply") == "zzz").then(pl.lit("correct")).otherwise(pl.lit("correct|wrong")))
    directory = run.run.directory
    assert wrong(lambda: run.task.single_answers(run)) == (
        f"{directory}: people's labels have changed since it was scored; score the run again, with the options "
        f"of before: `blend eval score {directory} --rule judge`"
    )
    run = blend.score_run(run.run, rule="judge")
    answers = run.task.single_answers(run)
    said = answers.filter(pl.col("why").str.contains("people: ", literal=True))
    known = replies(run).filter(region="KR", language="ko")
    assert set(said["item_id"]) == set(known["item_id"])
    # Where rule and people differ, a reader filters by this.
    differs = said.filter(answer="zzz").select("correct", pl.col("why").str.extract("; (people: .*)"))
    assert set(differs.rows()) == {(False, "people: correct")}
    assert said.filter(pl.col("why").str.ends_with("; people: correct or wrong")).height > 0
