"""The page on texts for readers of many nationalities."""

from pathlib import Path

import pytest

from blend.eval.evaluation import read_scored
from blend.eval.report.report_page import build_report
from blend.eval.scoring import score_answers, write_scores


@pytest.fixture
def scored(golden_texts, surveys, run_of) -> Path:
    run = run_of(golden_texts)
    write_scores(run, score_answers(run, surveys=surveys))
    return run.directory


@pytest.mark.landing
@pytest.mark.slow
def test_the_page_has_every_part(scored: Path):
    page = build_report(read_scored([scored]))
    for part in (
        "Texts for readers of many nationalities",
        "Variance between and within nationalities",
        "Agreement with hofstede, by BLEU",
        "Agreement with wvs, by −WED",
        "Words of every nationality",
        "butrir, kobriastan",
    ):
        assert part in page, part
    # Its samples are no repeats of a question that is correct or wrong.
    assert "Every question was asked" not in page
