"""The scorer's card: a planted bias is found by language, and the packaged card shows what it does not know."""

import json
from pathlib import Path

import polars as pl
import pytest

import blend
from blend.eval.judging.judge_run import judge_run
from blend.eval.runs.labels import write_labels
from blend.eval.tasks.short_answer.scorer_card import CARD, RULES, packaged_card, scorer_card
from blend.schemas.errors import InputError
from helpers.in_process import run as command
from helpers.judged_runs import OwnJudge, answered_run, says

pytestmark = pytest.mark.filterwarnings("ignore::blend.BlendWarning")  # a quarter of the replies is blank


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> blend.Run:
    return answered_run(mini_release, tmp_path, limit=12)


def label(run: blend.Run) -> pl.DataFrame:
    """Labels of every second item of which the default rule says something; people accept all in Korean."""
    rows = blend.score_run(run, allow_missing=True).decisions().drop_nulls("correct")
    rows = rows.filter(pl.col("why") != "unanswered").join(run.items("item_id", "language"), on="item_id")
    accepted = (pl.col("language") == "ko") | pl.col("correct")
    verdict = pl.when(accepted).then(pl.lit("correct")).otherwise(pl.lit("wrong"))
    labels = rows.gather_every(2).with_columns(probability=0.5, annotators=pl.lit("mina"), verdict=verdict)
    write_labels(run.directory, labels)
    return labels


@pytest.mark.landing
@pytest.mark.slow
def test_a_planted_bias_is_found_in_its_language_alone(run: blend.Run):
    labels = label(run)
    judge_run(run, model=OwnJudge("yes", lambda _: says("correct")), reordered=0)
    card = scorer_card([run])
    assert card.schema == CARD
    rows = {(row["scorer"], row["language"]): row for row in card.iter_rows(named=True)}
    korean = labels.filter(language="ko")
    found = rows["default", "ko"]
    assert found["bias"] == pytest.approx(100 * (korean["correct"].mean() - 1))
    assert found["low"] <= found["bias"] <= found["high"]
    assert found["bias"] < 0
    assert (found["runs"], found["labels"]) == (1, korean.height)
    others = [row for (scorer, language), row in rows.items() if scorer == "default" and language != "ko"]
    assert others
    assert {row["bias"] for row in others} == {0.0}
    assert {row["kappa"] for row in others} == {1.0}
    # A judge that always says correct is right where people accept everything, and off elsewhere.
    (judge,) = {scorer for scorer, _ in rows} - {*RULES}
    assert judge.startswith("yes#")
    assert rows[judge, "ko"]["bias"] == 0
    assert all(
        row["bias"] > 0 for (scorer, language), row in rows.items() if scorer == judge and language != "ko"
    )


@pytest.mark.landing
@pytest.mark.slow
def test_replies_that_are_missing_keep_no_labels_from_counting(
    run: blend.Run, mini_release: Path, tmp_path: Path
):
    some = pl.read_parquet(tmp_path / "answers.parquet").gather_every(2)
    some.write_parquet(tmp_path / "some.parquet")
    recorded = blend.Recorded(path=tmp_path / "some.parquet")
    half = blend.run_task(mini_release, "short-answer", recorded, tmp_path / "half", limit=12)
    labels = label(half)
    card = pl.DataFrame(json.loads(command("eval", "scorers", half.directory, "--json")))
    assert card.filter(scorer="default")["labels"].sum() == labels.height


@pytest.mark.landing
@pytest.mark.slow
def test_the_packaged_card_shows_what_it_does_not_know(run: blend.Run, tmp_path: Path):
    card = packaged_card()
    assert set(card["scorer"]) == {*RULES}
    assert card.filter(language="ko").height == len(RULES)
    assert card["bias"].null_count() == card["labels"].null_count() == card.height
    label(run)
    written = json.loads(command("eval", "scorers", run.directory, "--out", tmp_path / "card.csv", "--json"))
    assert pl.read_csv(tmp_path / "card.csv", schema=CARD).rows(named=True) == written
    assert "Scorers beside people" in command("eval", "scorers", columns=200)


@pytest.mark.landing
@pytest.mark.slow
def test_what_has_no_card(run: blend.Run, mini_release: Path, tmp_path: Path):
    with pytest.raises(InputError) as raised:
        scorer_card([run])
    assert str(raised.value) == (
        f"{run.directory}: nobody has labelled replies of this run; draw some for people to judge: "
        f"blend eval judge-sheet {run.directory}"
    )
    how = {"style": "json", "limit": 1}
    judge = OwnJudge("strict", lambda _: says("correct"))
    choice = blend.run_task(mini_release, "multiple-choice", judge, tmp_path / "choice", **how)
    with pytest.raises(InputError) as raised:
        scorer_card([choice])
    assert str(raised.value) == f"{choice.directory}: a run of multiple-choice; name runs of short-answer"
