"""The report as a whole: what is clean, what is counted, what a caller can choose."""

import doctest
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend import __version__
from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.checked_release import CheckResult, Level, Problem, error, warning
from blend.cli.publish import _problem_lines
from blend.loaders.releases import read_manifest

OFFLINE = {name: check for name, check in CHECKS.items() if name != "loading"}


def test_the_sample_is_clean(sample_release: Path):
    report = validate_release(sample_release, checks=OFFLINE)
    assert (report.errors, report.warnings) == (0, 0)
    assert report.passes(strict=True)
    assert [check.check for check in report.checks] == list(OFFLINE)
    assert all(10 < len(check.title) < 50 for check in report.checks)
    assert (report.release, report.name, report.version) == (str(sample_release), "blend-sample", "0.1.0")
    assert (report.rows, report.sdk_version) == (1097, __version__)


def test_a_caller_has_checks_of_its_own(sample_release: Path):
    def check_regions(checked):
        """Regions are three."""
        splits = checked.rows("annotations")["split"].unique()
        if len(splits) != 3:
            yield error("release.json", f"{len(splits)} regions, not 3", "add some")

    report = validate_release(sample_release, checks={"regions": check_regions}, name="mine")
    assert report.release == "mine"
    assert json.loads(report.to_json())["checks"] == [
        {
            "check": "regions",
            "title": "Regions are three",
            "errors": 1,
            "warnings": 0,
            "examples": [
                {
                    "level": "error",
                    "where": "release.json",
                    "what": "10 regions, not 3",
                    "fix": "add some",
                }
            ],
            "level": "error",
        }
    ]
    assert not report.passes()


def lines_of(problems: list[Problem], *, examples: int = 10) -> list[str]:
    result = CheckResult.of("mine", "Mine", iter(problems), examples=examples)
    return list(_problem_lines(result, Level.ERROR))


def test_every_cause_is_shown_however_late_it_comes():
    many = [error(f"a:{i}", f"no question '{i}'", "add it") for i in range(200)]
    assert lines_of([*many, error("b:1", "is blank", "fill it in")]) == [
        "\n[bold red]error[/] mine: 201",
        *(f"  a:{i}: no question '{i}'; add it" for i in range(3)),
        "  b:1: is blank; fill it in",
        *(f"  a:{i}: no question '{i}'; add it" for i in range(3, 9)),
        "  … and 191 more (--examples)",
    ]
    assert lines_of(many, examples=0) == [
        "\n[bold red]error[/] mine: 200",
        "  … and 200 more (--examples)",
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 99)), max_size=60, unique=True),
    st.integers(1, 12),
)
def test_nothing_is_lost_in_the_counts(given: list[tuple[str, int]], examples: int):
    problems = [error(f"f:{row}", f"cause {kind} '{row}'", "mend") for kind, row in given]
    found = [*problems, warning("b", "two")]
    result = CheckResult.of("mine", "Mine", iter(found), examples=examples)
    assert (result.errors, result.warnings) == (len(problems), 1)
    assert len(result.examples) == min(examples, len(problems)) + 1
    assert set(result.examples) <= set(found)
    assert result.level is (Level.ERROR if problems else Level.WARNING)


@pytest.mark.sampled
@pytest.mark.parametrize("config", ["annotations", "short-answer-questions", "short-answer-prompts"])
def test_a_missing_file_is_told_once_not_for_every_row(release, config: str):
    file = f"data/{config}/KR-00000.parquet"
    (release.path / file).unlink()
    report = validate_release(release.path, checks=OFFLINE)
    errors = [str(p) for result in report.checks for p in result.examples if p.level is Level.ERROR]
    assert errors == [
        f"{file}: is missing; copy or download the release again, or rebuild it",
        f"{config}/KR: {file} is missing, its rows are not checked; copy or build the release again",
    ]


@pytest.mark.nightly
def test_the_examples_of_the_documentation(root: Path):
    tested = doctest.testfile(str(root / "docs" / "cards.md"), module_relative=False)
    assert (tested.failed, tested.attempted > 0) == (0, True)


# Validation of real releases: the 16 published regions in both modes, and a version on the Hub.


@pytest.mark.landing
@pytest.mark.integration
def test_the_release_of_16_regions_has_known_warnings_and_no_errors(regions_release: Path):
    report = validate_release(regions_release, examples=1000)
    found = {check.check: check for check in report.checks if check.level is not None}
    assert {name: (check.errors, check.warnings) for name, check in found.items()} == {
        # One blank question, in two tables; zero-width characters that Assamese, Azerbaijani … do not use.
        "characters": (0, 89),
        # Greek letters in two English answers, which are not options for that.
        "scripts": (0, 2),
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
@pytest.mark.integration
def test_paper_mode_lets_overlapping_options_through(paper_release: Path):
    report = validate_release(paper_release, checks={name: CHECKS[name] for name in ("options", "questions")})
    assert {check.check: (check.errors, check.warnings) for check in report.checks} == {
        "options": (0, 9654),
        "questions": (0, 0),
    }
