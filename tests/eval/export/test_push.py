"""Push: one small file in the model's repository, by pull request unless told otherwise."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
import yaml

from blend.eval.hub_results import push_scores
from blend.eval.release_items import read_items, read_run
from blend.eval.scores_json import read_scores
from blend.eval.tasks import TASKS
from helpers.asking import recorded, score
from helpers.hub.hub_releases import make_release
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE, DAVE
from helpers.messages import wrong

MODEL, DATASET = "org/model", "org/blend"
PATH = ".eval_results/org--blend--multiple-choice.yaml"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of recorded answers: always A."""
    return scored(tmp_path_factory.mktemp("push"), "multiple-choice", '{"answer_choice": "A"}', style="json")


@pytest.fixture(scope="module")
def short_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of recorded answers: always rice."""
    return scored(tmp_path_factory.mktemp("push-short"), "short-answer", "rice")


def scored(folder: Path, task: str, answer: str, **options: str) -> Path:
    """A scored run of one answer to everything, beside its release."""
    release = make_release(folder / "release", "1.0.0")
    items = read_items(release, TASKS[task], **options).asked.items
    answers = items.select("item_id", response=pl.lit(answer))
    return score(recorded(release, task, answers, folder / "run", model=MODEL, **options)).run.directory


@pytest.fixture
def model_hub(hub: Hub, hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """A Hub that has the model's repository, and a token that may write there."""
    hub.store.create(MODEL, private=False, author="alice").commit({"config.json": b"{}"})
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
    monkeypatch.setenv("HF_TOKEN", ALICE.token)
    return hub


@pytest.mark.landing
def test_a_dry_run_sends_nothing(run: Path):
    sent = push_scores(run, MODEL, dataset=DATASET, dry_run=True)
    assert sent.url is None
    assert sent.path == PATH
    (entry,) = yaml.safe_load(sent.content)
    assert entry["dataset"] == {"id": DATASET, "task_id": "multiple-choice"}
    assert 0 < entry["value"] < 100
    assert "accuracy-macro in percent, 95 % interval " in entry["notes"]
    assert "|rel:blend-sample@1.0.0#" in entry["notes"]
    assert datetime.fromisoformat(entry["date"]).tzinfo is UTC
    assert "source" not in entry


@pytest.mark.landing
def test_every_score_names_a_task_of_the_release(short_answers: Path):
    sent = push_scores(short_answers, MODEL, dataset=DATASET, source="https://example.org/report", dry_run=True)
    assert sent.path == ".eval_results/org--blend--short-answer.yaml"
    entries = yaml.safe_load(sent.content)
    tasks = yaml.safe_load((short_answers.parent / "release" / "eval.yaml").read_text())["tasks"]
    named = [entry["dataset"]["task_id"] for entry in entries]
    assert named[0] == "short-answer"
    assert sorted(named) == sorted(task["id"] for task in tasks if task["id"] != "multiple-choice")
    scores = read_scores(read_run(short_answers)).scores
    regions = {one.key: one.value for one in scores if (one.metric, one.scope) == ("sem-b", "region")}
    assert {name: entry["value"] for name, entry in zip(named[1:], entries[1:], strict=True)} == {
        f"short-answer-{region}": round(value, 2) for region, value in regions.items()
    }
    assert all(entry["source"] == {"url": "https://example.org/report"} for entry in entries)


@pytest.mark.slow
def test_message_for_a_source_that_is_not_a_page(run: Path):
    assert wrong(lambda: push_scores(run, MODEL, dataset=DATASET, source="report.html", dry_run=True)) == (
        "`source`: 'report.html' is not the address of a page; write it in full, with https://"
    )


@pytest.mark.landing
@pytest.mark.integration
@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_a_pull_request_is_opened_and_main_stays(run: Path, model_hub: Hub):
    sent = push_scores(run, MODEL, dataset=DATASET)
    assert sent.url == f"{model_hub.url}/{MODEL}/discussions/1"
    repository = model_hub.repository(MODEL)
    assert PATH not in repository.files("main")
    assert repository.content(PATH, "refs/pr/1").decode() == sent.content
    assert repository.content("config.json", "refs/pr/1") == b"{}"


@pytest.mark.landing
@pytest.mark.integration
def test_message_for_a_token_without_the_right_to_write(run: Path, model_hub: Hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", DAVE.token)
    told = wrong(lambda: push_scores(run, MODEL, dataset=DATASET))
    assert told.startswith("Hub model org/model: the Hub refuses this (403 ")
    assert DAVE.token not in told
