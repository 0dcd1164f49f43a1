"""`blend plan`: figures of BLEnD and of a pilot."""

import json
from pathlib import Path

import pytest

from blend import build_release
from blend.exit_codes import UsageError
from blend.schemas.errors import InputError
from helpers.in_process import run
from helpers.mini_release import mini_recipe


def words(printed: str) -> str:
    """What is printed, whatever the line that it stands in."""
    return " ".join(printed.split())


@pytest.mark.slow
def test_a_plan_by_the_mean_of_the_regions():
    printed = words(run("plan", "--price", "0.10"))
    assert "Needed: templates for 5 points." in printed
    assert "Pairs and MCQs of all: as in BLEnD's regions (docs/contributing-data.md)." in printed
    assert "cost" not in run("plan")


@pytest.mark.slow
def test_a_plan_by_a_pilot(mini_release: Path):
    printed = json.loads(run("plan", mini_release, "--annotators", "3,5", "--json"))
    assert {row["locale"] for row in printed["designs"]} == {"ko-KR", "en-US", "fa-IR", "es-MX"}
    assert "Pairs and MCQs: as in the pilot." in words(run("plan", mini_release, "--locale", "ko-KR"))


@pytest.mark.slow
def test_a_pilot_of_one_region(tmp_path: Path):
    build_release(mini_recipe(locales=("ko-KR",)), tmp_path / "pilot")
    assert "Pairs and MCQs of ko-KR: as in BLEnD's regions (docs/contributing-data.md)." in words(
        run("plan", tmp_path / "pilot")
    )


@pytest.mark.parametrize("text", ["", "x", "100,", "1.5", "-1", "³", "9999999999"])
def test_lists_that_are_none(text: str):
    with pytest.raises(UsageError) as caught:
        run("plan", "--templates", text)
    assert str(caught.value) == (
        f"--templates {text}: expected whole numbers with commas between, such as 100,200,500"
    )


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--annotators", "1,5", "--annotators of 1; give whole numbers from 2 to 9"),
        ("--price", "-0.5", "--price of -0.5; give what an answer costs, 0 or more"),
        ("--difference", "100", "--difference of 100 points; give more than 0 and less than 100"),
    ],
)
def test_numbers_that_are_out_of_range(option: str, value: str, message: str):
    with pytest.raises(InputError) as caught:
        run("plan", option, value)
    assert str(caught.value) == message
