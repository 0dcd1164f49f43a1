"""Comparisons of scored runs: who is better, where, and what cannot be compared."""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from blend.eval.evaluation import compare_runs, read_scored
from blend.eval.models import ModelDescription
from blend.eval.report import ScoredRun
from blend.eval.report.model_comparison import check_comparable
from blend.eval.runs import PEOPLE, RecordedAnswers
from helpers.in_process import run
from helpers.messages import wrong


@pytest.mark.landing
def test_who_is_better_and_where(good: Path, poor: Path):
    found = compare_runs([poor, good])
    (pair,) = found.pairs.rows(named=True)
    assert (pair["first"], pair["second"], pair["n_left_out"]) == ("poor <b>&</b>", "good", 0)
    mean, *regions = found.frame.rows(named=True)
    assert (mean["region"], mean["verdict"]) == (None, "better")
    assert mean["p_value"] < 0.001
    assert 30 < mean["low"] < mean["difference"] < mean["high"] < 70
    assert "worse" not in {region["verdict"] for region in regions}
    assert found.standings.select("model", "place", "best", "worst").rows() == [
        ("good", 1, 1, 1),
        ("poor <b>&</b>", 2, 2, 2),
    ]


@pytest.mark.landing
def test_nothing_is_called_better_without_the_test(good: Path, tmp_path: Path):
    copy = shutil.copytree(good, tmp_path / "again")
    found = compare_runs([good, copy])
    assert found.pairs.select("first", "second").rows() == [("good (run)", "good (again)")]
    assert found.frame["verdict"].unique().to_list() == ["no difference shown"]
    assert found.frame["p_value"][0] == 1.0
    assert found.standings.select("place", "best", "worst").rows() == [(1, 1, 2), (1, 1, 2)]
    # Of folders that have the same name the one above says which is meant.
    twin = shutil.copytree(good, tmp_path / "old" / "run")
    assert [one.name for one in read_scored([good, copy, twin])] == [
        f"good ({good.parent.name}/run)",
        "good (again)",
        "good (old/run)",
    ]


@pytest.mark.landing
def test_unequal_signatures_are_refused_by_name(good: Path, make_run):
    short = make_run("short", 0.9, limit=2)
    assert wrong(lambda: compare_runs([good, short])) == (
        f"{short}: its scores cannot be compared with those of {good}, since they differ in\n"
        "  limit: absent there, 2 here\n"
        "run or score both the same way, or compare runs that were (docs/scores.md says what these parts are)"
    )


def test_recorded_answers_are_compared_with_asked_ones_and_that_is_said(good: Path):
    asked = ModelDescription(backend="server", id="m", chat=True, delimiter=" ")
    recorded = RecordedAnswers(id="m", file="answers.csv", sha256="0" * 64)
    runs = [of_model(good, "dtype:float16", recorded), of_model(good, "dec:max8", asked)]
    # Which of them is named first changes nothing.
    for named in (runs, runs[::-1]):
        [note] = check_comparable(named)
        assert note == (
            "the answers of good are another tool's, which do not say how they were asked for (good: chat "
            "unknown, dec max8); how they differ may come from that"
        )
    assert "limit" in wrong(lambda: check_comparable([runs[0], of_model(good, "limit:3", asked)]))
    assert "dec" in wrong(lambda: check_comparable([*runs, of_model(good, "dec:max9", asked)]))


def test_of_people_only_what_was_asked_counts(good: Path):
    people = of_model(good, "prompt:own", RecordedAnswers(id=PEOPLE, file="people.csv", sha256="0" * 64))
    turned = of_model(good, "rot:2", ModelDescription(backend="server", id="m", chat=True, delimiter=" "))
    other = of_model(good, "rot:3", turned.run.description.model)
    for model in (turned, other):
        check_comparable([people, model])
    assert "rot: 2 there, 3 here" in wrong(lambda: check_comparable([people, turned, other]))


def of_model(path: Path, part: str, model: ModelDescription | RecordedAnswers) -> ScoredRun:
    """A scored run of somebody else whose signature has one part more, or another one."""
    (scored,) = read_scored([path])
    signature = scored.scores.signature.replace("|sdk:", f"|{part}|sdk:")
    described = scored.run.description.model_copy(update={"model": model})
    run = dataclasses.replace(scored.run, description=described)
    return dataclasses.replace(
        scored, run=run, scores=scored.scores.model_copy(update={"signature": signature})
    )


AGAIN = "score the run again, with the options of before: `blend eval score {run}`"
SPOILT = {
    "not scored": (
        lambda run: (run / "scores.json").unlink(),
        "{run}: the run is not scored yet; score it first: blend eval score {run}",
    ),
    "other scores": (
        lambda run: (run / "scores.json").write_text("{}", encoding="utf-8"),
        "{run}/scores.json: not scores that this version of blend-sdk reads (task: Field required); " + AGAIN,
    ),
    "not JSON": (
        lambda run: (run / "scores.json").write_text('{"value": NaN}', encoding="utf-8"),
        "{run}/scores.json: NaN is not JSON; write a number, or null",
    ),
    "no decisions": (
        lambda run: (run / "decisions.parquet").write_bytes(b"half a file"),
        "{run}/decisions.parquet: has changed since it was written; " + AGAIN,
    ),
    "other decisions": (
        lambda run: pl.read_parquet(run / "decisions.parquet").head(9).write_parquet(run / "decisions.parquet"),
        "{run}/decisions.parquet: has changed since it was written; " + AGAIN,
    ),
}
"""What somebody does to a scored run, and what is said of it."""


@pytest.mark.parametrize(("spoil", "said"), SPOILT.values(), ids=SPOILT)
def test_a_run_that_cannot_be_compared(good: Path, tmp_path: Path, spoil: Callable[[Path], object], said: str):
    copy = shutil.copytree(good, tmp_path / "run")
    spoil(copy)
    assert wrong(lambda: compare_runs([good, copy])) == said.format(run=copy)


@pytest.mark.landing
def test_the_command_says_which_way_a_difference_goes(good: Path, poor: Path, tmp_path: Path):
    def printed(second: Path) -> str:
        return " ".join(run("eval", "compare", good, second, columns=200).split())

    assert "poor <b>&</b> less good worse -" in printed(poor)
    copy = Path(shutil.copytree(good, tmp_path / "again"))
    assert "good (again) less good (run) no difference shown" in printed(copy)
