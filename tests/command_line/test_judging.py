"""Replies judged on the command line: by people, out as a workbook, back as labels, and by a served model."""

import json
from pathlib import Path

import openpyxl
import pytest

import blend
from blend.eval.evaluation import score_run
from helpers.in_process import run
from helpers.judged_runs import answered_run, serving_judge
from helpers.models.own_models import Saying


@pytest.fixture
def answered(mini_release: Path, tmp_path: Path) -> Path:
    model = Saying(lambda prompts: [["kimchi", "rice"][len(one) % 2] for one in prompts])
    made = blend.run_task(mini_release, "short-answer", model, tmp_path / "run", limit=8)
    score_run(made)
    return tmp_path / "run"


@pytest.mark.landing
@pytest.mark.slow
def test_a_workbook_goes_out_and_comes_back(answered: Path, tmp_path: Path):
    sheet = tmp_path / "sheet.xlsx"
    said = run("eval", "judge-sheet", answered, "--sample", "6", "--locale", "ko-KR", "--out", sheet)
    assert said == (
        f"Wrote 6 rows to {sheet}. Fill in the column verdict with correct, partly, wrong or refused; leave it "
        f"empty where you do not know. Then:\n  blend eval judged {answered} {sheet} …\n"
    )
    book = openpyxl.load_workbook(sheet)
    (page,) = book.worksheets
    (choice,) = page.data_validations.dataValidation
    assert choice.formula1 == '"correct,partly,wrong,refused"'
    for row in range(2, 8):
        page.cell(row, 6, "correct" if row < 5 else "partly")
    book.save(tmp_path / "anna.xlsx")
    page.cell(7, 6, "wrong")
    book.save(tmp_path / "ben.xlsx")
    back = [tmp_path / "anna.xlsx", tmp_path / "ben.xlsx"]
    shown = run("eval", "judged", answered, *back, "--ties", tmp_path / "ties.xlsx")
    assert "2 annotators, 6 of 6 drawn replies judged, 0 by one person; 1 tie; " in " ".join(shown.split())
    assert "agreement-alpha" in shown
    assert openpyxl.load_workbook(tmp_path / "ties.xlsx").worksheets[0].max_row == 2
    found = json.loads(run("eval", "judged", answered, *back, "--json"))
    assert (found["n_judged"], found["n_ties"], found["annotators"]) == (6, 1, ["anna", "ben"])
    assert (answered / "labels.parquet").exists()


@pytest.mark.nightly
@pytest.mark.integration
def test_a_served_judge_from_its_plan_to_scores(mini_release: Path, tmp_path: Path):
    judged = answered_run(mini_release, tmp_path, limit=2).directory
    with serving_judge().serving() as server:
        ask = ("eval", "judge", judged, "--model", "tiny", "--server", server.url, "--max-tokens", "64")
        planned = run(*ask, "--price", "1,2", "--plan")
        assert planned.startswith("To ask: ")
        assert "cost about" in planned
        assert not (judged / "judges" / "tiny").exists()
        asked = run(*ask, "--price", "1,2", columns=300)
    assert "In all: " in asked
    assert ", cost " in asked
    assert f"  blend eval score {judged} --rule judge:tiny\n" in asked
    scored = run("eval", "score", judged, "--rule", "judge:tiny", columns=300)
    assert "judge-asked" in scored
    assert "|judge:tiny#" in scored
