"""The page about dishes: best first, nothing cut off, free answers by language."""

import re
from pathlib import Path

import polars as pl
import pytest

from blend.eval.asked_runs import read_run
from blend.eval.evaluation import read_scored
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.report.report_page import build_report
from blend.eval.runs.answers import write_answers
from blend.eval.runs.recorded_answers import read_recorded
from blend.eval.runs.run_directory import opened
from blend.eval.scoring import score_answers, write_scores

# The published dishes, and a real browser.
pytestmark = [pytest.mark.integration, pytest.mark.nightly]

WEAK, STRONG = (
    "a-model-that-is-rather-weak-and-has-a-rather-long-name-7b",
    "org/a-strong-one-with-a-long-name-70b",
)
NAMES = {WEAK: 1, STRONG: 3}
"""Parts of each dish that a model names."""


@pytest.fixture(scope="module")
def runs(food_release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("dishes")
    asked = read_items(
        food_release, TASKS["free-listing"], config="food-aligned", languages=("en", "ko"), limit=60
    )
    accepted = asked.asked.gold["accepted"].to_list()
    for number, (model, n_named) in enumerate(NAMES.items()):
        texts = [", ".join([*(names[0] for names in parts[:n_named]), "stone"]) for parts in accepted]
        file = folder / f"{number}.parquet"
        asked.asked.items.select("item_id", response=pl.Series(texts)).write_parquet(file)
        recorded = read_recorded(file, asked.asked, model=model)
        with opened(folder / f"run-{number}", asked, recorded.description, None) as run:
            write_answers(run.answers_folder / "main.jsonl", recorded.answers)
        run = read_run(folder / f"run-{number}")
        write_scores(run, score_answers(run))
    return [folder / "run-0", folder / "run-1"]


@pytest.fixture(scope="module")
def page(runs: list[Path]) -> str:
    return build_report(read_scored(runs))


def test_the_best_by_the_leading_figure_comes_first(page: str):
    # The runs are named the other way round.
    assert re.findall(r'<td class="model"><bdi>([^<]+)', page) == [STRONG, WEAK]
    places = re.findall(r'<td class="place" data-label="place">(\d)', page)
    assert places == ["1", "2"]
