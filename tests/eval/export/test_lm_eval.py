"""Exports in lm-eval itself: it agrees with us question by question."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from blend.eval.evaluation import run_task, score_run
from blend.eval.models.chosen import Recorded
from blend.eval.models.local_model import open_local
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import opened
from blend.eval.scoring import ScoredAnswers, score_answers
from helpers.lm_eval_tasks import exported

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

LIMIT = 12
"""Templates per region, where a server answers one question at a time."""


class Verdict(NamedTuple):
    """What a harness made of a question."""

    chosen: int
    """Index of the option that was chosen."""
    right: bool


@pytest.fixture(scope="module")
def ours(
    release: Path, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., ScoredAnswers]:
    """Asks the tiny model ourselves."""

    def ours(style: str, limit: int | None = None, rule: str = "default") -> ScoredAnswers:
        out = tmp_path_factory.mktemp("ours") / "run"
        asked = read_items(release, TASKS["multiple-choice"], style=style, limit=limit)
        model = open_local(str(tiny_model), device="cpu", dtype="float32")
        with opened(out, asked, model.describe(), None) as run:
            ask_model(run, model)
        return score_answers(read_run(out), rule=rule)

    return ours


def figure(scored: ScoredAnswers, metric: str, scope: str = "overall", key: str = "all") -> float:
    """A figure of ours as a fraction."""
    (found,) = [
        score
        for score in scored.scores.scores
        if (score.metric, score.scope, score.key) == (metric, scope, key)
    ]
    return found.value / 100


def agree(theirs: dict[str, Verdict], scored: ScoredAnswers) -> None:
    """The same option was chosen for every question, and counted alike."""
    decisions = scored.decisions.select("item_id", "chosen", "correct").rows()
    assert theirs == {item: Verdict(chosen, right) for item, chosen, right in decisions}


def run_harness(command: list[str | Path], folder: Path, **environment: str) -> str:
    run = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=1800
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize(("style", "rule", "limit"), [("letters", "default", None), ("texts", "sum", LIMIT)])
def test_lm_eval_chooses_what_we_choose(
    style: str,
    rule: str,
    limit: int | None,
    release: Path,
    tiny_model: Path,
    ours: Any,
    missing: Callable[[str], None],
    tmp_path: Path,
):
    if find_spec("lm_eval") is None:
        missing("lm-eval")
    made = exported(release, tmp_path / "tasks", style=style, limit=limit)
    model = ("--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32", "--device", "cpu")
    run_harness(
        [
            *(sys.executable, "-m", "lm_eval", "--include_path", ".", "--tasks", made.task, *model),
            *("--batch_size", "16", "--log_samples", "--output_path", tmp_path / "out"),
        ],
        tmp_path / "tasks",
        HF_HOME=str(tmp_path / "hf"),
        HF_HUB_OFFLINE="1",
    )
    scored = ours(style, limit, rule)
    agree(dict(lm_eval_verdicts(tmp_path / "out")), scored)
    (file,) = (tmp_path / "out").glob("*/results_*.json")
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    figures = {made.task: figure(scored, "accuracy-macro")}
    figures |= {
        f"{made.task}_{region}": figure(scored, "accuracy", "region", region) for region in made.regions
    }
    assert {task: result["acc,none"] for task, result in results.items()} == pytest.approx(figures, abs=1e-12)
    # Read back, the samples of all regions in one file give the same figures.
    samples = tmp_path / "samples.jsonl"
    samples.write_bytes(b"".join(file.read_bytes() for file in (tmp_path / "out").glob("*/samples_*.jsonl")))
    answers = Recorded(path=samples)
    read = score_run(run_task(release, "multiple-choice", answers, tmp_path / "read", limit=limit))
    assert f"|style:{style}|" in read.signature
    if style == "letters":
        assert figure(read, "accuracy-macro") == pytest.approx(figures[made.task], abs=1e-12)


def lm_eval_verdicts(folder: Path) -> Iterator[tuple[str, Verdict]]:
    """Question by question, from the samples that lm-eval logs."""
    for file in folder.glob("*/samples_*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            sample = json.loads(line)
            logprobs = [float(reply[0]) for reply in sample["filtered_resps"]]
            verdict = Verdict(logprobs.index(max(logprobs)), sample["acc"] == 1.0)
            yield sample["doc"]["item_id"], verdict
