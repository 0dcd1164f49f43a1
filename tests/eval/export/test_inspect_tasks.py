"""Our tasks in Inspect: a server's answers are decided there, item by item, as in runs of our own."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from nets.kept_runs import description, make_run

import blend
from blend.eval.inspect_logs import run_of_log
from blend.eval.models.protocols import Decoding
from blend.eval.models.text_generation import draw_seed
from blend.eval.registry import task_of
from blend.eval.runs.run_directory import Run, read_run
from helpers.models.kept_server import KeptServer

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


UNFINISHED = {"text": "<think>Hm", "thought": None, "finish_reason": "length"}
"""What is said where a net keeps no answer."""


class Played(NamedTuple):
    """Kept answers of a net, said by a server."""

    task: str
    options: dict[str, Any]
    """Options of asking."""
    kept: dict[tuple[str, int | None], tuple[str, str]]
    """What the server says, and why it ends, by prompt and seed."""

    @property
    def n_draws(self) -> int:
        """Times that every question is asked."""
        return int(self.options.get("samples", 1))


@pytest.fixture(scope="session")
def inspect(environment: Callable[..., Path]) -> Path:
    """The command of Inspect, in an environment of its own."""
    return environment("inspect", "inspect-ai==0.3.285").with_name("inspect")


@pytest.fixture
def play(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], Played]:
    """Reads the answers that a net keeps; what it has none for ends in the middle of a thought."""

    def play(name: str) -> Played:
        about = description(name)
        release = request.getfixturevalue(f"{about['release']}_release")
        make_run(name, release, tmp_path / "kept")
        run = read_run(tmp_path / "kept")
        answers = {row["item_id"]: row for row in run.answers().to_dicts() if row["error"] is None}
        kept = {}
        for item in run.items().to_dicts():
            sample = item.get("sample")
            seed = None if sample is None else draw_seed(item["prompt"], sample, Decoding(seed=5))
            answer = answers.get(item["item_id"]) or {
                "text": "<think>Hm",
                "thought": None,
                "finish_reason": None,
            }
            thought = f"<think>{answer['thought']}</think>" if answer["thought"] else ""
            kept[item["prompt"], seed] = (f"{thought}{answer['text']}", answer["finish_reason"] or "stop")
        return Played(about["task"], about["asked"], kept)

    return play


def in_inspect(inspect: Path, release: str, played: Played, url: str, folder: Path, **environment: str) -> Path:
    """The log of Inspect's run of what is played."""
    task = f"blend/{played.task.replace('-', '_')}"
    options = {"release": release, **played.options}
    drawn = ("--epochs", str(options.pop("samples", 1)), "--temperature", "1", "--seed", "5")
    command = [
        *(inspect, "eval", task, "--model", "openai-api/stub/tiny", "--display", "none"),
        *(part for name, value in options.items() for part in ("-T", f"{name}={json.dumps(value)}")),
        *(drawn if played.n_draws > 1 else ()),
        *("--log-dir", folder / "logs"),
    ]
    own = {"STUB_BASE_URL": url, "STUB_API_KEY": "none", "XDG_CACHE_HOME": str(folder / "cache")}
    own |= {"XDG_DATA_HOME": str(folder / "data")}
    run = subprocess.run(
        command, cwd=folder, env=os.environ | own | environment, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (log,) = (folder / "logs").glob("*.eval")
    return log


def header_of(inspect: Path, log: Path) -> dict[str, Any]:
    """What Inspect itself reads of a log."""
    command = [inspect, "log", "dump", log]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def compared(run: Run | Path) -> tuple[dict[str, Any], list[Any]]:
    """What is decided on every item, and all figures of a run."""
    scored = blend.score_run(run, on_warning=lambda _: None)
    value = "f1" if scored.task.name == "free-listing" else "correct"
    return dict(scored.decisions().select("item_id", value).rows()), scored.frame.rows()


@pytest.mark.parametrize(
    "name",
    ["mc-thoughts", "mc-repeats", "mc-confidence", "true-false-written", "short-answers", "free-listing"],
)
def test_inspect_decides_as_a_run_does(
    name: str, inspect: Path, play: Callable[[str], Played], request: pytest.FixtureRequest, tmp_path: Path
):
    played = play(name)
    release = request.getfixturevalue(f"{description(name)['release']}_release")
    drawn = {"temperature": 1.0, "seed": 5} if played.n_draws > 1 else {}
    options = {**task_of(played.task).of_texts, **played.options, **drawn}
    with KeptServer(played.kept).serving() as server:
        log = in_inspect(inspect, str(release), played, server.url, tmp_path)
        asked_there = server.asked()
        of_model = {"model": "tiny", "server": server.url, "chat": True}
        blend.run_task(release, played.task, **of_model, out=tmp_path / "run", **options)
        assert server.asked() == asked_there
    ours, figures = compared(tmp_path / "run")
    read, read_figures = compared(run_of_log(log, tmp_path / "read"))
    assert read == ours
    assert read_figures == figures
    dumped = header_of(inspect, log)
    theirs = {}
    for sample in dumped["samples"]:
        (score,) = sample["scores"].values()
        repeat = f"#{sample['epoch'] - 1}" if sample["epoch"] > 1 else ""
        theirs[f"{sample['id']}{repeat}"] = score["value"]
    assert theirs == {item_id: float(value) for item_id, value in ours.items()}
