"""Answers in parts: of any size they are those of all items at once, and so are decisions and scores."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.eval.asked_runs import read_run
from blend.eval.judging.verdicts import JUDGE
from blend.eval.models.protocols import Generation
from blend.eval.registry import TASKS
from blend.eval.release_items import read_items
from blend.eval.runs.written_answers import AnsweredParts, as_scored
from blend.eval.scoring import score_answers
from blend.schemas.errors import UnknownNameError
from helpers.asking import ask
from helpers.kill_points import Echo, run_all
from helpers.models.own_models import Chooser
from helpers.tiers import rest_nightly

# One text in ten shows that prompts begin thoughts; those that are all thought can be in parts without it.
THOUGHTFUL = (*["Maybe popcorn? But the"] * 8, "<think>a</think>Nachos", "popcorn</think>Nachos")


class Thoughtful(Echo):
    def _answer(self, prompt: str, draw: int) -> Generation:
        return Generation(THOUGHTFUL[int(prompt.split()[1]) % 10], 1, 1, "stop")


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, 100])
def test_parts_are_answers_of_all_items_as_they_are_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
):
    monkeypatch.setattr("blend.eval.runs.run_directory.PART", size)
    run_all(tmp_path / "run", Thoughtful())
    run = read_run(tmp_path / "run")
    parts = list(AnsweredParts(run))
    assert all(items.height <= size for items, _ in parts)
    assert_frame_equal(pl.concat(items for items, _ in parts), run.items())
    found = pl.concat(answers for _, answers in parts)
    wanted = as_scored(run.answers(*found.columns, thoughts=False), run.description)
    assert_frame_equal(found, wanted, check_row_order=False)


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

    run = ask(rungs_release, task, tmp_path, model=Model(), limit=6, **options)
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
