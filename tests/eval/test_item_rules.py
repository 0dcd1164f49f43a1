"""Single replies are decided as those of a whole run are, task by task, on the answers that the nets keep."""

from pathlib import Path

import pytest
from nets.kept_runs import description, make_run

from blend.eval.models.replies import meaning_of
from blend.eval.release_items import read_items
from blend.eval.runs.answers import spoken_text
from blend.eval.task_protocol import Task
from blend.eval.tasks import TASKS, task_of
from helpers.asking import score

RUNS = (
    "mc-texts",
    "mc-thoughts",
    "mc-confidence",
    "mc-repeats",
    "true-false-written",
    "short-answers",
    "short-answers-other",
    "short-answers-by-template",
    "short-answers-repeats",
    "short-answers-batch",
    "free-listing",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_single_replies_are_decided_as_a_run_is(name: str, request: pytest.FixtureRequest, tmp_path: Path):
    kept = description(name)
    release, task = request.getfixturevalue(f"{kept['release']}_release"), task_of(kept["task"])
    make_run(name, release, tmp_path / "run")
    scored = score(tmp_path / "run", allow_missing=True, on_warning=lambda _: None)
    value = task.repeated.get("f1", "correct")
    expected = dict(scored.decisions().select("item_id", value).rows())
    asked = {
        key: given for key, given in kept["asked"].items() if key not in ("encoding", "max_tokens", "price")
    }
    rules = task.item_rules(read_items(release, task, **{**task.of_texts, **asked}).asked)
    answers = scored.run.answers("item_id", "text", "finish_reason", "error").drop_nulls("text")
    shares = {
        item_id: rules[item_id].decide(spoken_text(text, meaning_of(reason or ""))).share
        for item_id, text, reason in answers.select("item_id", "text", "finish_reason").rows()
    }
    assert shares == expected
    assert len({*shares.values()}) > 1
    assert all(rules[item_id].accepted for item_id in shares)


def test_tasks_whose_answers_are_not_correct_one_by_one_have_no_rules():
    without = {name for name, task in TASKS.items() if type(task).item_rules is Task.item_rules}
    assert {"probing", "cultural-prompts"} <= without < set(TASKS)
