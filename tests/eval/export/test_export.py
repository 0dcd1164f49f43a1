"""Exports: the questions of a release as tasks of other harnesses, text by text what we ask ourselves."""

import ast
from functools import partial
from pathlib import Path

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from blend.cli import app
from blend.eval import export
from blend.eval.export.letter_pattern import letter_pattern
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.schemas.errors import InputError, StorageError, UnknownNameError

export_tasks = partial(export.export_tasks, task=TASKS["multiple-choice"])


@pytest.mark.slow
@pytest.mark.parametrize("style", ["letters", "texts"])
def test_lm_eval_is_given_our_prompts_and_options(release: Path, tmp_path: Path, style: str):
    made = export_tasks(release, "lm-eval", tmp_path / "tasks", style=style)
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


def test_regions_are_tasks_of_their_own(release: Path, tmp_path: Path):
    made = export_tasks(release, "lm-eval", tmp_path / "tasks", locales=["KR", "US"])
    assert set(made.regions) == {"KR", "US"}
    assert set(made.files) == {
        "README.md",
        f"{made.task}.yaml",
        *(f"{made.task}_{region}.yaml" for region in made.regions),
        *(f"data/{region}.parquet" for region in made.regions),
    }


@pytest.mark.slow
def test_the_same_release_gives_the_same_files(release: Path, tmp_path: Path):
    for name in ("a", "b"):
        export_tasks(release, "lm-eval", tmp_path / name)
        export_tasks(release, "inspect", tmp_path / f"{name}-inspect")
        export_tasks(release, "lighteval", tmp_path / f"{name}-lighteval")
    for one in (path for path in tmp_path.rglob("*") if path.is_file()):
        part = one.relative_to(tmp_path).as_posix()
        if part.startswith("a"):
            assert one.read_bytes() == (tmp_path / part.replace("a", "b", 1)).read_bytes()


@pytest.mark.parametrize("style", ["letters", "texts"])
def test_lighteval_is_given_a_file_of_python_with_our_questions_beside_it(
    release: Path, tmp_path: Path, style: str
):
    made = export_tasks(release, "lighteval", tmp_path, style=style)
    assert set(made.files) == {
        f"{made.task}.py",
        *(f"data/{region}/test.parquet" for region in made.regions),
    }
    code = ast.parse((tmp_path / f"{made.task}.py").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: node.value  # type: ignore[attr-defined]
        for node in code.body
        if isinstance(node, ast.Assign)
    }
    assert ast.literal_eval(values["REGIONS"]) == list(made.regions)
    rows = pl.concat(pl.read_parquet(tmp_path / "data" / region / "test.parquet") for region in made.regions)
    items = read_items(release, TASKS["multiple-choice"], style=style).asked
    asked = items.items.join(items.gold.select("item_id", "answer"), on="item_id")
    columns = ["item_id", "prompt", "options", "answer"]
    assert rows.select(columns).sort("item_id").equals(asked.select(columns).sort("item_id"))


def test_inspect_is_given_letters_and_a_file_of_python(release: Path, tmp_path: Path):
    made = export_tasks(release, "inspect", tmp_path / "tasks")
    assert made.files == (f"{made.task}.py", "letter.regex", "questions.jsonl")
    assert (tmp_path / "tasks" / "letter.regex").read_text(encoding="utf-8") == letter_pattern()
    code = ast.parse((tmp_path / "tasks" / f"{made.task}.py").read_text(encoding="utf-8"))
    assert [node.name for node in code.body if isinstance(node, ast.FunctionDef)] == [made.task]
    rows = pl.read_ndjson(tmp_path / "tasks" / "questions.jsonl")
    items = read_items(release, TASKS["multiple-choice"], style="letters").asked
    assert rows["prompt"].to_list() == items.items["prompt"].to_list()
    assert rows["letter"].to_list() == ["ABCD"[answer] for answer in items.gold["answer"]]


def test_message_for_a_style_that_inspect_does_not_have(release: Path, tmp_path: Path):
    with pytest.raises(InputError) as caught:
        export_tasks(release, "inspect", tmp_path / "tasks", style="texts")
    assert str(caught.value) == (
        "Inspect asks for a written answer, so the style 'texts' cannot be exported to it; "
        "choose the `style` letters, or lm-eval"
    )
    assert not (tmp_path / "tasks").exists()


def test_message_for_a_directory_that_holds_something(release: Path, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError) as caught:
        export_tasks(release, "lm-eval", tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: holds 'notes.txt' and is not empty, so nothing is written there; "
        "choose another `out` or empty it yourself"
    )


def test_message_for_a_directory_that_cannot_be_made(release: Path, tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StorageError) as caught:
        export_tasks(release, "lm-eval", tmp_path / "file" / "tasks")
    assert str(caught.value) == (
        f"{tmp_path / 'file' / 'tasks'}: cannot write here (Not a directory); choose another `out`"
    )


def test_message_for_an_unknown_harness(release: Path, tmp_path: Path):
    with pytest.raises(UnknownNameError) as caught:
        export_tasks(release, "helm", tmp_path / "tasks")
    assert str(caught.value) == "unknown harness 'helm'; choose one of: inspect, lighteval, lm-eval"


def test_the_benchmark_file_of_a_release_names_columns_that_it_has(release: Path):
    fields = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))
    assert fields["evaluation_framework"] == "inspect-ai"
    for task in fields["tasks"]:
        spec, folder = task["field_spec"], release / "data" / task["config"]
        named = {spec["input"], spec["target"], spec.get("choices", spec["input"]), *spec["metadata"]}
        for split in task["split"].split("+"):
            assert named <= set(pl.read_parquet_schema(next(folder.glob(f"{split}-*.parquet"))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harness", "command"),
    [
        ("lm-eval", "cd {out} && lm_eval --include_path . --tasks {task} --model hf --model_args …"),
        ("lighteval", 'lighteval accelerate "model_name=MODEL" "{task}" --custom-tasks {out}/{task}.py'),
        ("inspect", "inspect eval {out}/{task}.py --model PROVIDER/MODEL"),
    ],
)
def test_the_command_says_how_to_run_what_it_wrote(release: Path, tmp_path: Path, harness: str, command: str):
    out = tmp_path / "tasks"
    result = CliRunner().invoke(app, ["eval", "export", str(release), "--to", harness, "--out", str(out)])
    assert result.exit_code == 0, result.output
    n_questions = read_items(release, TASKS["multiple-choice"]).asked.items.height
    assert result.stdout == (
        f"Wrote {n_questions:,} questions about US, KR, IR, MX to {out}. Run them:\n"
        f"  {command.format(out=out, task='blend_sample_mcq_letters')}\n"
    )
