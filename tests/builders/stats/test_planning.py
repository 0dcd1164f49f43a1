"""Plans of collections: votes of other numbers of annotators, what is left, what it tells apart and costs."""

import math

import polars as pl
import pytest

from blend.builders.stats.planning import (
    REGION_FIGURES,
    CollectionPlan,
    plan_collection,
)
from blend.schemas.errors import InputError

FIGURES = pl.DataFrame(
    [("ha-NG", 5, 0.9, 0.5, 0.4, 2.0, 2.5), ("ko-KP", 5, 0.8, 0.0, 0.4, 1.0, 1.0)],
    REGION_FIGURES,
    orient="row",
)


def plan(**changes: object) -> CollectionPlan:
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
    with pytest.raises(InputError) as caught:
        plan(**changes)
    assert str(caught.value) == message
