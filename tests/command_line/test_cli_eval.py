"""``blend eval``: what is said of budgets and servers, and replies that people judge."""

import json
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

import blend
from blend.cli import app
from blend.eval.evaluation import score_run
from blend.eval.release_items import read_run
from blend.schemas.errors import ServerError
from helpers.in_process import both, run
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer, saying
from helpers.models.own_models import Saying


def test_a_budget_of_one_shard_is_told_at_the_start(mini_release: Path, tmp_path: Path):
    model = ["-T", "style=json", "--model", "m1", "--server", "http://127.0.0.1:1/v1", "--max-tokens", "5"]
    costs = ["--price", "1,1", "--budget", "0.3", "--shard", "1/2"]
    command = ["eval", "run", str(mini_release), *model, *costs, "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, ServerError)
    said = "note: --budget 0.3 holds for this process alone, not for all shards together"
    assert result.stderr.splitlines()[0] == said


@pytest.mark.integration
def test_what_a_server_says_cannot_steer_a_terminal(
    mini_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    hostile = "\x1b[2J\u202egnp.exe <b>\x07" + "A" * 1_000_000
    command = ["eval", "run", mini_release, "--model", "m", "-T", "style=json", "--max-tokens", "5"]
    with ModelServer().serving() as server:
        # The second reply fails; the first says what the server calls the model.
        server.script = [saying("Hi"), Reply({"error": {"message": hostile}}, 400), *[saying(hostile)] * 9]
        options = ["--server", server.url, "-M", "concurrency=1", "--limit", "1"]
        printed, told = both(*command, *options, "--out", tmp_path / "run")
    assert "1 failed (first: HTTP 400" in told
    assert not set("\x1b\u202e\x07") & set(printed + told)
    assert len(printed + told) < 5000
    answers = read_run(tmp_path / "run").answers()
    assert {*answers["text"]} == {hostile, None}


@pytest.fixture
def answered(mini_release: Path, tmp_path: Path) -> Path:
    model = Saying(lambda prompts: [["kimchi", "rice"][len(one) % 2] for one in prompts])
    made = blend.run_task(mini_release, "short-answer", model, tmp_path / "run", limit=8)
    score_run(made)
    return tmp_path / "run"


@pytest.mark.landing
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
