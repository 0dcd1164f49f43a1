"""What the check of rungs says of a damaged release."""

import json

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.schemas.rows import TRUE_FALSE_QUESTIONS

REBUILD = "rebuild the release"


@pytest.fixture
def rungs(once, release_of):
    recipe = sample_recipe()
    with_rungs = recipe.model_copy(update={"mcq": recipe.mcq.model_copy(update={"rungs": True})})
    return release_of(once.path("sample-rungs", lambda out: build_release(with_rungs, out)))


def problem(config: str, row_id: str, what: str, fix: str = REBUILD) -> str:
    return f"error: data/{config}/test-00000.parquet:{row_id}: {what}; {fix}"


@pytest.mark.landing
@pytest.mark.slow
def test_an_undamaged_release_has_no_problem(rungs):
    assert rungs.problems("rungs") == []


@pytest.mark.landing
@pytest.mark.slow
def test_a_row_that_its_question_does_not_make(rungs):
    first, second = rungs.rows(TRUE_FALSE_QUESTIONS, "test")[:2]

    def change(rows):
        rows[0].update(answer="no" if rows[0]["answer"] == "yes" else "yes", prompt="Would they?")
        rows[1]["MCQID"] = "nowhere"

    rungs.change(TRUE_FALSE_QUESTIONS, "test", change)
    wrong = f"prompt, answer not as multiple-choice question {first['MCQID']} makes them"
    unknown = "is of no option of multiple-choice question nowhere"
    assert rungs.problems("rungs") == [
        problem(TRUE_FALSE_QUESTIONS, first["true_false_id"], wrong),
        problem(TRUE_FALSE_QUESTIONS, second["true_false_id"], unknown),
    ]


@pytest.mark.landing
@pytest.mark.slow
def test_options_without_a_row(rungs):
    gone = rungs.rows(TRUE_FALSE_QUESTIONS, "test")[:3]
    rungs.change(TRUE_FALSE_QUESTIONS, "test", lambda rows: rows[3:])
    what = "3 options have no row beside others of their question, such as"
    first = min(row["true_false_id"] for row in gone)
    assert rungs.problems("rungs") == [f"error: {TRUE_FALSE_QUESTIONS}: {what} {first}; {REBUILD}"]


def test_the_audit_is_of_all_rungs(rungs):
    n = len(rungs.rows(TRUE_FALSE_QUESTIONS, "test"))

    def change(text):
        audit = json.loads(text)
        audit["true_false"]["questions"] = 7
        return json.dumps(audit)

    rungs.edit("reports/audit.json", change)
    what = f"is of 7 questions of {TRUE_FALSE_QUESTIONS}, the release has {n}"
    assert rungs.problems("audit") == [f"error: reports/audit.json: {what}; {REBUILD}"]
