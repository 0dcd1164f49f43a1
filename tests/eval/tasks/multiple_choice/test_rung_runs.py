"""All rungs: one model asked each of them, scored and shown with one command each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.release_items import read_items
from blend.eval.tasks import TASKS
from blend.schemas.errors import InputError
from helpers.in_process import run
from helpers.messages import message_of

# That an object which writes is asked for letters in words.
pytestmark = pytest.mark.filterwarnings("ignore:the model writes")


RUNGS = ("multiple-choice", "true-false", "short-answer")


def run_each_rung(release: Path, model: Any, out: Path, **options: Any) -> dict[str, blend.Run]:
    """A run for each rung, in a directory of its name."""
    return {rung: blend.run_task(release, rung, model, out / rung, **options) for rung in RUNGS}


class Says:
    """A model that says B wherever there are letters, and else yes."""

    asked = 0

    def generate(self, prompts: Sequence[str]) -> list[str]:
        self.asked += len(prompts)
        return ["B" if "\nB. " in prompt else "Yes." for prompt in prompts]


@pytest.mark.landing
def test_a_model_is_asked_every_rung_once(rungs_release: Path, tmp_path: Path):
    model = Says()
    runs = run_each_rung(rungs_release, model, tmp_path / "runs", limit=3)
    run_each_rung(rungs_release, model, tmp_path / "runs", limit=3)
    assert model.asked == sum(one.description.n_items for one in runs.values())
    scored = {rung: blend.score_run(one) for rung, one in runs.items()}
    # Yes to everything: no question has all four right, every true option is, and three in four are too many.
    assert scored["true-false"].overall("accuracy").value == 0
    assert scored["true-false"].overall("balanced-accuracy").value == 50
    assert scored["true-false"].overall("yes-bias").value == 75
    assert scored["true-false"].signature.startswith("blend-tf|rel:")
    assert "|style:written|" in scored["true-false"].signature
    answers = scored["true-false"].task.single_answers(scored["true-false"])
    assert set(answers["answer"]) == {"yes"}
    compared = scored["true-false"].task.compared(scored["true-false"])
    assert set(compared["item_id"]) == set(runs["true-false"].gold("question_id")["question_id"])


@pytest.mark.landing
def test_a_rung_that_is_not_done_hides_no_other(rungs_release: Path, tmp_path: Path):
    out = tmp_path / "runs"
    runs = run_each_rung(rungs_release, Says(), out, limit=1)
    answers = runs["true-false"].answers_folder / "main.jsonl"
    answers.write_text(answers.read_text().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match=f"^{out}/true-false: .* items have no answer"):
        run("eval", "score", out)
    for rung in RUNGS:
        assert (out / rung / "scores.json").exists() == (rung != "true-false")


def test_what_cannot_be_asked(rungs_release: Path, mini_release: Path):
    def wrong(release: Path, task: str, **options: object) -> str:
        return message_of(InputError, lambda: read_items(release, TASKS[task], **options))

    missing = wrong(mini_release, "true-false")
    assert "the release has no configuration true-false-questions, which the task true-false reads" in missing
    assert "write rungs = true below [mcq] in the recipe (docs/mcq.md)" in missing
