"""Single questions in a real browser: found, filtered, opened by key; nothing runs, nothing overflows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.evaluation import read_scored
from blend.eval.report.pages import build_release_page, build_report

ROWS = ".list > tbody > tr:not(.detail)"
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def status(tab: Any) -> str:
    text: str = tab.locator(".browser [role=status]").first.inner_text()
    return text


def filter_of(tab: Any, name: str) -> Any:
    return tab.get_by_role("combobox", name=name)


def test_questions_are_found_and_opened_by_key(
    good: Path, evil: Path, tmp_path: Path, opened: Callable[..., Any]
):
    runs = read_scored([good, evil])
    page = tmp_path / "report.html"
    page.write_text(build_report(runs), encoding="utf-8")
    decided = [run.decisions() for run in runs]
    both = decided[0].join(decided[1].select("item_id", other="correct"), on="item_id")
    with opened(page) as tab:
        tab.wait_for_selector(ROWS)
        assert status(tab) == f"1–25 of {both.height:,} questions"
        filter_of(tab, "Result").select_option("differ")
        assert status(tab).endswith(f"of {both.filter(correct=True, other=False).height:,} questions")
        filter_of(tab, "Result").select_option(label="wrong, every model")
        assert status(tab).endswith(f"of {both.filter(correct=False).height} questions")
        tab.get_by_role("button", name="Clear").click()
        tab.wait_for_function("document.querySelector('.browser select').value === ''")
        filter_of(tab, "Region").select_option(index=1)
        name = tab.locator(f"{ROWS} td[data-label=Region]").first.inner_text()
        assert set(tab.locator(f"{ROWS} td[data-label=Region]").all_inner_texts()) == {name}
        filter_of(tab, "Region").select_option("")
        item = both["item_id"][40]
        tab.get_by_role("searchbox", name="Search").fill(item)
        tab.wait_for_function(
            "document.querySelector('.browser [role=status]').textContent === '1–1 of 1 question'"
        )
        # Tab from the last filter: its button, then the question.
        tab.get_by_role("button", name="Clear").focus()
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        detail = tab.locator(".detail")
        assert detail.is_visible()
        assert tab.locator(".question-title").get_attribute("aria-expanded") == "true"
        text = detail.inner_text()
        assert item in text
        assert r"\u202egnp.exe <script>alert(1)</script>" in text
        assert "the reply names no option" in text
        assert detail.locator("script, img").count() == 0
        tab.get_by_role("searchbox", name="Search").fill("no such text")
        tab.wait_for_function(
            "document.querySelector('.browser [role=status]').textContent === 'No question is like that.'"
        )


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize("width", [390, 1400])
def test_a_release_is_looked_through(
    sample_release: Path, width: int, tmp_path: Path, opened: Callable[..., Any]
):
    page = tmp_path / "release.html"
    page.write_text(build_release_page(sample_release), encoding="utf-8")
    with opened(page, width=width) as tab:
        tab.wait_for_selector(ROWS)
        first = tab.locator(".question-title").first
        first.click()
        assert tab.locator(".detail .votes .bar").first.is_visible()
        regions = tab.locator(".detail h5").all_inner_texts()
        assert len(regions) == len(set(regions)) > 1
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert tab.evaluate(FITS)
        filter_of(tab, "Region").select_option(label=regions[-1])
        first.click()
        assert tab.locator(".detail h5").first.inner_text() == regions[-1]
        # What the contents list is in the table as well: every cell says what it is.
        assert tab.locator(f"{ROWS} td:not(:first-child):not([data-label])").count() == 0
