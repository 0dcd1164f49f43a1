"""Exports to lm-eval: text by text what we ask ourselves; in lm-eval itself, what we decide ourselves."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from blend.builders.export import _Exported, export_lm_eval
from blend.eval.evaluation import run_task, score_run
from blend.eval.models.chosen import Local, Recorded
from blend.eval.models.local_model import open_local
from blend.eval.models.model_loading import make_tiny_model
from blend.eval.release_items import read_items, read_run
from blend.eval.runs.ask_model import ask_model
from blend.eval.runs.run_directory import open_run
from blend.eval.scoring import ScoredAnswers, score_answers
from blend.eval.tasks import TASKS
from helpers.in_process import run as command

COLUMNS = ["item_id", "prompt", "options", "answer"]


def with_answers(release: Path, **options: Any) -> pl.DataFrame:
    """Items as we ask them, with the option that is correct."""
    asked = read_items(release, TASKS["multiple-choice"], **options).asked
    return asked.items.join(asked.gold.select("item_id", "answer"), on="item_id", maintain_order="left")


def exported(release: Path, out: Path, *, style: str, limit: int | None = None) -> _Exported:
    """Tasks of lm-eval, as the command writes them."""
    about = read_items(release, TASKS["multiple-choice"]).release
    items = with_answers(release, style=style, limit=limit)
    return export_lm_eval(items, out, name=about.name, version=about.version, style=style)


@pytest.mark.parametrize("style", ["letters", "texts"])
def test_lm_eval_is_given_our_prompts_and_options(mini_release: Path, tmp_path: Path, style: str):
    made = exported(mini_release, tmp_path, style=style)
    group = yaml.safe_load((tmp_path / f"{made.task}.yaml").read_text(encoding="utf-8"))
    assert group["group"] == made.task == f"blend_sample_mcq_{style}"
    rows = []
    for name in group["task"]:
        task = yaml.safe_load((tmp_path / f"{name}.yaml").read_text(encoding="utf-8"))
        assert task["task"] == name
        rows.append(pl.read_parquet(tmp_path / task["dataset_kwargs"]["data_files"]["test"]))
    written, asked = pl.concat(rows), with_answers(mini_release, style=style)
    assert written.select(COLUMNS).sort("item_id").equals(asked.select(COLUMNS).sort("item_id"))
    assert made.n_questions == len(asked)


def test_the_benchmark_file_of_a_release_names_columns_that_it_has(mini_release: Path):
    fields = yaml.safe_load((mini_release / "eval.yaml").read_text(encoding="utf-8"))
    assert fields["evaluation_framework"] == "inspect-ai"
    for task in fields["tasks"]:
        spec, folder = task["field_spec"], mini_release / "data" / task["config"]
        named = {spec["input"], spec["target"], spec.get("choices", spec["input"]), *spec["metadata"]}
        for split in task["split"].split("+"):
            assert named <= set(pl.read_parquet_schema(next(folder.glob(f"{split}-*.parquet"))))


def test_the_command_says_how_to_run_what_it_wrote(mini_release: Path, tmp_path: Path):
    out = tmp_path / "tasks"
    n_questions = with_answers(mini_release).height
    assert command("eval", "export", mini_release, "--to", "lm-eval", "--out", out) == (
        f"Wrote {n_questions:,} questions about US, KR, MX, IR to {out}. Run them:\n"
        f"  cd {out} && lm_eval --include_path . --tasks blend_sample_mcq_letters --model hf --model_args …\n"
    )


def decided_here(release: Path, model: Path, out: Path, *, rule: str, **options: Any) -> ScoredAnswers:
    """What we make of a model's own answers."""
    asked = read_items(release, TASKS["multiple-choice"], **options)
    opened_model = open_local(Local(path=str(model), device="cpu", dtype="float32"))
    run = open_run(out, asked, opened_model.describe(), None)
    ask_model(run, opened_model)
    return score_answers(read_run(out), rule=rule)


def decided_there(samples: str) -> dict[str, tuple[int, bool]]:
    """Question by question, from what lm-eval logs: the option that was chosen, and whether it counts."""
    found = {}
    for sample in map(json.loads, samples.splitlines()):
        logprobs = [float(reply[0]) for reply in sample["filtered_resps"]]
        found[sample["doc"]["item_id"]] = (logprobs.index(max(logprobs)), sample["acc"] == 1.0)
    return found


def run_lm_eval(task: str, model: Path, folder: Path, *options: str | Path) -> None:
    command: Sequence[str | Path] = [
        *(sys.executable, "-m", "lm_eval", "--include_path", ".", "--tasks", task, "--model", "hf"),
        *("--model_args", f"pretrained={model},dtype=float32", "--device", "cpu", "--batch_size", "16"),
        *options,
    ]
    own = {"HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1"}
    run = subprocess.run(
        command, cwd=folder, env=os.environ | own, capture_output=True, text=True, timeout=1800
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.integration
@pytest.mark.nightly
@pytest.mark.parametrize(("style", "rule", "limit"), [("letters", "default", None), ("texts", "sum", 12)])
def test_lm_eval_chooses_what_we_choose(
    mini_release: Path, tmp_path: Path, missing: Callable[[str], None], style: str, rule: str, limit: int | None
):
    if find_spec("lm_eval") is None:
        missing("lm-eval")
    make_tiny_model(tiny := tmp_path / "tiny")
    out = tmp_path / "out"
    made = exported(mini_release, tmp_path / "tasks", style=style, limit=limit)
    run_lm_eval(made.task, tiny, tmp_path / "tasks", "--log_samples", "--output_path", out)
    scored = decided_here(mini_release, tiny, tmp_path / "run", rule=rule, style=style, limit=limit)
    samples = "".join(file.read_text(encoding="utf-8") for file in out.glob("*/samples_*.jsonl"))
    decisions = scored.decisions.select("item_id", "chosen", "correct").rows()
    assert decided_there(samples) == {item: (chosen, correct) for item, chosen, correct in decisions}
    (file,) = out.glob("*/results_*.json")
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    ours = {(one.metric, one.key): one.value for one in scored.scores.scores}
    figures = {made.task: ours["accuracy-macro", "all"]}
    figures |= {f"{made.task}_{region}": ours["accuracy", region] for region in made.regions}
    theirs = {task: 100 * result["acc,none"] for task, result in results.items()}
    assert theirs == pytest.approx(figures, abs=1e-10)
    # Read back, the samples of all regions in one file give the same figures.
    (tmp_path / "samples.jsonl").write_text(samples, encoding="utf-8")
    answers = Recorded(path=tmp_path / "samples.jsonl")
    read = score_run(run_task(mini_release, "multiple-choice", answers, tmp_path / "read", limit=limit))
    assert f"|style:{style}|" in read.signature
    # A log says what is likeliest in all, which is another rule than our default for texts.
    assert ("|rule:sum|" in read.signature) == (style == "texts")
    if style == "letters":
        assert read.overall("accuracy-macro").value == pytest.approx(ours["accuracy-macro", "all"], abs=1e-10)
