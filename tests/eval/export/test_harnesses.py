"""Exports in the harnesses themselves: each, run for real, agrees with us question by question."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
import yaml

from blend.eval import export
from blend.eval.asked_runs import read_run
from blend.eval.evaluation import run_task, score_run
from blend.eval.models.local_model import open_local
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs import opened
from blend.eval.runs.ask_model import ask_model
from blend.eval.scoring import ScoredAnswers, score_answers
from helpers.hub.hub_server import Hub

export_tasks = partial(export.export_tasks, task=TASKS["multiple-choice"])

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


# lm-eval


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
    made = export_tasks(release, "lm-eval", tmp_path / "tasks", style=style, limit=limit)
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
    if style == "letters":
        samples = tmp_path / "samples.jsonl"
        samples.write_bytes(
            b"".join(file.read_bytes() for file in (tmp_path / "out").glob("*/samples_*.jsonl"))
        )
        read = score_run(run_task(release, "multiple-choice", answers=samples, out=tmp_path / "read"))
        assert figure(read, "accuracy-macro") == pytest.approx(figures[made.task], abs=1e-12)


def lm_eval_verdicts(folder: Path) -> Iterator[tuple[str, Verdict]]:
    """Question by question, from the samples that lm-eval logs."""
    for file in folder.glob("*/samples_*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            sample = json.loads(line)
            logprobs = [float(reply[0]) for reply in sample["filtered_resps"]]
            verdict = Verdict(logprobs.index(max(logprobs)), sample["acc"] == 1.0)
            yield sample["doc"]["item_id"], verdict


# lighteval


def test_lighteval_chooses_what_we_choose(
    environment: Callable[..., Path], release: Path, tiny_model: Path, ours: Any, tmp_path: Path
):
    python = environment("lighteval", "lighteval==0.13.0")
    made = export_tasks(release, "lighteval", tmp_path / "tasks", limit=LIMIT)
    (file,) = (tmp_path / "tasks").glob("*.py")
    script = Path(__file__).with_name("in_lighteval.py")
    printed = run_harness(
        [python, script, file, tiny_model],
        tmp_path,
        HF_HOME=str(tmp_path / "hf"),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
        HF_HUB_OFFLINE="1",
    )
    answers = json.loads(printed.splitlines()[-1])
    assert list(answers) == [f"{made.task}:{region}" for region in made.regions]
    theirs = {
        answer["item_id"]: Verdict(answer["chosen"], answer["score"] == 1)
        for region in answers.values()
        for answer in region
    }
    agree(theirs, ours("letters", LIMIT))


# Inspect


@pytest.fixture(scope="session")
def inspect(environment: Callable[..., Path]) -> Path:
    """The Python of an environment with Inspect."""
    return environment("inspect", "inspect-ai==0.3.285")


def inspect_logs(
    python: Path, task: str, folder: Path, *options: str, **environment: str
) -> list[dict[str, Any]]:
    """Run Inspect on a task, or on all of a release, and read the logs."""
    run_harness(
        [
            *(python, "-m", "inspect_ai", "eval", task, *options, "--display", "none"),
            *("--log-dir", folder / "logs", "--log-format", "json"),
        ],
        folder,
        PYTHONPATH=str(Path(__file__).with_name("inspect_models")),
        XDG_CACHE_HOME=str(folder / "cache"),
        XDG_DATA_HOME=str(folder / "data"),
        **environment,
    )
    logs = [json.loads(file.read_text(encoding="utf-8")) for file in (folder / "logs").glob("*.json")]
    assert all(log["status"] == "success" for log in logs)
    return logs


def inspect_verdicts(log: dict[str, Any], item_id: Callable[[dict[str, Any]], str]) -> dict[str, Verdict]:
    """Question by question, from Inspect's log."""
    verdicts = {}
    for sample in log["samples"]:
        (score,) = sample["scores"].values()
        verdicts[item_id(sample)] = Verdict("ABCD".index(score["answer"]), score["value"] == "C")
    return verdicts


def test_inspect_chooses_what_we_choose(
    inspect: Path, release: Path, tiny_model: Path, ours: Any, tmp_path: Path
):
    # Inspect sends its prompts to the tiny model on a server, which may only write an option letter.
    from helpers.models.model_server import serving

    made = export_tasks(release, "inspect", tmp_path / "tasks", limit=LIMIT)
    with serving(tiny_model) as server:
        options = ("--model", "blend-letters/tiny", "--model-base-url", server.url, "--max-connections", "1")
        (log,) = inspect_logs(inspect, f"tasks/{made.task}.py", tmp_path, *options)
    scored = ours("letters", LIMIT)
    assert len(log["samples"]) == made.n_questions
    agree(inspect_verdicts(log, lambda sample: sample["id"]), scored)
    (result,) = log["results"]["scores"]
    metrics = {name: metric["value"] for name, metric in result["metrics"].items()}
    # Inspect's standard error is clustered by template, as our interval is.
    assert metrics.pop("stderr") > 0
    figures = {region: figure(scored, "accuracy", "region", region) for region in made.regions}
    assert metrics == pytest.approx({"accuracy": figure(scored, "accuracy"), **figures}, abs=1e-12)


@pytest.fixture
def published(release: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The release, which a Hub has as well: ``org/blend``."""
    from blend.builders.publish import publish_release
    from helpers.hub.hub_store import ALICE

    monkeypatch.setenv("HF_TOKEN", ALICE.token)
    publish_release(release, "org/blend", endpoint=hub.url)
    return release


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_runs_a_release_from_the_hub(
    inspect: Path, published: Path, hub: Hub, ours: Any, tmp_path: Path
):
    # The release brings the task along (eval.yaml). It asks for a written letter in words of Inspect, so what
    # is compared is the way from the answer to the score: the letters that the tiny model chose with us.
    scored = ours("letters")
    asked = read_items(published, TASKS["multiple-choice"]).asked
    choices = scored.decisions.join(asked.gold.select("item_id", "option_texts"), on="item_id")
    questions = asked.items.select("item_id", question=pl.col("prompt").str.split("\nA. ").list.first())
    answers = {
        _as_inspect_shows(question, options): f"ANSWER: {'ABCD'[chosen]}"
        for question, options, chosen in choices.join(questions, on="item_id")
        .select("question", "option_texts", "chosen")
        .rows()
    }
    assert len(answers) == len(choices)
    (tmp_path / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
    options = ("--model", "blend-recorded/tiny", "-M", f"answers={tmp_path / 'answers.json'}")
    (log,) = inspect_logs(
        inspect, "hf/org/blend/multiple-choice", tmp_path, *options, **hub.environment(tmp_path / "home")
    )
    agree(inspect_verdicts(log, lambda sample: sample["metadata"]["MCQID"]), scored)
    (result,) = log["results"]["scores"]
    assert result["metrics"]["accuracy"]["value"] == pytest.approx(figure(scored, "accuracy"), abs=1e-12)


def _as_inspect_shows(question: str, options: list[str]) -> str:
    lines = (f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
    return "\n".join([question, "", *lines])


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_inspect_runs_the_short_answers_of_a_release_from_the_hub(
    inspect: Path, published: Path, hub: Hub, tmp_path: Path
):
    # A word that natives of several regions gave; what is compared is what the grading model is shown.
    word = "인사"
    rows = {
        file.name.split("-")[0]: pl.read_parquet(file)
        for file in (published / "data" / "annotations").glob("*.parquet")
    }
    given = pl.element().struct.field("answers").list.contains(word).any()
    right = {region: table["annotations"].list.eval(given).list.first() for region, table in rows.items()}
    everywhere = sum(table.height for table in rows.values())
    expected = {"short-answer": sum(found.sum() for found in right.values()) / everywhere}
    expected |= {f"short-answer-{region}": found.mean() for region, found in right.items()}
    tasks = yaml.safe_load((published / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert {task["id"] for task in tasks} == {"multiple-choice", *expected}
    assert expected["short-answer-KR"] > 0
    options, environment = ("--model", f"blend-by-heart/{word}"), hub.environment(tmp_path / "home")
    logs = inspect_logs(inspect, "hf/org/blend", tmp_path, *options, **environment)
    accuracies = {
        log["eval"]["task"].rpartition("/")[2]: result["metrics"]["accuracy"]["value"]
        for log in logs
        for result in log["results"]["scores"]
    }
    assert accuracies == pytest.approx({**expected, "multiple-choice": 0.0}, abs=1e-12)
