"""From a release to the ceiling: natives answer the rungs in Label Studio, and stand beside a model."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.eval.evaluation import compare_runs, score_run
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import StudioForTests, chosen
from helpers.rung_runs import run_each_rung

pytestmark = pytest.mark.integration  # a real Label Studio


class Says:
    """A model that says A wherever there are letters, and else no."""

    def generate(self, prompts: Sequence[str]) -> list[str]:
        return ["A" if "\nA. " in prompt else "no" for prompt in prompts]


def test_from_a_release_to_the_ceiling(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], rungs_release: Path, tmp_path: Path
):
    file = project(
        label_studio.url, locales=["ko-KR", "fa-IR"], stages='["rungs"]', release=f'"{rungs_release}"'
    )
    push_project(check_project(file.path))
    mina = label_studio.person("mina")
    shown = 0
    for tag in ("ko-KR", "fa-IR"):
        for name, task in label_studio.tasks(f"{file.project.name} rungs {tag}").items():
            shown += 1
            # Who says yes to everything, and B wherever there are letters.
            label_studio.annotate(
                task, mina, chosen("yes" if "/true-false/" in name else "B", control="answer")
            )
    sync_project(file.path)
    n_answers = 0
    for task in ("multiple-choice", "true-false"):
        answers = file.base / "decided" / f"{task}.jsonl"
        n_answers += len(answers.read_text(encoding="utf-8").splitlines())
        asked = ("--task", task, "--answers", answers, "--model", "people", "--out", tmp_path / "people" / task)
        run("eval", "run", rungs_release, *asked)
    assert n_answers == shown > 30
    run("eval", "score", tmp_path / "people", "--allow-missing")
    scores = json.loads((tmp_path / "people" / "true-false" / "scores.json").read_text(encoding="utf-8"))
    figures = {one["metric"]: one["value"] for one in scores["scores"] if one["scope"] == "overall"}
    found = (figures["accuracy"], figures["balanced-accuracy"], figures["yes-bias"])
    assert found == pytest.approx((0, 50, 75))
    # A model that was asked otherwise stands beside them.
    runs = run_each_rung(rungs_release, Says(), tmp_path / "model")
    for one in runs.values():
        score_run(one)
    compared = compare_runs([tmp_path / "people" / "true-false", tmp_path / "model" / "true-false"])
    assert {standing.model for standing in compared.standings} == {"people", "Says"}
    run("eval", "report", tmp_path / "people", tmp_path / "model", "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The broken line is what people of the regions answered" in page
