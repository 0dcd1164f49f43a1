"""``blend eval run``: its options reach the model that is asked, and those that do not fit are refused."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.release_items import read_run
from blend.schemas.errors import BlendError, ServerError
from helpers.in_process import run
from helpers.models.http_server import Reply
from helpers.models.model_servers import ModelServer, saying
from helpers.tiers import rest_nightly

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    make_tiny_model(folder)
    return folder


@pytest.mark.landing
@pytest.mark.slow
def test_a_folder_that_holds_something_gets_no_model(tmp_path: Path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(
        BlendError,
        match=r"holds 'notes\.txt' and is not empty, so nothing is written there; choose another DIR or empty",
    ):
        run("eval", "tiny-model", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def ask(release: Path, model: Path | str, out: Path, *options: str) -> None:
    """One question of each region."""
    command = ["eval", "run", str(release), "--model", str(model), "--out", str(out), "--limit", "1", *options]
    result = RUNNER.invoke(app, command)
    if result.exception is not None:
        raise result.exception


@pytest.mark.slow
@pytest.mark.nightly
def test_where_and_how_a_local_model_computes(sample_release: Path, model: Path, tmp_path: Path):
    ask(sample_release, model, tmp_path / "plain", "-M", "device=cpu")
    ask(sample_release, model, tmp_path / "exact", "-M", "dtype=float32", "-M", "batch_size=1")
    ask(sample_release, model, tmp_path / "coarse", "-M", "dtype=bfloat16")
    plain, exact, coarse = (read_run(tmp_path / name) for name in ("plain", "exact", "coarse"))
    described = [(run.description.model.device, run.description.model.dtype) for run in (plain, exact, coarse)]
    assert described == [("cpu", "float32"), ("cpu", "float32"), ("cpu", "bfloat16")]
    # The batch changes nothing beyond the noise of the numbers, the number type does.
    scores = [np.array(run.answers()["logprobs"].to_list()) for run in (plain, exact, coarse)]
    np.testing.assert_allclose(scores[0], scores[1], rtol=0, atol=1e-4)
    assert np.abs(scores[0] - scores[2]).max() > 1e-4


ONLY_WRITTEN = (
    "makes sense only where answers are written, and here the likeliest option or candidate is the answer; "
    "leave it out"
)
RECORDED = "makes sense only where a model is asked, and recorded answers ask nobody; leave it out"
OF_A_SERVER = "a model on a server has no such option; it has concurrency, extra_body, chat"
OF_A_MODEL_HERE = "a model on this machine has no such option"
HAS = "it has device, dtype, batch_size, chat"
ADDRESS = "write it in full, for example 'http://localhost:8000/v1'"
SERVER = "--server http://localhost:1/v1"
REFUSED = {
    # Options of the task.
    "-T style=jsn": "-T style: input should be 'letters', 'texts' or 'json', not 'jsn'",
    "-T style": "-T style: expected a name and a value, such as style=texts",
    "-T style=json -T style=texts": (
        "-T style=texts: style is given twice; write several values with commas between them"
    ),
    "-T rotations=0": "-T rotations: input should be greater than or equal to 1, not '0'",
    "-T shots-seed=2": "-T shots_seed=2 makes sense only with -T shots; leave it out",
    "-T price=1,1": (
        "-T price=1,1: the task multiple-choice has no such option; it has --locales, --limit, -T samples, "
        "-T shots, -T shots_seed, -T style, -T rotations, -T confidence"
    ),
    # Of the model.
    "-M concurrency=2": f"-M concurrency=2: {OF_A_MODEL_HERE}; {HAS}",
    "-M dytpe=float32": f"-M dytpe=float32: {OF_A_MODEL_HERE}; did you mean 'dtype'? {HAS}",
    f"{SERVER} -M device=cpu": f"-M device=cpu: {OF_A_SERVER}",
    f"{SERVER} -M extra_body=top_k": (
        "-M extra_body=top_k: expected an object of JSON such as '{\"top_k\": 20}'"
    ),
    "--server localhost:8000": f"--server 'localhost:8000' is not the address of a server; {ADDRESS}",
    "-M device": "-M device: expected a name and a value, such as dtype=float32",
    "-M device=cpu -M device=cuda": "-M device=cuda: device is given twice",
    "-M batch_size=some": (
        "-M batch_size: 'some' is not possible (Input should be a valid integer, unable to parse string as an "
        "integer)"
    ),
    "-M device=abacus": "device 'abacus': torch finds no such device; choose one of: cpu, auto",
    **{one: f"{one} {ONLY_WRITTEN}" for one in ("--max-tokens 8", "--temperature 0.5", "--seed 1")},
    # Of asking, where nobody is asked, and of costs.
    **{
        f"--answers ANSWERS {one}": f"{one} {RECORDED}"
        for one in (SERVER, "-M concurrency=2", "--temperature 0.5", "--seed 0", "--thinking on", "--price 1,2")
    },
    **{
        f"--answers ANSWERS -T style={one}": (
            f"-T style={one}: answers.csv holds what a model wrote, and not how likely options are to it; leave "
            "it out"
        )
        for one in ("letters", "texts")
    },
    "--budget 1": "--budget needs a --price, by which it is known what is spent",
    "--price 1": "--price 1: expected two numbers from 0 on such as 0.15,0.60, of a million tokens in and out",
}


@pytest.mark.slow
@pytest.mark.parametrize("options", rest_nightly(REFUSED, *list(REFUSED)[::3]))
def test_options_that_do_not_fit_are_refused(sample_release: Path, model: Path, tmp_path: Path, options: str):
    (tmp_path / "answers.csv").write_text("MCQID,response\n")
    given = options.replace("ANSWERS", str(tmp_path / "answers.csv")).split(" ")
    with pytest.raises(BlendError) as caught:
        ask(sample_release, model, tmp_path / "run", *given)
    # Machines with GPUs have more devices.
    assert str(caught.value).removesuffix(", cuda:0") == REFUSED[options]
    assert not (tmp_path / "run").exists()


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
