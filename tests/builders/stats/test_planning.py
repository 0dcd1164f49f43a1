"""Plans of collections: votes of other numbers of annotators, what is left, what it tells apart and costs."""

import math
from pathlib import Path

import polars as pl
import pytest

from blend.builders.stats.planning import (
    REGION_FIGURES,
    _CollectionPlan,
    _pilot_figures,
    plan_collection,
    power,
    release_figures,
)
from blend.loaders.releases.tables import read_config
from blend.loaders.responses.verdicts import shipped_collections
from blend.schemas.frames import ANNOTATION_ROWS
from helpers.messages import wrong

SCHEMA = {"template_id": pl.String, "locale": pl.String} | {
    name: ANNOTATION_ROWS[name] for name in ("annotations", "idks")
}


def annotations_of(*questions: tuple[list[int], dict[str, int]], locale: str = "ko-KR") -> pl.DataFrame:
    """Questions with the votes of their answers and their non-answers."""
    none = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    rows = [
        {
            "template_id": f"q{i}",
            "locale": locale,
            "annotations": [{"answers": [], "en_answers": [], "count": count} for count in votes],
            "idks": {**none, **idks, "others": []},
        }
        for i, (votes, idks) in enumerate(questions)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


FIGURES = pl.DataFrame(
    [("ha-NG", 5, 0.9, 0.5, 0.4, 2.0, 2.5, "pilot"), ("ko-KP", 5, 0.8, 0.0, 0.4, 1.0, 1.0, "BLEnD")],
    REGION_FIGURES,
    orient="row",
)


OTHERS = FIGURES.with_columns(mcqs_from=pl.lit("BLEnD"))


def plan(**changes: object) -> _CollectionPlan:
    return plan_collection(FIGURES, **({"annotators": [5], "templates": [500]} | changes))  # type: ignore[arg-type]


def test_what_a_collection_brings_and_costs():
    # 500 * 0.5 * 0.4 = 100 pairs with 200 questions; 1 + 1.5 * 0.65 = 1.975 of them say as much as one:
    # 2.80159 * sqrt(0.35 * 1.975 / 200) = 0.16470.
    row = plan(price=0.1).designs.row(0, named=True)
    assert row["difference"] == pytest.approx(0.16470, abs=1e-5)
    assert (row["answers"], row["cost"]) == (2500, pytest.approx(250.0))
    assert (row["short_answers"], row["pairs"], row["mcqs"]) == (450, 100, 200)


def test_what_a_difference_takes():
    # (0.16470 / 0.05) ** 2 * 500 templates = 5,425.4.
    designs = plan().designs
    # A region in which nobody agrees gives no questions, however many are asked.
    assert designs["needed"].to_list() == [5426, None]
    assert designs.row(1, named=True)["difference"] is None
    assert designs["cost"].to_list() == [None, None]
    # As much as a collection of so many tells apart.
    again = plan(templates=[5426]).designs["difference"][0]
    assert again == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"templates": [0]}, "`templates` of 0; give whole numbers from 1 to 100,000"),
        ({"templates": []}, "`templates` of 0; give whole numbers from 1 to 100,000"),
        ({"annotators": [5, 1]}, "`annotators` of 1; give whole numbers from 2 to 9"),
        ({"annotators": [10]}, "`annotators` of 10; give whole numbers from 2 to 9"),
        ({"difference": 0.0}, "`difference` of 0 points; give more than 0 and less than 100"),
        ({"difference": math.nan}, "`difference` of nan points; give more than 0 and less than 100"),
        ({"price": -1.0}, "`price` of -1; give what an answer costs, 0 or more"),
        ({"price": math.inf}, "`price` of inf; give what an answer costs, 0 or more"),
    ],
)
def test_numbers_that_are_out_of_range(changes: dict[str, object], message: str):
    assert wrong(lambda: plan(**changes)) == message


def test_a_pilot_without_votes_or_with_one_annotator():
    assert wrong(
        lambda: _pilot_figures(annotations_of(([], {"idk": 5})), None, wanted=5, comparable=OTHERS)
    ) == (
        "ko-KR: no votes for any answer; plan from one that has some, or from BLEnD's regions: "
        "leave `release` out"
    )
    assert wrong(lambda: _pilot_figures(annotations_of(([1], {})), None, wanted=1, comparable=OTHERS)) == (
        "each question was given to one annotator, so nothing tells who agrees; ask two or more"
    )


def test_as_many_annotators_leave_what_they_left_and_others_as_elsewhere():
    pilot = annotations_of(
        ([3, 2], {}), ([2, 2, 1], {}), ([4], {"not-applicable": 1}), ([3], {"idk": 2}), ([], {"idk": 5})
    )
    three = OTHERS.with_columns(annotators=pl.lit(3, pl.Int64), majority=pl.col("majority") * 1.2)
    figures = _pilot_figures(pilot, None, wanted=5, comparable=pl.concat([OTHERS, three]))
    # The first and the fourth have three votes, and nobody for whom they do not apply; the last is not scored.
    # In the other regions three annotators leave 1.2 times as many majorities as five.
    assert figures.select("annotators", "short_answers", "majority").rows() == [
        (3, pytest.approx(4 / 5), pytest.approx(1.2 * 2 / 5)),
        (5, pytest.approx(4 / 5), pytest.approx(2 / 5)),
    ]


def test_a_pilot_with_questions_counts_its_own():
    pilot = annotations_of(([3, 2], {}), ([4, 1], {}), ([2, 2, 1], {}))
    mcqs = pl.DataFrame({"template_id": ["q0"] * 3, "locale": ["ko-KR"] * 3})
    (row,) = _pilot_figures(pilot, mcqs, wanted=5, comparable=OTHERS).iter_rows(named=True)
    # Two of three templates have a majority, and one of the two has questions: three.
    assert row["offered"] == pytest.approx(0.5)
    assert (row["mcqs"], row["size"], row["mcqs_from"]) == (3.0, 3.0, "pilot")


@pytest.mark.nightly
@pytest.mark.integration
def test_the_figures_are_those_of_the_release(regions_release: Path):
    comparable = shipped_collections()
    counted = release_figures(regions_release, comparable=comparable)
    both = counted.filter(annotators=5).join(comparable, on=["locale", "annotators"], suffix="_shipped")
    assert both.height == 16
    # Where more than five have answered, the shipped shares are those of five drawn from them.
    most = {"short_answers": 0.03, "majority": 0.03, "offered": 0.05}
    for name, distance in most.items():
        assert (both[name] - both[f"{name}_shipped"]).abs().max() <= distance, name
    # What is yet to be collected nobody has read: it gets no further questions.
    assert set(comparable["mcqs"]) == set(comparable["size"]) == {1.0}
    # A plan of what was collected says what the statistics say of it.
    planned = plan_collection(counted, templates=[500], annotators=[5]).designs
    told_apart = power(read_config(regions_release, "multiple-choice-questions").lazy()).collect()
    of_both = planned.join(told_apart, on="locale", suffix="_measured")
    # Greece has 501 questions, of which one repeats another.
    assert (of_both["difference"] - of_both["difference_measured"]).abs().max() <= 0.002
