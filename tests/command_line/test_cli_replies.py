"""``blend eval judge-sheet`` and ``judged`` on replies: out as a workbook, back as labels."""

import json
from pathlib import Path

import openpyxl
import pytest
from click.testing import Result
from typer.testing import CliRunner

import blend
from blend.cli import app
from blend.eval.evaluation import score_run
from blend.exit_codes import UsageError
from helpers.models.own_models import Saying

RUNNER = CliRunner()


def evaluate(*arguments: str | Path) -> Result:
    result = RUNNER.invoke(app, ["eval", *map(str, arguments)], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> Path:
    model = Saying(lambda prompts: [["kimchi", "rice"][len(one) % 2] for one in prompts])
    made = blend.run_task(mini_release, "short-answer", model, tmp_path / "run", limit=8)
    score_run(made)
    return tmp_path / "run"


@pytest.mark.landing
@pytest.mark.slow
def test_a_workbook_goes_out_and_comes_back(run: Path, tmp_path: Path):
    sheet = tmp_path / "sheet.xlsx"
    said = evaluate("judge-sheet", run, "--sample", "6", "--locale", "ko-KR", "--out", sheet).stdout
    assert said == (
        f"Wrote 6 rows to {sheet}. Fill in the column verdict with correct, partly, wrong or refused; leave it "
        f"empty where you do not know. Then:\n  blend eval judged {run} {sheet} …\n"
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
    shown = evaluate("judged", run, *back, "--ties", tmp_path / "ties.xlsx").stdout
    assert "2 annotators, 6 of 6 drawn replies judged, 0 by one person; 1 tie; " in " ".join(shown.split())
    assert "agreement-alpha" in shown
    assert openpyxl.load_workbook(tmp_path / "ties.xlsx").worksheets[0].max_row == 2
    found = json.loads(evaluate("judged", run, *back, "--json").stdout)
    assert (found["n_judged"], found["n_ties"], found["annotators"]) == (6, 1, ["anna", "ben"])
    assert (run / "labels.parquet").exists()


@pytest.mark.landing
@pytest.mark.slow
def test_options_that_do_not_fit(run: Path):
    with pytest.raises(UsageError) as raised:
        evaluate("judge-sheet", run, "--language", "ko")
    assert str(raised.value) == "--language is for dishes; replies are of a --locale"
