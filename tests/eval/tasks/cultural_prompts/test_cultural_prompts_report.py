"""The page on texts for readers of many nationalities, and what cannot be said of them."""

import shutil
from pathlib import Path

import pytest

from blend.eval.evaluation import compare_runs, read_scored
from blend.eval.report.report_page import build_report
from blend.eval.scoring import score_answers, write_scores
from blend.schemas.errors import InputError


@pytest.fixture
def scored(golden_texts, surveys, run_of) -> Path:
    run = run_of(golden_texts)
    write_scores(run, score_answers(run, surveys=surveys))
    return run.directory


@pytest.mark.slow
def test_the_page_has_every_part(scored: Path):
    page = build_report(read_scored([scored]))
    for part in (
        "Texts for readers of many nationalities",
        "Variance between and within nationalities",
        "Agreement with hofstede, by BLEU",
        "Agreement with wvs, by −WED",
        "Whose texts are alike",
        "Words of every nationality",
        "Side by side: stories/moral_values/honesty",
        # Words of the goldens, and a text.
        "butrir, kobriastan",
        "Once upon a time in Dougak Bay",
    ):
        assert part in page, part
    # Its samples are no repeats of a question that is correct or wrong.
    assert "Every question was asked" not in page


@pytest.mark.slow
def test_a_table_that_is_gone_is_told(scored: Path):
    (scored / "analysis" / "words.parquet").unlink()
    with pytest.raises(InputError) as reword:
        build_report(read_scored([scored]))
    message = str(reword.value)
    assert message.startswith(f"{scored / 'analysis' / 'words.parquet'}: no such file; ")
    assert message.endswith(f"score the run again, with the options of before: blend eval score {scored}")


@pytest.mark.slow
def test_own_groups_have_a_page_without_a_map(run_of):
    rows = [
        {"group": group, "topic": topic, "sample": sample, "text": f"{group} says {topic} {sample} again"}
        for group in ("old", "young")
        for topic in ("rain", "snow")
        for sample in (0, 1)
    ]
    run = run_of(rows)
    write_scores(run, score_answers(run))
    page = build_report(read_scored([run.directory]))
    assert "Variance between and within nationalities" in page
    assert "Whose texts are alike" not in page


@pytest.mark.slow
def test_no_model_is_called_better(golden_texts, run_of):
    directories = []
    for name in ("one", "two"):
        run = run_of(golden_texts, name)
        write_scores(run, score_answers(run))
        directories.append(run.directory)
    # Two tables are two releases; the rest of their signatures is equal.
    with pytest.raises(InputError, match="cannot be compared"):
        compare_runs(directories)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_comparing_runs_of_one_table_says_why_not(scored: Path, tmp_path: Path):
    other = tmp_path / "other"
    shutil.copytree(scored, other)
    with pytest.raises(InputError) as reword:
        compare_runs([scored, other])
    assert str(reword.value) == (
        "texts for readers of many nationalities are not correct or wrong, so no model is better; show the "
        "runs side by side in a report"
    )
    assert build_report(read_scored([scored, other])).count("Side by side") == 2


@pytest.mark.integration  # a real browser
def test_a_browser_draws_it_and_the_map_follows_the_choice(scored: Path, tmp_path: Path, chromium: str):
    from playwright.sync_api import sync_playwright

    file = tmp_path / "report.html"
    file.write_text(build_report(read_scored([scored])), encoding="utf-8")
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in (360, 1200):
            tab = browser.new_page(viewport={"width": width, "height": 800})
            tab.set_default_timeout(0)
            tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.goto(file.as_uri())
            tab.wait_for_function(
                "[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))"
            )
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            marks = "[...document.querySelectorAll('.chart[id*=-map-] path[fill^=rgb]')]"
            colours = f"{marks}.map(mark => mark.getAttribute('fill'))"
            before = tab.evaluate(colours)
            tab.select_option(".chart[id*=-map-] select", label="Japanese")
            tab.wait_for_function(f"{colours}.join() != {','.join(before)!r}")
            tab.close()
        browser.close()
    assert complaints == []
