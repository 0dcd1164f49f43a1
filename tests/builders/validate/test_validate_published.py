"""Validation of real releases: the 16 published regions in both modes, and a version on the Hub."""

from pathlib import Path

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest

pytestmark = pytest.mark.integration


@pytest.mark.landing
def test_the_release_of_16_regions_has_known_warnings_and_no_errors(regions_release: Path):
    report = validate_release(regions_release, examples=1000)
    found = {check.check: check for check in report.checks if check.level is not None}
    assert {name: (check.errors, check.warnings, check.infos) for name, check in found.items()} == {
        # Each recorded by the build: 1 answer with 6 votes of 5, 109 questions with more than 5 non-answers.
        "votes": (0, 110, 0),
        # One blank question, in two tables; zero-width characters that Assamese, Azerbaijani … do not use.
        "characters": (0, 89, 0),
        # Greek letters in two English answers, which are not options for that.
        "scripts": (0, 2, 0),
    }
    (reading, _) = read_manifest(regions_release).report
    recorded = ("votes-above-annotators", "non-answers-above-annotators")
    assert sum(reading.findings[kind] for kind in recorded) == 110
    blank = [str(problem) for problem in found["characters"].examples if "is blank" in problem.what]
    assert blank == [
        f"data/{place}-00000.parquet:New-en-04: column {column} is blank; fill it in or leave the row out"
        for place, column in (("annotations/CN", "question"), ("short-answer-questions/CN", "Question"))
    ]
    assert report.passes()
    assert not report.passes(strict=True)


@pytest.mark.nightly
def test_paper_mode_lets_overlapping_options_through(paper_release: Path):
    report = validate_release(paper_release, checks={name: CHECKS[name] for name in ("options", "questions")})
    assert {check.check: (check.errors, check.warnings, check.infos) for check in report.checks} == {
        "options": (0, 9654, 0),
        "questions": (0, 0, 0),
    }
