"""`blend plan`: figures of BLEnD and of a pilot, printed, kept and drawn."""

import json
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from blend import build_release
from blend.exit_codes import UsageError
from blend.schemas.errors import InputError, StorageError
from helpers.in_process import run
from helpers.mini_release import mini_recipe


def words(printed: str) -> str:
    """What is printed, whatever the line that it stands in."""
    return " ".join(printed.split())


@pytest.mark.slow
def test_a_plan_by_the_mean_of_the_regions():
    printed = words(run("plan", "--price", "0.10"))
    assert "What it takes to tell two models apart by 5 points" in printed
    assert "Pairs and MCQs of all: as in BLEnD's regions (docs/plan.md)." in printed
    assert "cost" not in run("plan")


def test_the_figures_of_the_page(root: Path):
    # docs/plan.md says what two regions take for 5 points.
    tags = ("ha-NG", "ko-KP")
    found = json.loads(run("plan", "--locale", tags[0], "--locale", tags[1], "--annotators", "5", "--json"))
    page = (root / "docs" / "plan.md").read_text(encoding="utf-8")
    assert [row["locale"] for row in found["needed"]] == list(tags)
    for row in found["needed"]:
        cells = [f"{row[name]:,}" for name in ("templates", "answers")]
        assert f"| 5 points | {cells[0]} | {cells[1]} | {row['answers'] / 10:,.2f} |" in page
    for row in found["designs"]:
        if row["templates"] == 500:
            figures = f"{row['pairs']} | {row['mcqs']} | ±{row['half_width']:.1%} | {row['difference']:.1%} |"
            assert figures.replace("%", " %") in page


def test_the_chart_of_the_page_is_of_today(root: Path, tmp_path: Path):
    run("plan", "--price", "0.10", "--chart", tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_bytes() == (root / "docs" / "images" / "plan.svg").read_bytes()
    ElementTree.parse(tmp_path / "plan.svg")


@pytest.mark.slow
def test_a_plan_by_a_pilot(mini_release: Path, tmp_path: Path):
    out = tmp_path / "plan"
    printed = json.loads(run("plan", mini_release, "--annotators", "3,5", "--out", out, "--json"))
    assert {row["locale"] for row in printed["designs"]} == {"ko-KR", "en-US", "fa-IR", "es-MX"}
    assert pl.read_parquet(out / "designs.parquet").to_dicts() == printed["designs"]
    assert json.loads((out / "plan.json").read_text(encoding="utf-8")) == printed
    assert "Pairs and MCQs: as in the pilot." in run("plan", mini_release, "--locale", "ko-KR")


@pytest.mark.slow
def test_a_pilot_of_one_region(tmp_path: Path):
    build_release(mini_recipe(locales=("ko-KR",)), tmp_path / "pilot")
    assert "Pairs and MCQs of ko-KR: as in BLEnD's regions (docs/plan.md)." in words(
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


@pytest.mark.slow
def test_only_a_chart_of_a_plan_is_replaced(tmp_path: Path):
    drawing = tmp_path / "drawing.svg"
    drawing.write_text("<svg>mine</svg>")
    with pytest.raises(InputError) as caught:
        run("plan", "--chart", drawing)
    assert str(caught.value) == (
        f"{drawing}: is not a chart of a plan that blend wrote, so it is not replaced; choose another --chart "
        "or move it away"
    )
    assert drawing.read_text() == "<svg>mine</svg>"
    chart = tmp_path / "plan.svg"
    run("plan", "--chart", chart)
    run("plan", "--chart", chart, "--price", "0.10")
    assert chart.read_text(encoding="utf-8").startswith("<svg")


def test_a_chart_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(StorageError) as caught:
        run("plan", "--chart", tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: cannot write here (Is a directory); choose another --chart or change the permissions"
    )
    assert list(tmp_path.iterdir()) == []
