"""Where the string rule, a judge and people differ, with the replies themselves."""

from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.evaluation import read_scored
from blend.eval.judging.judge_run import judge_run
from blend.eval.judging.labels import LABELS, write_labels
from blend.eval.judging.reply_sheet import replies
from blend.eval.report.region_sections import differences_section
from blend.eval.report.scored_runs import ScoredRun
from helpers.judged_runs import OwnJudge, answered_run, finds_the_answer

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
@pytest.mark.slow
def test_replies_are_shown_on_which_the_three_differ(run: ScoredRun):
    labelled(run, pl.when(pl.col("reply") == "zzz").then(pl.lit("correct")).otherwise(pl.lit("correct|wrong")))
    with pytest.raises(blend.InputError) as raised:
        differences_section([run])
    directory = run.run.directory
    assert str(raised.value) == (
        f"{directory}: people's labels have changed since it was scored; score the run again, with the options "
        f"of before: `blend eval score {directory} --rule judge`"
    )
    run = blend.score_run(run.run, rule="judge")
    section = differences_section([run])
    assert section is not None
    assert section.table is not None
    # Ties differ from nobody; all others are right by people alone.
    assert {row[3:] for row in section.table.frame.rows()} == {("zzz", "wrong", "wrong", "correct")}
    assert {row[:2] for row in section.table.frame.rows()} == {("echo-7b", "South Korea")}
    n = len(section.table.frame.rows())
    known = replies(run).filter(region="KR", language="ko").unique("id")
    assert known.filter(reply="zzz").height == n > 0
    counted = (
        f"of {known.height} judged answers, the string rule differs from people on {n}, the judge from {n}."
    )
    assert f"echo-7b: {counted}" in section.table.caption
    page = blend.write_report([run], run.run.directory / "report.html").read_text(encoding="utf-8")
    assert "Where rule, judge and people differ" in page
