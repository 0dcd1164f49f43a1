"""Logs of our tasks in Inspect: they say what was asked; written by hand here, without Inspect."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.evaluation import run_of_log
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.schemas.errors import InputError

ASKED = {"limit": 2, "locales": ["KR"]}


def header(task: str, epochs: int = 1, **arguments: Any) -> dict[str, Any]:
    """What a log says of its run."""
    about = {"task": task, "task_args": arguments, "model": "openai/tiny", "config": {"epochs": epochs}}
    return {"version": 2, "status": "success", "eval": about}


def sample(item_id: str, text: str, epoch: int = 1) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
    output = {"model": "tiny", "choices": [choice], "completion": text}
    return {"id": item_id, "epoch": epoch, "input": "?", "metadata": {"region": "KR"}, "output": output}


def log_of(path: Path, about: dict[str, Any], samples: list[dict[str, Any]]) -> Path:
    """A log in the format that its name says."""
    if path.suffix == ".json":
        path.write_text(json.dumps({**about, "samples": samples}))
        return path
    with zipfile.ZipFile(path, "w") as archive:
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        archive.writestr("header.json", json.dumps(about))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_a_log_says_what_was_asked(mini_release: Path, tmp_path: Path, name: str):
    asked = read_items(mini_release, TASKS["multiple-choice"], **ASKED, style="json").asked
    letters = {item_id: "ABCD"[answer] for item_id, answer in asked.gold.select("item_id", "answer").rows()}
    samples = [sample(item_id, f"The answer is {letter}.") for item_id, letter in letters.items()]
    about = header("blend/multiple_choice", release=str(mini_release), **ASKED)
    run = run_of_log(log_of(tmp_path / name, about, samples), tmp_path / "run")
    assert run.description.model.id == "openai/tiny"
    assert run.description.options["limit"] == 2
    assert blend.score_run(run).overall("accuracy").value == 100


@pytest.mark.slow
def test_an_epoch_is_a_repeat(mini_release: Path, tmp_path: Path):
    asked = read_items(mini_release, TASKS["multiple-choice"], **ASKED, style="json").asked
    samples = [sample(item_id, "ABCD"[epoch], epoch) for item_id in asked.items["item_id"] for epoch in (1, 2)]
    log = log_of(tmp_path / "log.eval", header("blend/multiple_choice", 2, release="gone", **ASKED), samples)
    run = run_of_log(log, tmp_path / "run", release=mini_release)
    assert dict(run.answers("item_id", "text").rows()) == {
        f"{item_id}{repeat}": letter
        for item_id in asked.items["item_id"]
        for repeat, letter in (("", "B"), ("#1", "C"))
    }


def test_a_log_is_not_taken_for_a_table_of_texts(tmp_path: Path):
    log = log_of(tmp_path / "log.eval", header("blend/cultural_prompts", release="x"), [])
    assert not TASKS["cultural-prompts"].takes_table(log)


@pytest.mark.parametrize(
    "about",
    [header("other/mmlu", release="x"), header("blend/multiple_choice"), {"version": 2, "status": "started"}],
    ids=["another task", "no release", "no header"],
)
def test_message_for_a_log_that_does_not_say_it(tmp_path: Path, about: dict[str, Any]):
    log = log_of(tmp_path / "log.eval", about, [])
    with pytest.raises(InputError) as caught:
        run_of_log(log, tmp_path / "run")
    assert str(caught.value) == (
        f"{log}: not a log of `inspect eval blend/TASK`, so it does not say what was asked; "
        "name release and task yourself: `blend eval run RELEASE --task TASK --answers LOG`"
    )
