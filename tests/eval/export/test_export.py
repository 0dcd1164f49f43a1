"""Exports: the questions of a release as tasks of lm-eval, text by text what we ask ourselves."""

from pathlib import Path

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from helpers.lm_eval_tasks import exported


@pytest.mark.slow
@pytest.mark.parametrize("style", ["letters", "texts"])
def test_lm_eval_is_given_our_prompts_and_options(release: Path, tmp_path: Path, style: str):
    made = exported(release, tmp_path / "tasks", style=style)
    group = yaml.safe_load((tmp_path / "tasks" / f"{made.task}.yaml").read_text(encoding="utf-8"))
    assert group["group"] == made.task == f"blend_sample_mcq_{style}"
    rows = []
    for name in group["task"]:
        task = yaml.safe_load((tmp_path / "tasks" / f"{name}.yaml").read_text(encoding="utf-8"))
        assert task["task"] == name
        rows.append(pl.read_parquet(tmp_path / "tasks" / task["dataset_kwargs"]["data_files"]["test"]))
    written = pl.concat(rows).sort("item_id")
    items = read_items(release, TASKS["multiple-choice"], style=style).asked
    asked = items.items.join(items.gold.select("item_id", "answer"), on="item_id").sort("item_id")
    columns = ["item_id", "prompt", "options", "answer"]
    assert written.select(columns).equals(asked.select(columns))
    assert made.n_questions == len(asked)


def test_the_benchmark_file_of_a_release_names_columns_that_it_has(release: Path):
    fields = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))
    assert fields["evaluation_framework"] == "inspect-ai"
    for task in fields["tasks"]:
        spec, folder = task["field_spec"], release / "data" / task["config"]
        named = {spec["input"], spec["target"], spec.get("choices", spec["input"]), *spec["metadata"]}
        for split in task["split"].split("+"):
            assert named <= set(pl.read_parquet_schema(next(folder.glob(f"{split}-*.parquet"))))


@pytest.mark.slow
def test_the_command_says_how_to_run_what_it_wrote(release: Path, tmp_path: Path):
    out = tmp_path / "tasks"
    result = CliRunner().invoke(app, ["eval", "export", str(release), "--to", "lm-eval", "--out", str(out)])
    assert result.exit_code == 0, result.output
    n_questions = read_items(release, TASKS["multiple-choice"]).asked.items.height
    assert result.stdout == (
        f"Wrote {n_questions:,} questions about US, KR, MX, IR to {out}. Run them:\n"
        f"  cd {out} && lm_eval --include_path . --tasks blend_sample_mcq_letters --model hf --model_args …\n"
    )
