"""The report: one file that needs nothing else, and that no model output can break."""

import json
import re
import shutil
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.evaluation import read_scored, write_report
from blend.eval.report.hardest_questions import HardQuestion, hardest_questions
from blend.eval.report.page_template import visible
from blend.eval.report.report_page import build_report
from blend.eval.report.report_sections import regions_in_words
from blend.eval.report.score_charts import region_map
from blend.eval.report.scored_runs import ScoredRun
from blend.eval.report.single_answers import VARIANTS
from blend.schemas.errors import InputError, MissingExtraError

pytestmark = [pytest.mark.slow]  # for what its tests share


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
def test_nothing_is_fetched(elements: Elements):
    for _, attributes in elements.tags:
        for name in ("src", "href", "action", "srcset", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))


@pytest.mark.landing
def test_the_library_is_there_once_and_the_file_is_small(page: str):
    assert page.count("window.vegaEmbed") == 1
    assert len(page.encode()) < 3_000_000


@pytest.mark.landing
def test_output_of_models_stays_text(elements: Elements):
    tags = [tag for tag, _ in elements.tags]
    assert tags.count("script") == 6
    assert "img" not in tags
    assert "b" not in tags
    assert r"\u202egnp.exe <script>alert(1)</script>" in elements.text
    assert ("A" * 300) in elements.text
    assert ("A" * 700) not in elements.text
    assert not set("\u202e\x07\x1b") & set(elements.text)


@pytest.mark.landing
def test_texts_of_others_keep_their_direction(elements: Elements):
    texts = [attributes for tag, attributes in elements.tags if attributes.get("class") == "text"]
    assert texts
    assert all(attributes["dir"] == "auto" for attributes in texts)


@pytest.mark.landing
def test_every_chart_has_a_place_and_a_description(page: str, elements: Elements):
    specs = json.loads(re.search(r'id="charts">(.*?)</script>', page, re.DOTALL)[1])
    places = [attributes["id"] for _, attributes in elements.tags if attributes.get("class") == "chart"]
    assert sorted(specs) == sorted(places)
    assert all(spec["description"] and spec["width"] == "container" for spec in specs.values())
    kinds = {name.split("-")[2] for name in specs}
    assert kinds == {"regions", "map", "topics", "cultures", "positions"}


@pytest.mark.landing
def test_the_three_spreads_of_answers_are_told_apart(elements: Elements, good: Path):
    (run,) = read_scored([good])
    assert list(run.of("accuracy", "answer-spread")) == ["universal", "shared", "specific"]
    assert "By how widespread the correct answer is" in elements.text


@pytest.mark.landing
def test_the_hardest_questions_are_wrong_and_two_of_a_region(good: Path, poor: Path):
    found = _hardest(read_scored([good, poor]))
    assert found
    regions = [question.region for question in found]
    assert max(regions.count(region) for region in regions) <= 2
    wrong = [sum(not answer.correct for answer in question.answers) for question in found]
    assert wrong == sorted(wrong, reverse=True)
    assert min(wrong) >= 1
    for question in found:
        assert question.accepted[0] in question.prompt
        for answer in question.answers:
            assert answer.correct == (answer.text in question.accepted)


def _hardest(runs: Sequence[ScoredRun]) -> tuple[HardQuestion, ...]:
    task = runs[0].task
    return hardest_questions(runs, [task.single_answers(run) for run in runs], task.known_questions(runs[0]))


@pytest.mark.landing
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("سلام\u200cها", "سلام\u200cها"),
        ("a\u202eb\x00c\u2066", r"a\u202eb\u0000c\u2066"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\ud800", r"\ud800"),
        ("x" * 700, "x" * 600 + "… (700 characters)"),
        ("x" * 1_000_000, "x" * 600 + "… (1,000,000 characters)"),
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
def test_no_run():
    with pytest.raises(InputError, match=r"^no run to report on; name one or more run directories$"):
        build_report([])


@pytest.mark.landing
def test_a_directory_is_not_a_file(good: Path, tmp_path: Path):
    with pytest.raises(InputError, match=rf"^{tmp_path}: is a directory; `out` names an HTML file$"):
        write_report([good], tmp_path)


@pytest.mark.landing
@pytest.mark.parametrize("content", ["my notes", "<!DOCTYPE html>\n<p>my own page"])
def test_only_a_page_of_ours_is_replaced(good: Path, tmp_path: Path, content: str):
    out = tmp_path / "report.html"
    out.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        write_report([good], out)
    assert str(caught.value) == (
        f"{out}: is not a page that blend wrote, so it is not replaced; choose another `out` or move it away"
    )
    assert out.read_text(encoding="utf-8") == content
    write_report([good], tmp_path / "older.html").replace(out)
    assert write_report([good], out) == out


@pytest.mark.landing
@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_library_is_named(good: Path, monkeypatch: pytest.MonkeyPatch, package: str):
    monkeypatch.setitem(sys.modules, package, None)
    expected = 'the report needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[report]"'
    with pytest.raises(MissingExtraError, match=f"^{re.escape(expected)}$"):
        build_report(read_scored([good]))


@pytest.mark.landing
def test_short_answers_beside_those_of_natives(short: Path):
    (run,) = read_scored([short])
    found = _hardest([run])
    gold = run.run.gold().rows_by_key(["template_id", "locale"], named=True, unique=True)
    items = run.run.items().rows_by_key("item_id", named=True, unique=True)
    assert {items[question.item_id]["language"] == "en" for question in found} == {True, False}
    for question in found:
        item = items[question.item_id]
        answers = "en_answers" if item["language"] == "en" else "answers"
        groups = gold[item["template_id"], item["locale"]]["annotations"]
        assert set(question.accepted) == {VARIANTS.join(group[answers]) for group in groups if group[answers]}
        assert question.prompt == item["prompt"]
        assert question.answers[0].text == f"جواب {question.item_id}"


@pytest.mark.nightly
def test_tasks_stand_on_one_page_with_what_asking_in_english_changes(good: Path, short: Path):
    page = build_report(read_scored([good, short]))
    specs = json.loads(re.search(r'id="charts">(.*?)</script>', page, re.DOTALL)[1])
    assert {"multiple-choice-regions-0", "short-answer-regions-0"} <= set(specs)
    assert "Local language against English" in Elements(page).text


@pytest.mark.landing
def test_a_model_in_two_tasks_keeps_its_name(good: Path, short: Path, make_run):
    twin = make_run("good", 0.5, folder="twin")
    assert [run.name for run in read_scored([good, short])] == ["good", "short"]
    names = [run.name for run in read_scored([good, twin, short])]
    assert names == [f"good ({good.name})", "good (twin)", "short"]
    assert [(run.scores.task, run.name) for run in read_scored([good, _as_model(short, "good")])] == [
        ("multiple-choice", "good"),
        ("short-answer", "good"),
    ]


def _as_model(run: Path, name: str) -> Path:
    """A copy of a scored run whose scores are another model's."""
    copy = run.with_name(f"{run.name}-of-{name}")
    shutil.copytree(run, copy)
    scores = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    (copy / "scores.json").write_text(json.dumps(scores | {"model": name}), encoding="utf-8")
    return copy


@pytest.mark.landing
def test_of_two_neighbours_the_southern_one_is_named_below_its_mark():
    places = {"KP": (40, 127), "KR": (36, 128), "US": (39, -98), "ZA": (-29, 25)}
    rows = [
        {"region": code, "code": code, "latitude": lat, "longitude": lon, "value": 50.0}
        for code, (lat, lon) in places.items()
    ]
    spec = region_map(rows, title="accuracy", domain=(0, 100))
    drawn = [row for layer in spec["layer"] for row in layer.get("data", {}).get("values", ())]
    below = {row["code"]: row["down"] > 0 for row in drawn if "code" in row}
    assert below == {"KP": False, "KR": True, "US": False, "ZA": False}


COVERING = """
[...document.querySelectorAll('.chart[id*=-map-]')].flatMap(chart => {
  const names = [...chart.querySelectorAll('.mark-text.role-mark text')].map(a => a.getBoundingClientRect());
  return names.flatMap((a, i) => names.slice(i + 1).filter(b =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3));
}).length
"""
"""Pairs of region names on maps that cover each other; a text's box is higher than its letters."""

CHANCE = """
[...document.querySelectorAll('.chart[id*=-regions-]')].flatMap(chart => {
  const boxes = name => [...chart.querySelectorAll(name)].map(one => one.getBoundingClientRect());
  const rows = Math.min(...boxes('.mark-rule line').map(one => one.top));
  const legend = Math.max(0, ...boxes('.role-legend text').map(one => one.bottom));
  return boxes('.mark-text.role-mark text').map(label => legend - 3 < label.top && label.bottom < rows + 3);
})
"""
"""Whether the label of the line of chance stands between the legend and the rows, for each that there is."""

LAND = "getComputedStyle(document.querySelector('.chart[id*=-map-] .mark-shape path')).fill"


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.integration  # a real browser
@pytest.mark.parametrize("width", [360, 800, 1400])
def test_a_browser_draws_it_at_any_width(
    good: Path, poor: Path, evil: Path, short: Path, width: int, tmp_path: Path, chromium: str
):
    page = build_report(read_scored([good, poor, evil, short]))
    from playwright.sync_api import sync_playwright

    file = tmp_path / "report.html"
    file.write_text(page, encoding="utf-8")
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            tab.set_default_timeout(0)
            tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.on(
                "request",
                lambda r: None if r.url.startswith(("file:", "data:")) else complaints.append(r.url),
            )
            tab.goto(file.as_uri())
            tab.wait_for_function(
                "[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))"
            )
            scroll, client = tab.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert scroll == client == width
            assert tab.evaluate("[...document.querySelectorAll('.chart svg')].every(s => s.clientHeight > 90)")
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            # Only pictures with many columns scroll, in a box of their own; tables are put differently.
            boxes = "[...document.querySelectorAll('.scroll:not(.wide)')]"
            assert tab.evaluate(f"{boxes}.every(box => box.scrollWidth <= box.clientWidth)")
            assert tab.evaluate(COVERING) == 0
            assert tab.evaluate(CHANCE) == [True]
            assert tab.evaluate(LAND) == {"light": "rgb(221, 227, 234)", "dark": "rgb(45, 51, 59)"}[scheme]
            tab.close()
        browser.close()
    assert complaints == []


@pytest.mark.nightly
def test_the_command_writes_it(good: Path, tmp_path: Path):
    out = tmp_path / "new" / "report.html"
    result = CliRunner().invoke(app, ["eval", "report", str(good), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Wrote {out}: open it in a browser.\n"
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.landing
def test_a_sentence_names_regions_as_they_are_printed():
    assert regions_in_words(["GB", "XX", "KR", "PH"]) == "the Philippines, South Korea, the UK, XX"
