"""The report as a whole: what is clean, what is counted, what a caller can choose."""

import doctest
import json
from pathlib import Path

import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.report import CheckResult, Level, Problem, ValidationReport, error, info, warning
from blend.schemas.errors import BlendError
from blend.schemas.locales import Registry
from blend.version import __version__

OFFLINE = {name: check for name, check in CHECKS.items() if name != "loading"}


@pytest.mark.slow
def test_the_sample_is_clean(sample_release: Path):
    report = validate_release(sample_release, checks=OFFLINE)
    assert (report.errors, report.warnings) == (0, 0)
    assert report.passes(strict=True)
    assert [check.check for check in report.checks] == list(OFFLINE)
    assert (report.release, report.name, report.version) == (str(sample_release), "blend-sample", "0.1.0")
    assert (report.rows, report.sdk_version) == (1097, __version__)


@pytest.mark.slow
def test_a_signed_copy_is_as_clean(release):
    release.change("annotations", "KR", lambda rows: rows)
    assert validate_release(release.path, checks=OFFLINE).errors == 0


@pytest.mark.slow
def test_splits_that_lack_a_question_are_told(sample_release: Path):
    (result,) = validate_release(sample_release, checks={"alignment": CHECKS["alignment"]}).checks
    assert [str(problem) for problem in result.examples] == [
        "short-answer-questions/DZ: lacks 1 of 40 ids: sport-03",
        "short-answer-questions/IR: lacks 1 of 40 ids: work-02",
        "short-answer-questions/MX: lacks 1 of 40 ids: sport-03",
        "short-answer-questions/KP: lacks 1 of 40 ids: food-06",
        "short-answer-questions/JP: lacks 1 of 40 ids: hol-01",
    ]
    assert (result.errors, result.warnings, result.infos, result.level) == (0, 0, 5, Level.INFO)


@pytest.mark.slow
def test_every_check_says_in_a_few_words_what_it_looks_at(sample_release: Path):
    for result in validate_release(sample_release, checks=OFFLINE).checks:
        assert 10 < len(result.title) < 50, result.check


@pytest.mark.slow
def test_an_empty_registry_knows_no_locale(sample_release: Path):
    (result,) = validate_release(
        sample_release, checks={"splits": CHECKS["splits"]}, locales=Registry(())
    ).checks
    assert (result.errors, result.infos) == (0, 10)
    assert str(result.examples[0]) == (
        "release.json: am-ET is in no registry: script and regions of its 109 rows are not checked; "
        "give the locales that the release was built with"
    )


@pytest.mark.slow
def test_a_caller_has_checks_of_its_own(sample_release: Path):
    def check_regions(checked):
        """Regions are three."""
        splits = {table.split for table in checked.tables("annotations")}
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
            "infos": 0,
            "applies": True,
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


def test_all_problems_are_counted_and_the_first_shown():
    found = [info("a", "one"), *(warning(str(i), "two", "mend") for i in range(1000)), error("b", "three")]
    result = CheckResult.of("mine", "Mine", iter(found), examples=2)
    assert (result.errors, result.warnings, result.infos) == (1, 1000, 1)
    assert [str(problem) for problem in result.examples] == [
        "b: three",
        "0: two; mend",
        "1: two; mend",
        "a: one",
    ]
    assert result.level is Level.ERROR


@pytest.mark.parametrize(
    ("errors", "warnings", "passes", "passes_strictly"),
    [(0, 0, True, True), (0, 1, True, False), (1, 0, False, False)],
)
def test_when_a_release_passes(errors: int, warnings: int, passes: bool, passes_strictly: bool):
    result = CheckResult(check="a", title="A", errors=errors, warnings=warnings, infos=9, examples=())
    report = ValidationReport(
        release="r", name="n", version="1.0.0", rows=0, sdk_version="0", checks=(result, result)
    )
    assert (report.errors, report.warnings, report.infos) == (2 * errors, 2 * warnings, 18)
    assert (report.passes(), report.passes(strict=True)) == (passes, passes_strictly)


def test_progress_is_told(sample_release: Path):
    told: list[tuple[str, int, int]] = []
    validate_release(
        sample_release,
        checks={"a": lambda _: [], "b": lambda _: []},
        on_progress=lambda *step: told.append(step),
    )
    assert told == [("check the release", done, 2) for done in range(3)]


def test_a_directory_without_a_manifest(tmp_path: Path):
    with pytest.raises(BlendError) as caught:
        validate_release(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: no release.json here, so it is not a release; build one with `blend build`"
    )


def test_a_problem_without_remedy():
    assert str(Problem(level=Level.INFO, where="there", what="this")) == "there: this"


@pytest.mark.nightly
def test_the_examples_of_the_documentation(root: Path):
    tested = doctest.testfile(str(root / "docs" / "validate.md"), module_relative=False)
    assert (tested.failed, tested.attempted > 0) == (0, True)


def test_every_check_stands_in_the_documentation(root: Path):
    text = (root / "docs" / "validate.md").read_text(encoding="utf-8")
    assert [name for name in CHECKS if f"| `{name}` |" not in text] == []
