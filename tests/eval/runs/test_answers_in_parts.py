"""Answers in parts: of any size they are those of all items at once, and so are decisions and scores."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.judging.verdicts import JUDGE
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.scoring import score_answers
from blend.schemas.errors import UnknownNameError
from helpers.asking import ask
from helpers.models.own_models import Chooser
from helpers.tiers import rest_nightly

SAID = ["rice, tea", "", "The answer is C.", '{"answer_choice":"B", "confidence": 80}', "<think>No", "Yes."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "options"),
    rest_nightly(
        [
            ("short-answer", {}),
            ("multiple-choice", {"style": "json", "confidence": True, "samples": 2, "temperature": 1}),
            ("multiple-choice", {"style": "texts"}),
            ("true-false", {"style": "written"}),
        ],
        ("short-answer", {}),
    ),
)
def test_scores_do_not_depend_on_the_parts(
    rungs_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, options: dict[str, Any]
):
    class Model(Chooser):
        def generate(self, prompts: list[str]) -> list[str]:
            return [SAID[sum(prompt.encode()) % len(SAID)] for prompt in prompts]

    run = ask(rungs_release, task, tmp_path, model=Model(), limit=6, on_warning=lambda _: None, **options)
    for rule in (rule for rule in TASKS[task].rules if rule != JUDGE):
        try:
            at_once = score_answers(run, rule=rule)
        except UnknownNameError:  # of other answers
            continue
        with monkeypatch.context() as patch:
            patch.setattr("blend.eval.runs.run_directory.PART", 17)
            in_parts = score_answers(run, rule=rule)
        assert_frame_equal(in_parts.decisions, at_once.decisions, check_exact=True)
        assert in_parts.scores == at_once.scores


@pytest.mark.slow
@pytest.mark.parametrize("task", rest_nightly(["short-answer", "multiple-choice"], "short-answer"))
def test_items_in_parts_are_those_in_memory(sample_release: Path, monkeypatch: pytest.MonkeyPatch, task: str):
    given = {"samples": 3, "limit": 2, **TASKS[task].of_texts}
    at_once = read_items(sample_release, TASKS[task], **given).asked
    monkeypatch.setattr("blend.eval.items.PART", 50)
    asked = read_items(sample_release, TASKS[task], in_parts=True, **given).asked
    parts = list(asked.in_parts())
    assert asked.items.is_empty()
    assert max(items.height for items, _ in parts) <= 50
    assert_frame_equal(pl.concat(items for items, _ in parts), at_once.items)
    assert_frame_equal(pl.concat(gold for _, gold in parts), at_once.gold)
    assert asked.n_items == at_once.n_items == at_once.items.height > 50
