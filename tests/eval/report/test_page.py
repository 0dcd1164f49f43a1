"""The report: one file that needs nothing else, and that no model output can break."""

import json
import re
import sys
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.eval.evaluation import compare_runs, read_scored, write_report
from blend.eval.report.pages import build_report, visible
from helpers.messages import wrong


class Elements(HTMLParser):
    """Tags with attributes, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text += data


@pytest.fixture(scope="session")
def page(good: Path, poor: Path, evil: Path) -> str:
    return build_report(read_scored([good, poor, evil]))


@pytest.fixture(scope="session")
def elements(page: str) -> Elements:
    return Elements(page)


@pytest.mark.landing
def test_it_names_models_release_and_signature(page: str, elements: Elements, good: Path):
    scores = json.loads((good / "scores.json").read_text(encoding="utf-8"))
    for text in ("good", "poor <b>&</b>", scores["signature"], scores["release"], "better"):
        assert text in elements.text


@pytest.mark.landing
def test_the_overview_begins_with_the_leading_figure_and_has_few_columns(page: str):
    overviews = re.findall(r'<table class="stack overview">.*?<thead><tr>(.*?)</tr></thead>', page, re.DOTALL)
    heads = [re.findall(r'<th scope="col">(.*?)</th>', head) for head in overviews]
    assert heads[0][:3] == ["model", "place", "accuracy by pair, mean over regions, %"]
    assert all(len(head) <= 8 for head in heads)


@pytest.mark.landing
def test_beside_each_pair_stands_how_many_answers_differ(good: Path, poor: Path, evil: Path, page: str):
    found = compare_runs([good, poor, evil])
    assert found.pairs["n_broken"][0] > found.pairs["n_fixed"][0] == 0
    rows = [re.findall("<bdi>(.*?)</bdi>", row) for row in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)]
    for shown in found.as_tables()[1:]:
        for row in shown.cells():
            assert [escape(cell, quote=False) for cell in row] in rows


@pytest.mark.landing
def test_output_of_models_stays_text(elements: Elements):
    tags = [tag for tag, _ in elements.tags]
    assert tags.count("script") == 5
    assert "img" not in tags
    assert "b" not in tags
    assert not set("\u202e\x07\x1b") & set(elements.text)


@pytest.mark.landing
def test_every_chart_has_a_place_and_a_description(page: str, elements: Elements):
    specs = json.loads(re.search(r'id="charts">(.*?)</script>', page, re.DOTALL)[1])
    places = [attributes["id"] for _, attributes in elements.tags if attributes.get("class") == "chart"]
    assert sorted(specs) == sorted(places)
    assert all(spec["description"] and spec["width"] == "container" for spec in specs.values())
    kinds = {name.removeprefix("multiple-choice-").rpartition("-")[0] for name in specs}
    assert kinds == {"by-region", "by-region-and-topic", "whose-culture-a-model-falls-back-to"}


@pytest.mark.landing
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("سلام\u200cها", "سلام\u200cها"),
        ("a\u202eb\x00c\u2066", r"a\u202eb\x00c\u2066"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\ud800", r"\ud800"),
        ("x" * 700, "x" * 600 + "… (700 characters)"),
    ],
)
def test_what_is_shown(text: str, shown: str):
    assert visible(text) == shown


@pytest.mark.landing
@given(st.text())
def test_what_is_shown_never_turns_or_controls(text: str):
    assert not set(visible(text)) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x00\x07\x1b\x7f"
    )


@pytest.mark.landing
@pytest.mark.parametrize("content", ["my notes", "<!DOCTYPE html>\n<p>my own page"])
def test_only_a_page_of_ours_is_replaced(good: Path, tmp_path: Path, content: str):
    out = tmp_path / "report.html"
    out.write_text(content, encoding="utf-8")
    assert wrong(lambda: write_report([good], out)) == (
        f"{out}: is not a page that blend wrote, so it is not replaced; choose another `out` or move it away"
    )
    assert out.read_text(encoding="utf-8") == content
    write_report([good], tmp_path / "older.html").replace(out)
    assert write_report([good], out) == out


@pytest.mark.landing
def test_a_missing_library_is_named(good: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert wrong(lambda: build_report(read_scored([good]))) == (
        'the report needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[report]"'
    )


CHANCE = """
[...document.querySelectorAll('.chart[id$=-by-region-0]')].flatMap(chart => {
  const boxes = name => [...chart.querySelectorAll(name)].map(one => one.getBoundingClientRect());
  const rows = Math.min(...boxes('.mark-rule line').map(one => one.top));
  const legend = Math.max(0, ...boxes('.role-legend text').map(one => one.bottom));
  return boxes('.mark-text.role-mark text').map(label => legend - 3 < label.top && label.bottom < rows + 3);
})
"""
"""Whether the label of the line of chance stands between the legend and the rows, for each that there is."""


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.integration  # a real browser
@pytest.mark.parametrize("width", [360, 800, 1400])
def test_a_browser_draws_it_at_any_width(
    good: Path, poor: Path, evil: Path, short: Path, width: int, tmp_path: Path, opened: Callable[..., Any]
):
    file = tmp_path / "report.html"
    file.write_text(build_report(read_scored([good, poor, evil, short])), encoding="utf-8")
    for scheme in ("light", "dark"):
        with opened(file, width=width, scheme=scheme) as tab:
            drawn = "[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))"
            tab.wait_for_function(drawn)
            page = "document.documentElement"
            assert tab.evaluate(f"[{page}.scrollWidth, {page}.clientWidth]") == [width, width]
            assert tab.evaluate("[...document.querySelectorAll('.chart svg')].every(s => s.clientHeight > 90)")
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            # Only pictures with many columns scroll, in a box of their own; tables are put differently.
            boxes = "[...document.querySelectorAll('.scroll:not(.wide)')]"
            assert tab.evaluate(f"{boxes}.every(box => box.scrollWidth <= box.clientWidth)")
            assert tab.evaluate(CHANCE) == [True]
