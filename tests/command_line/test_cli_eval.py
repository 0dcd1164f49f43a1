"""``blend eval run``: its options reach the model that is asked, and those that do not fit are refused."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.release_items import read_run
from blend.schemas.errors import ServerError
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer, saying

RUNNER = CliRunner()


@pytest.mark.slow
def test_a_budget_of_one_shard_is_told_at_the_start(mini_release: Path, tmp_path: Path):
    model = ["-T", "style=json", "--model", "m1", "--server", "http://127.0.0.1:1/v1", "--max-tokens", "5"]
    costs = ["--price", "1,1", "--budget", "0.3", "--shard", "1/2"]
    result = RUNNER.invoke(
        app, ["eval", "run", str(mini_release), *model, *costs, "--out", str(tmp_path / "run")]
    )
    assert isinstance(result.exception, ServerError)
    said = "note: --budget 0.3 holds for this process alone, not for all shards together"
    assert result.stderr.splitlines()[0] == said


@pytest.mark.integration
def test_what_a_server_says_cannot_steer_a_terminal(
    mini_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    hostile = "\x1b[2J\u202egnp.exe <b>\x07" + "A" * 1_000_000
    command = ["eval", "run", str(mini_release), "--model", "m", "-T", "style=json", "--max-tokens", "5"]
    with ModelServer().serving() as server:
        # The second reply fails; the first says what the server calls the model.
        server.script = [saying("Hi"), Reply({"error": {"message": hostile}}, 400), *[saying(hostile)] * 9]
        options = ["--server", server.url, "-M", "concurrency=1", "--limit", "1"]
        result = RUNNER.invoke(app, [*command, *options, "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert "1 failed (first: HTTP 400" in result.stderr
    assert not set("\x1b\u202e\x07") & set(result.output)
    assert len(result.output) < 5000
    answers = read_run(tmp_path / "run").answers()
    assert {*answers["text"]} == {hostile, None}
