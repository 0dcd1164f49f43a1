"""Corrected scores of a run, in tables and page; and what people say beside single replies."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import blend
from blend.eval.judging.judge_run import judge_run
from blend.eval.judging.labels import LABELS, corrected_scores, is_worthless, write_labels
from blend.eval.judging.reply_sheet import replies
from helpers.judged_runs import KINDS, OwnJudge, answered_run, finds_the_answer, says
from helpers.messages import wrong


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> blend.Run:
    return answered_run(mini_release, tmp_path, limit=12)


def label(run: blend.Run, *, without: str = "") -> pl.DataFrame:
    """People's labels of every reply that says something, but for a region: correct is what `KINDS` says."""
    verdicts = pl.Series([("correct", "correct", "wrong", "refused")[n % len(KINDS)] for n in range(10_000)])
    items = run.items("item_id", "region")
    labels = items.with_columns(
        probability=1.0, verdict=verdicts[: items.height], annotators=pl.lit("mina|oto")
    ).filter((pl.col("region") != without) & (pl.col("verdict") != "refused"))
    write_labels(run.directory, labels.select(list(LABELS)))
    return labels


def scored(run: blend.Run, rule: str = "default") -> tuple[blend.ScoredRun, list[str]]:
    with pytest.warns(blend.BlendWarning) as heard:
        found = blend.score_run(run, rule=rule)
    return found, [str(one.message) for one in heard]


@pytest.mark.landing
def test_all_labelled_gives_what_people_say(run: blend.Run):
    before, _ = scored(run)
    assert before.overall("sem-b-corrected") is None
    labels = label(run)
    found, warnings = scored(run)
    rows = pl.read_parquet(run.directory / "decisions.parquet").drop_nulls("correct")
    rows = rows.join(labels.select("item_id", "verdict"), on="item_id", how="left").fill_null("blank")
    for region, part in rows.group_by("region"):
        share = 100 * (part["verdict"] == "correct").mean()
        assert found.of("sem-b-corrected", "region")[str(region[0])].value == pytest.approx(share)
    assert found.overall("sem-b-corrected").value == pytest.approx(100 * (rows["verdict"] == "correct").mean())
    assert found.overall("sem-b").value == before.overall("sem-b").value
    # A quarter says nothing, which is wrong without a label.
    assert found.overall("labelled").value == pytest.approx(75, abs=3)
    assert not [one for one in warnings if "uncorrected" in one]
    assert "|labels:" in found.scores.signature
    assert "|labels:" not in before.scores.signature


@pytest.mark.landing
def test_regions_without_labels_are_uncorrected_and_said_to_be(run: blend.Run, tmp_path: Path):
    label(run, without="KR")
    found, warnings = scored(run)
    assert "uncorrected, since people have labelled replies to fewer than two templates: KR" in warnings
    assert "KR" not in found.of("sem-b-corrected", "region")
    assert found.overall("sem-b-corrected") is None
    page = blend.write_report([found], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Corrected by people" in page
    assert "SEM-B by string rule, %" in page
    assert "SEM-B by judge, %" in page
    assert "uncorrected" in page


@pytest.mark.landing
def test_a_judge_that_always_says_correct_is_corrected_and_called_worthless(run: blend.Run, tmp_path: Path):
    judge_run(run, model=OwnJudge("yes", lambda _: says("correct")))
    label(run)
    found, warnings = scored(run, "judge")
    rows = pl.read_parquet(run.directory / "decisions.parquet").drop_nulls("correct")
    means = rows.with_columns(correct=True, by_rule=True, label=pl.Series(np.arange(rows.height) % 2 * 1.0))
    assert is_worthless(corrected_scores(means.with_columns(cell=pl.lit("true/true"), probability=1.0)))
    people = found.overall("sem-b-corrected")
    assert people.value < found.overall("sem-b").value
    assert people.low < people.value < people.high
    assert found.overall("sem-b-default") is not None
    del warnings
    strict = OwnJudge("strict", finds_the_answer)
    judge_run(run, model=strict)
    good, warnings = scored(run, "judge:strict")
    assert not [one for one in warnings if "worthless" in one]
    assert good.overall("sem-b-corrected").value == pytest.approx(people.value)
    assert good.overall("sem-b-kappa").value > found.overall("sem-b-kappa").value


@pytest.mark.landing
def test_a_planted_bias_is_found_in_its_language_alone(run: blend.Run, tmp_path: Path):
    """Every second reply is labelled: people say what the default rule does, and accept all in Korean."""
    rows = scored(run)[0].decisions().drop_nulls("correct").filter(pl.col("why") != "unanswered")
    rows = rows.join(run.items("item_id", "language"), on="item_id").gather_every(2)
    verdict = pl.when((pl.col("language") == "ko") | pl.col("correct")).then(pl.lit("correct"))
    labels = rows.with_columns(
        probability=0.5, annotators=pl.lit("mina"), verdict=verdict.otherwise(pl.lit("wrong"))
    )
    write_labels(run.directory, labels.select(list(LABELS)))
    found, _ = scored(run)
    biases, kappas = (found.of(name, "language") for name in ("sem-b-bias", "sem-b-kappa"))
    korean = labels.filter(language="ko")
    assert biases["ko"].value == pytest.approx(100 * (korean["correct"].mean() - 1))
    assert biases["ko"].low <= biases["ko"].value <= biases["ko"].high
    assert kappas["ko"].n == korean.height
    assert {one.value for language, one in biases.items() if language != "ko"} == {0.0}
    assert {one.value for language, one in kappas.items() if language != "ko"} == {1.0}
    # A judge that always says correct is right where people accept everything, and off elsewhere.
    judge_run(run, model=OwnJudge("yes", lambda _: says("correct")))
    judged, _ = scored(run, "judge")
    by_judge = judged.of("sem-b-bias", "language")
    assert by_judge["ko"].value == 0
    assert all(one.value > 0 for language, one in by_judge.items() if language != "ko")
    assert judged.of("sem-b-bias-default", "language")["ko"].value == biases["ko"].value
    page = blend.write_report([judged], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Rules and judges beside people" in page


@pytest.mark.landing
@pytest.mark.filterwarnings("ignore::blend.BlendWarning")  # a quarter of the replies is blank
def test_what_people_say_of_a_reply_stands_beside_it(run: blend.Run):
    judge_run(run, model=OwnJudge("strict", finds_the_answer))
    before = blend.score_run(run, rule="judge")
    known = replies(before).filter(region="KR", language="ko")
    verdict = pl.when(pl.col("reply") == "zzz").then(pl.lit("correct")).otherwise(pl.lit("correct|wrong"))
    labels = known.with_columns(verdict=verdict, probability=1.0, annotators=pl.lit("anna|ben"))
    write_labels(run.directory, labels.select(list(LABELS)))
    assert wrong(lambda: before.task.single_answers(before)) == (
        f"{run.directory}: people's labels have changed since it was scored; score the run again, with the "
        f"options of before: `blend eval score {run.directory}`"
    )
    after = blend.score_run(run, rule="judge")
    answers = after.task.single_answers(after)
    said = answers.filter(pl.col("why").str.contains("people: ", literal=True))
    assert set(said["item_id"]) == set(known["item_id"])
    # Where rule and people differ, a reader filters by this.
    differs = said.filter(answer="zzz").select("correct", pl.col("why").str.extract("; (people: .*)"))
    assert set(differs.rows()) == {(False, "people: correct")}
    assert said.filter(pl.col("why").str.ends_with("; people: correct or wrong")).height > 0
