"""Sheets for people: blind to model, gold and order; and what comes back from several annotators."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.asked_runs import read_run
from blend.eval.evaluation import read_scored
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.runs.answers import write_answers
from blend.eval.runs.recorded_answers import read_recorded
from blend.eval.runs.run_directory import opened
from blend.eval.scoring import score_answers, write_scores
from blend.eval.triples.people_scores import make_sheet, predictions, score_by_people, write_judged, write_sheet
from blend.schemas.errors import InputError

COLUMN = "correct_ingredients"
ANSWER = "salt, water, egg, =SUM"


@pytest.fixture(scope="module")
def run(food_release: Path, tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    """Free answers that all say the same, from a file."""
    folder = tmp_path_factory.mktemp("judged")
    asked = read_items(food_release, TASKS["free-listing"], config="food-aligned", languages=("en",))
    file = folder / "answers.parquet"
    asked.asked.items.select("item_id", response=pl.lit(ANSWER)).write_parquet(file)
    recorded = read_recorded(file, asked.asked, model="secret-model")
    with opened(folder / "run", asked, recorded.description, None) as opened_run:
        write_answers(opened_run.answers_folder / "main.jsonl", recorded.answers)
    made = read_run(folder / "run")
    write_scores(made, score_answers(made))
    return read_scored([folder / "run"])[0]


@pytest.fixture
def sheet(run: ScoredRun, tmp_path: Path) -> Path:
    path = tmp_path / "sheet.csv"
    write_sheet(make_sheet(run, sample=10), path)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def filled(sheet: Path, name: str, right: Callable[[int, Mapping[str, str]], str]) -> Path:
    """A copy of the sheet that somebody has filled in."""
    rows = rows_of(sheet)
    path = sheet.with_name(name)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([{**row, "correct_ingredients": right(n, row)} for n, row in enumerate(rows)])
    return path


@pytest.mark.slow
def test_a_sheet_names_neither_model_nor_gold(run: ScoredRun, sheet: Path):
    text = sheet.read_text(encoding="utf-8-sig")
    assert text.splitlines()[0] == "id,dish,image,ingredients,correct_ingredients,comment"
    assert "secret-model" not in text
    rows = rows_of(sheet)
    assert len(rows) == 10
    assert len({row["dish"] for row in rows}) == 10
    # The predictions are all there, in an order of their own for every dish.
    listed = [[part.strip().removeprefix("'") for part in row["ingredients"].split("|")] for row in rows]
    assert {tuple(sorted(texts)) for texts in listed} == {("=SUM", "egg", "salt", "water")}
    # A spreadsheet must not take it for a formula.
    assert "| =SUM" in text or ",'=SUM" in text
    assert len({tuple(texts) for texts in listed}) > 1
    assert {row["correct_ingredients"] for row in rows} == {""}


def figures(found: Any) -> dict[tuple[str, str, str], float | None]:
    return {(score.metric, score.scope, score.key): score.value for score in found.scores}


def test_people_of_one_mind(run: ScoredRun, sheet: Path):
    anna = filled(sheet, "anna.csv", lambda n, row: "salt | water")
    # The same by numbers, as they stand in each row.
    ben = filled(
        sheet,
        "ben.csv",
        lambda n, row: " ".join(
            str(i)
            for i, text in enumerate(row["ingredients"].split("|"), start=1)
            if text.strip() in ("salt", "water")
        ),
    )
    found = score_by_people(run, [anna, ben])
    assert found.annotators == ("anna", "ben")
    assert found.n_dishes == 10
    scores = figures(found)
    assert scores["agreement-alpha", "overall", "all"] == 1
    assert scores["agreement-pairs", "overall", "all"] == 100
    # Two of four predictions.
    assert scores["precision-people", "overall", "all"] == 50
    write_judged(run, found)
    assert (run.run.directory / "judged.json").read_text(encoding="utf-8") == found.to_json()


def test_automatic_measures_go_along_with_people_who_judge_by_the_release(run: ScoredRun, sheet: Path):
    known = {row["id"]: row for row in predictions(run).iter_rows(named=True)}
    right = filled(sheet, "anna.csv", lambda n, row: " | ".join(known[row["id"]]["found"]) or "none")
    scores = figures(score_by_people(run, [right]))
    varying = {row["id"]: known[row["id"]]["precision"] for row in rows_of(sheet)}
    if len(set(varying.values())) > 1:
        assert scores["correlation-precision", "overall", "all"] == pytest.approx(1)
        assert scores["rank-correlation-precision", "overall", "all"] == pytest.approx(1)
    # One person agrees with nobody.
    assert ("agreement-alpha", "overall", "all") not in scores


@pytest.mark.parametrize(
    ("right", "message"),
    [
        (
            "honey",
            (
                "anna.csv:2, column {COLUMN}: 'honey' is none of the predictions; write some of {listed}, "
                "their numbers, or 'none'"
            ),
        ),
        (
            "7",
            (
                "anna.csv:2, column {COLUMN}: '7' is none of the predictions; write some of {listed}, their "
                "numbers, or "
                "'none'"
            ),
        ),
        (
            "",
            (
                "anna.csv: nothing is judged; write into the column {COLUMN} what belongs to it, by its text "
                "or its number, or 'none'"
            ),
        ),
    ],
)
def test_a_cell_that_says_nothing_of_the_predictions(run: ScoredRun, sheet: Path, right: str, message: str):
    path = filled(sheet, "anna.csv", lambda n, row: right if n == 0 else "")
    listed = next(
        row["ingredients"]
        for row in predictions(run).iter_rows(named=True)
        if row["id"] == rows_of(sheet)[0]["id"]
    )
    with pytest.raises(InputError) as raised:
        score_by_people(run, [path])
    assert str(raised.value) == message.format(COLUMN=COLUMN, listed=" | ".join(listed))


def test_a_sheet_can_be_a_project_of_label_studio(run: ScoredRun, sheet: Path):
    from blend.builders.annotation.stages.judge import judges, read_sheet

    tasks = read_sheet(judges()["predictions"], sheet)
    asked = {row["id"]: row for row in predictions(run).iter_rows(named=True)}
    assert len(tasks) == 10
    for row in tasks:
        assert row["dish"] == asked[row["id"]]["dish"]
        assert row["ingredients"] == asked[row["id"]]["ingredients"]
