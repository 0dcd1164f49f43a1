"""What the check of rungs says of a damaged release."""

import json

import pytest

from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from blend.schemas.rows.configs import ANNOTATIONS, REGION_QUESTIONS, TRUE_FALSE_QUESTIONS

REBUILD = "rebuild the release"
CORRECT = "correct the source and rebuild the release"


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


@pytest.mark.landing
@pytest.mark.slow
def test_a_region_question_that_its_question_does_not_make(rungs):
    row = rungs.rows(REGION_QUESTIONS, "test")[0]
    rungs.change(REGION_QUESTIONS, "test", lambda rows: rows[0].update(given_answer="tea", topic="Tea"))
    what = f"topic, given_answer not as multiple-choice question {row['MCQID']} makes them"
    assert rungs.problems("rungs") == [problem(REGION_QUESTIONS, row["region_question_id"], what)]


@pytest.mark.landing
@pytest.mark.slow
def test_another_right_region(rungs):
    row = rungs.rows(REGION_QUESTIONS, "test")[0]
    position = (row["answer"] + 1) % 4

    def change(rows):
        rows[0].update(answer=position, answer_idx="ABCD"[position])

    rungs.change(REGION_QUESTIONS, "test", change)
    right = row["option_regions"][row["answer"]]
    what = f"people of {right}, shown as wrong, gave {row['given_answer']!r} as well"
    assert rungs.problems("rungs") == [problem(REGION_QUESTIONS, row["region_question_id"], what, CORRECT)]


@pytest.mark.landing
@pytest.mark.slow
def test_a_wrong_region_whose_people_gave_the_answer(rungs):
    row = rungs.rows(REGION_QUESTIONS, "test")[0]
    wrong = next(of for i, of in enumerate(row["option_regions"]) if i != row["answer"])

    def change(rows):
        of_template = next(one for one in rows if one["ID"] == row["ID"])
        of_template["annotations"][-1]["en_answers"].append(row["given_answer"])

    rungs.change(ANNOTATIONS, wrong, change)
    what = f"people of {wrong}, shown as wrong, gave {row['given_answer']!r} as well"
    assert rungs.problems("rungs") == [problem(REGION_QUESTIONS, row["region_question_id"], what, CORRECT)]


@pytest.mark.landing
@pytest.mark.slow
def test_positions_of_regions_are_looked_at(rungs):
    def change(rows):
        for row in rows:
            row["answer"] = 0

    rungs.change(REGION_QUESTIONS, "test", change)
    assert any("are not spread evenly" in found for found in rungs.problems("positions"))


def test_the_audit_is_of_all_rungs(rungs):
    n = len(rungs.rows(REGION_QUESTIONS, "test"))

    def change(text):
        audit = json.loads(text)
        audit["regions"]["questions"] = 7
        return json.dumps(audit)

    rungs.edit("reports/audit.json", change)
    what = f"is of 7 questions of {REGION_QUESTIONS}, the release has {n}"
    assert rungs.problems("audit") == [f"error: reports/audit.json: {what}; {REBUILD}"]
