"""Pages: docs/scores.md explains every figure that scoring gives, docs/evaluation.md prints what it says."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blend.eval.evaluation import run_task
from blend.eval.models.model_loading import make_tiny_model
from blend.eval.scoring import score_answers
from helpers.models.own_models import Saying

Figures = set[tuple[str, str]]
"""Metrics with their scopes."""


def documented(page: str, heading: str) -> Figures:
    """What the table behind a heading explains."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = section.partition("| metric | scope | figure |\n")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[1:]]
    return {
        (metric, scope)
        for metrics, scopes, *_ in rows
        for metric in re.findall(r"`([\w-]+)`", metrics)
        for scope in re.findall(r"`([\w-]+)`", scopes)
    }


def test_every_figure_is_explained(root: Path, sample_release: Path, rungs_release: Path, tmp_path: Path):
    make_tiny_model(tmp_path / "tiny")

    def figures(name: str, model: Any, task: str, release: Path = sample_release, **options: Any) -> Figures:
        run = run_task(release, task, model, tmp_path / name, limit=2, **options)
        rules = ("default",) if task == "true-false" else ("default", "semeval")
        scores = [score for rule in rules for score in score_answers(run, rule=rule).scores.scores]
        return {(score.metric, score.scope) for score in scores}

    def says(text: str) -> Saying:
        return Saying(lambda prompts: [text] * len(prompts))

    found = {
        "Multiple choice": figures("letters", tmp_path / "tiny", "multiple-choice", rotations=2)
        | figures("texts", tmp_path / "tiny", "multiple-choice", style="texts")
        | figures("json", says("A"), "multiple-choice", style="json"),
        "Short answers": figures("short", says("tea"), "short-answer"),
        "True or false": figures("true", says("yes"), "true-false", rungs_release, style="written"),
    }
    page = (root / "docs" / "scores.md").read_text(encoding="utf-8")
    assert {heading: documented(page, heading) for heading in found} == found


BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_the_examples_print_what_the_page_says(root: Path, sample_release: Path, tmp_path: Path):
    page = (root / "docs" / "evaluation.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page.partition("\n## From Python\n")[2])
    assert {kind for kind, _ in blocks} == {"python", "text"}
    (tmp_path / "release").symlink_to(sample_release)
    make_tiny_model(tmp_path / "tiny")
    script = "\nprint('----')\n".join(content for kind, content in blocks if kind == "python")
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert (run.returncode, run.stderr) == (0, "")
    printed = run.stdout.split("----\n")
    number = -1
    for kind, content in blocks:
        number += kind == "python"
        if kind == "text":
            assert content.rstrip("\n") in printed[number]
    assert (tmp_path / "report.html").is_file()
