"""docs/scores.md: it explains every figure that scoring gives, and none that there is not."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from blend import Recorded
from blend.eval.evaluation import run_task
from blend.eval.models.tiny_model import make_tiny_model
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs.run_directory import Run
from blend.eval.scoring import score_answers
from helpers.models.own_models import Saying

Figures = set[tuple[str, str]]
"""Metrics with their scopes."""


@pytest.fixture
def of_a_model(sample_release: Path, tmp_path: Path) -> Callable[..., Figures]:
    """Figures of multiple choice, asked of a tiny model."""

    def figures(name: str, **options: object) -> Figures:
        if not (tmp_path / "tiny").exists():
            make_tiny_model(tmp_path / "tiny")
        return _of(
            run_task(sample_release, "multiple-choice", tmp_path / "tiny", tmp_path / name, limit=2, **options)
        )

    return figures


@pytest.fixture
def of_answers(sample_release: Path, tmp_path: Path) -> Callable[..., Figures]:
    """Figures of recorded answers that all say the same."""

    def figures(name: str, task: str, response: str, **options: object) -> Figures:
        asked = read_items(sample_release, TASKS[task], limit=2, **options)
        path = tmp_path / f"{name}.parquet"
        asked.asked.items.select("item_id", response=pl.lit(response)).write_parquet(path)
        return _of(run_task(sample_release, task, Recorded(path=path), tmp_path / name, limit=2, **options))

    return figures


def _of(run: Run) -> Figures:
    scored = [score_answers(run, rule=rule).scores.scores for rule in ("default", "semeval")]
    return {(score.metric, score.scope) for scores in scored for score in scores}


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


@pytest.mark.slow
def test_every_figure_of_multiple_choice(
    root: Path, of_a_model: Callable[..., Figures], of_answers: Callable[..., Figures]
):
    given = (
        of_a_model("letters", rotations=2)
        | of_a_model("texts", style="texts")
        | of_answers("json", "multiple-choice", "A", style="json")
    )
    page = (root / "docs" / "scores.md").read_text(encoding="utf-8")
    assert documented(page, "Multiple choice") == given


@pytest.mark.slow
def test_every_figure_of_short_answers(root: Path, of_answers: Callable[..., Figures]):
    page = (root / "docs" / "scores.md").read_text(encoding="utf-8")
    assert documented(page, "Short answers") == of_answers("short", "short-answer", "tea")


@pytest.mark.slow
def test_every_figure_of_true_or_false(root: Path, rungs_release: Path, tmp_path: Path):
    def says_yes(prompts: Sequence[str]) -> list[str]:
        return ["yes"] * len(prompts)

    run = run_task(rungs_release, "true-false", Saying(says_yes), tmp_path / "run", limit=2)
    scores = score_answers(run).scores.scores
    page = (root / "docs" / "scores.md").read_text(encoding="utf-8")
    assert documented(page, "True or false") == {(score.metric, score.scope) for score in scores}
