"""Sheets for people: blind to model, gold and order; and what comes back from several annotators."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.judging.reply_sheet import write_replies
from blend.eval.release_items import read_items
from blend.eval.report import ScoredRun
from blend.eval.tasks import TASKS
from blend.eval.triples.triple_results import make_sheet, score_by_people
from helpers.asking import recorded, score
from helpers.judged_runs import filled
from helpers.messages import wrong

ANSWER = "salt, water, egg, =SUM"


@pytest.fixture(scope="module")
def run(food_release: Path, tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    """Free answers that all say the same, from a file."""
    folder = tmp_path_factory.mktemp("judged")
    options = {"config": "food-aligned", "languages": ("en",)}
    items = read_items(food_release, TASKS["free-listing"], **options).asked.items
    answers = items.select("item_id", response=pl.lit(ANSWER))
    out = folder / "run"
    return score(recorded(food_release, "free-listing", answers, out, model="secret-model", **options))


@pytest.fixture
def sheet(run: ScoredRun, tmp_path: Path) -> Path:
    path = tmp_path / "sheet.csv"
    write_replies(make_sheet(run, sample=10), path)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    return pl.read_csv(path, infer_schema=False).to_dicts()


def test_a_sheet_names_neither_model_nor_gold(run: ScoredRun, sheet: Path):
    text = sheet.read_text(encoding="utf-8-sig")
    assert text.splitlines()[0] == "id,locale,region,question,reply,verdict,comment"
    assert "secret-model" not in text
    rows = rows_of(sheet)
    assert len({row["id"] for row in rows}) == len(rows) == 40
    assert all(row["question"].startswith("Which ingredients belong into the dish “") for row in rows)
    # The predictions of a dish stand together, in an order of their own; a formula is none to a spreadsheet.
    listed: dict[str, list[str]] = {}
    for row in rows:
        listed.setdefault(row["question"], []).append(row["reply"].removeprefix("'"))
    assert [row["question"] for row in rows[::4]] == list(listed)
    assert {tuple(sorted(texts)) for texts in listed.values()} == {("=SUM", "egg", "salt", "water")}
    assert len({tuple(texts) for texts in listed.values()}) > 1
    assert "'=SUM" in {row["reply"] for row in rows}
    assert make_sheet(run, sample=10, locale="en-GB")["locale"].unique().to_list() == ["en-GB"]
    assert wrong(lambda: make_sheet(run, sample=10, locale="ko-KR")).startswith(
        "unknown language of the run 'ko-KR'; choose one of: en"
    )


def figures(found: Any) -> dict[tuple[str, str, str], float | None]:
    return {(score.metric, score.scope, score.key): score.value for score in found.scores}


def test_people_of_one_mind(run: ScoredRun, sheet: Path):
    anna, ben = (
        filled(sheet, name, lambda row: "correct" if row["reply"] in ("salt", "water") else "wrong")
        for name in ("anna.csv", "ben.csv")
    )
    rows = ben.read_text(encoding="utf-8").splitlines(keepends=True)
    ben.write_text("".join([rows[0], *reversed(rows[1:])]), encoding="utf-8")
    found = score_by_people(run, [anna, ben])
    assert found.annotators == ("anna", "ben")
    assert found.n_dishes == 10
    scores = figures(found)
    assert scores["agreement-alpha", "overall", "all"] == 1
    assert scores["agreement-pairs", "overall", "all"] == 100
    # Two of four predictions.
    assert scores["precision-people", "overall", "all"] == 50
    assert (run.run.directory / "judged.json").read_text(encoding="utf-8") == found.to_json()
    # One person agrees with nobody.
    assert ("agreement-alpha", "overall", "all") not in figures(score_by_people(run, [anna]))


def test_nothing_judged_is_told(run: ScoredRun, sheet: Path):
    assert wrong(lambda: score_by_people(run, [sheet])) == (
        "sheet.csv: nothing is judged; write one of correct, partly, wrong, refused into the column verdict, "
        "or leave the sheet out"
    )
