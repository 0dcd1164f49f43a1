"""Replies judged on the command line: by people, out as a workbook, back as labels, and by a served model."""

import json
from pathlib import Path

import openpyxl
import pytest

import blend
from blend.eval.evaluation import score_run
from helpers.in_process import run
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
