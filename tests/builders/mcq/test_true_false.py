"""True or false: what its questions promise of any release."""

from pathlib import Path

import polars as pl
import pytest

from blend.loaders.releases.tables import read_config
from blend.schemas.recipe import McqOptions
from blend.schemas.rows import MULTIPLE_CHOICE_QUESTIONS, TRUE_FALSE_QUESTIONS
from helpers.questions.mcq_inputs import build_of

pytestmark = pytest.mark.slow

RUNGS = McqOptions(rungs=True)
FRUITS = {
    "en-GB": [("apple", 5)],
    "ko-KR": [("plum", 4)],
    "ar-DZ": [("date", 4)],
    "es-ES": [("orange", 3)],
    "fa-IR": [("pomegranate", 5)],
}


@pytest.fixture(scope="module")
def true_false(rungs_release: Path) -> pl.DataFrame:
    return read_config(rungs_release, TRUE_FALSE_QUESTIONS)


def test_the_other_tables_are_as_without_them(rungs_release: Path, mini_release: Path):
    for path in (mini_release / "data").rglob("*.parquet"):
        assert (rungs_release / path.relative_to(mini_release)).read_bytes() == path.read_bytes()
    assert not (mini_release / "data" / TRUE_FALSE_QUESTIONS).exists()


def test_each_question_yields_exactly_its_options_and_none_twice(rungs_release: Path, true_false: pl.DataFrame):
    mcqs = read_config(rungs_release, MULTIPLE_CHOICE_QUESTIONS).join(true_false, on="mcq_id", how="semi")
    assert len(true_false) == 4 * len(mcqs)
    assert not true_false["true_false_id"].is_duplicated().any()
    rows = true_false.group_by("mcq_id", maintain_order=True).agg(
        "option",
        "option_region",
        correct=(pl.col("answer") == "yes").arg_max(),
        n=(pl.col("answer") == "yes").sum(),
    )
    assert rows["mcq_id"].to_list() == mcqs["mcq_id"].to_list()
    assert rows["option"].to_list() == mcqs["options"].to_list()
    assert rows["option_region"].to_list() == mcqs["option_regions"].to_list()
    assert rows["correct"].to_list() == mcqs["answer"].to_list()
    assert rows["n"].unique().to_list() == [1]
    assert not true_false.select("template_id", "locale", "option").is_duplicated().any()


def test_what_a_person_reads(true_false: pl.DataFrame):
    row = true_false.filter(locale="ko-KR").row(0, named=True)
    assert row["prompt"] == (
        f'{row["question"]}\n\nIs "{row["option"]}" among the first things that people in South Korea '
        "would say? Answer only with yes or no.\n\nAnswer:"
    )
    # Nothing is asked of the form of an answer.
    assert not true_false["prompt"].str.contains("HH:MM|numerals").any()


# What is asked as true or false, and why else not


def test_options_are_asked_one_by_one_where_all_five_agree():
    build = build_of(FRUITS, options=RUNGS)
    asked = pl.concat(build.true_false_batches())
    assert set(asked["locale"]) == {"en-GB", "fa-IR"}
    assert build.found.select("locale", "reason", "detail").rows() == [
        ("ko-KR", "few-votes-true-false", "4 votes for 'plum'; 5 needed"),
        ("ar-DZ", "few-votes-true-false", "4 votes for 'date'; 5 needed"),
        ("es-ES", "few-votes-true-false", "3 votes for 'orange'; 5 needed"),
    ]


def test_no_wrong_number_is_near_those_that_people_gave():
    numbers = {"en-GB": [("10", 5)], "ko-KR": [("12", 5)], "ar-DZ": [("20", 5)], "es-ES": [("40", 5)]}
    build = build_of(numbers, options=RUNGS, answer_format="integer")
    asked = pl.concat(build.true_false_batches())
    assert set(asked["locale"]) == {"ar-DZ", "es-ES"}
    assert ("T-1", "en-GB", "near-number", "'12' beside '10'") in build.found.rows()
    assert ("T-1", "ko-KR", "near-number", "'10' beside '12'") in build.found.rows()
