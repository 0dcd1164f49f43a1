"""The command itself, asking a real model on a server: killed, interrupted, out of space, twice at a time.

`test_killed` tries every moment of writing; here whole processes die, at moments that the server chooses.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.eval.asked_runs import read_run
from blend.eval.models.tiny_model import make_tiny_model
from helpers.models.http_server import Reply
from helpers.models.model_server import ModelServer, serving

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    folder = tmp_path_factory.mktemp("served") / "tiny"
    make_tiny_model(folder)
    with serving(folder) as server:
        yield server


@pytest.fixture
def server(served: ModelServer) -> ModelServer:
    served.reset()
    return served


@pytest.fixture(scope="module")
def command(sample_release: Path, served: ModelServer) -> Callable[..., "subprocess.Popen[str]"]:
    """Starts `blend eval run` on the questions about Korea."""

    def start(out: Path, *further: str, **options: Any) -> "subprocess.Popen[str]":
        arguments = ["--locales", "KR", "-T", "style=json", "--max-tokens", "2", "-M", "chat=no", *further]
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "blend", "eval", "run", sample_release, "--out", out, *arguments),
                *("--model", "tiny", "--server", served.url, "-M", "concurrency=1"),
            ],
            env=os.environ | {"OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    return start


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Exit status, and what was written to standard error."""
    _, complaint = process.communicate()
    return process.returncode, complaint


@pytest.fixture(scope="module")
def whole(command: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nothing happens to."""
    out = tmp_path_factory.mktemp("whole") / "run"
    status, complaint = ended(command(out))
    assert status == 0, complaint
    return out


def assert_same(run: Path, whole: Path) -> None:
    assert (run / "run.json").read_bytes() == (whole / "run.json").read_bytes()
    there, here = (read_run(folder).answers().sort("item_id") for folder in (whole, run))
    assert here.equals(there)


@pytest.mark.landing
def test_a_full_disk(command: Callable[..., Any], whole: Path, tmp_path: Path):
    out = tmp_path / "run"

    def no_room() -> None:
        # No file may grow beyond this: the description fits, and all answers do not.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    sizes = [path.stat().st_size for path in whole.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    limit = max(sizes) + 1
    status, complaint = ended(command(out, preexec_fn=no_room))
    assert status == 1
    assert complaint.splitlines()[-1] == (
        f"error: {out}: no space left on the disk; what was answered until now is kept; free some space and "
        "run the same again"
    )
    assert 0 < read_run(out).answers().height < read_run(whole).answers().height
    assert ended(command(out))[0] == 0
    assert_same(out, whole)


def test_a_server_that_says_hostile_things(command: Callable[..., Any], server: ModelServer, tmp_path: Path):
    evil = "\x1b[2J\u202egnp.exe <b>\x07" + "A" * 1_000_000

    def spoil(reply: dict[str, Any]) -> dict[str, Any]:
        number = len(server.requests)
        if number == 3:
            server.script = [Reply({"error": {"message": evil}}, 400)]
        return reply | {"choices": [reply["choices"][0] | {"text": evil}]}

    server.change = spoil
    process = command(tmp_path / "run", "--limit", "5")
    printed, complaint = process.communicate()
    assert process.returncode == 0, complaint
    assert not set("\x1b\u202e\x07") & set(printed + complaint)
    assert len(printed + complaint) < 5000
    answers = read_run(tmp_path / "run").answers()
    assert answers.filter(pl.col("error").is_null())["text"].unique().to_list() == [evil]
    assert answers["error"].count() == 1
    score = [sys.executable, "-m", "blend", "eval", "score", tmp_path / "run", "--allow-missing"]
    shown = subprocess.run(score, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert not set("\x1b\u202e\x07") & set(shown.stdout + shown.stderr)
