"""The ladder: who stands on it, and with which figures."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from blend.eval.evaluation import read_scored, run_task, score_run
from blend.eval.models.chosen import Recorded
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.report.model_comparison import check_comparable
from blend.eval.report.report_page import ladder_section
from blend.schemas.errors import InputError
from helpers.asking import run_each_rung

pytestmark = pytest.mark.nightly  # models are asked on every rung


class Says:
    """A model that says one letter wherever there are letters, and else one word."""

    def __init__(self, letter: str, word: str) -> None:
        self.letter, self.word = letter, word

    def generate(self, prompts: Sequence[str]) -> list[str]:
        return [self.letter if "\nA. " in prompt else self.word for prompt in prompts]


class Other(Says):
    """Another model of the kind."""


@pytest.fixture(scope="module")
def runs(rungs_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directories of runs: two models on all rungs, and people on two of them who know every second answer."""
    folder = tmp_path_factory.mktemp("ladder")
    for name, model in (("says", Says("A", "yes")), ("other", Other("B", "no"))):
        for run in run_each_rung(rungs_release, model, folder / name, limit=6).values():
            score_run(run)
    for rung in ("multiple-choice",):
        gold = read_items(rungs_release, TASKS[rung], style="json").asked.gold[::2]
        letters = pl.col("answer").replace_strict(range(4), list("ABCD"), return_dtype=pl.String)
        gold.select("item_id", response=letters).write_parquet(folder / f"{rung}.parquet")
        with pytest.warns(UserWarning, match="items without an answer"):
            run = run_task(
                rungs_release,
                rung,
                Recorded(path=folder / f"{rung}.parquet", name="people"),
                folder / "people" / rung,
            )
        score_run(run, allow_missing=True)
    return folder


@pytest.fixture
def scored(runs: Path) -> Callable[..., list]:
    """Scored runs below some of the directories."""

    def read(*names: str) -> list:
        return list(
            read_scored([path.parent for name in names for path in sorted((runs / name).glob("*/run.json"))])
        )

    return read


def test_every_model_has_its_headlines(scored: Callable[..., list]):
    given = scored("people", "says", "other")
    overall = ladder_section(given)
    assert overall is not None
    rungs = ("Multiple choice", "True or false", "Short answers")
    assert overall.table.frame.columns == ["model", *rungs]
    by_model = {row[0]: row[1:] for row in overall.table.cells()}
    assert by_model["people"][0].startswith("100.0")
    assert by_model["people"][1:] == ["–", "–"]
    says = {run.scores.task: run for run in given if run.name == "Says"}
    for cell, task in zip(by_model["Says"], ("multiple-choice", "true-false", "short-answer"), strict=True):
        run = says[task]
        headline = run.overall(run.task.headline or "accuracy-macro")
        assert headline is not None
        assert cell.startswith(f"{headline.value:.1f}\u00a0[{headline.low:.1f}")
    assert "people" in overall.table.caption


def test_one_rung_is_no_ladder_and_nor_are_two_releases(scored: Callable[..., list]):
    multiple, *others = scored("says")
    assert ladder_section([multiple]) is None
    assert ladder_section([multiple, others[0]]) is not None
    elsewhere = multiple.scores.model_copy(update={"release": "other@1.0.0"})
    object.__setattr__(multiple, "scores", elsewhere)
    assert ladder_section([multiple, *others]) is None


def test_people_are_compared_whatever_way_a_model_was_asked(runs: Path, rungs_release: Path, tmp_path: Path):
    lettered = run_task(
        rungs_release, "multiple-choice", Says("A", "yes"), tmp_path / "turned", rotations=2, limit=6
    )
    score_run(lettered)
    people, model, turned = read_scored(
        [runs / "people" / "multiple-choice", runs / "says" / "multiple-choice", lettered.directory]
    )
    check_comparable([people, model])
    check_comparable([people, turned])
    with pytest.raises(InputError, match=r"rotations \(rot\): 1 there, 2 here"):
        check_comparable([people, model, turned])
    true_false = read_scored([runs / "says" / "true-false"])[0]
    with pytest.raises(InputError, match="what is measured: blend-tf there, blend-mcq here"):
        check_comparable([people, true_false])
