"""One cause is one line: problems of a check are grouped, capped and counted."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.report import CheckResult, Level, Problem, error, warning
from blend.views.validation import print_report, problem_lines

OFFLINE = {name: check for name, check in CHECKS.items() if name != "loading"}


def lines_of(problems: list[Problem], *, examples: int = 10) -> list[str]:
    result = CheckResult.of("mine", "Mine", iter(problems), examples=examples)
    return list(problem_lines(result.examples, result.causes, len(problems)))


def test_what_is_said_of_several_places_is_said_once():
    problems = [warning(f"data/fa.parquet:row_{i}", "column template is odd", "mend it") for i in range(4)]
    problems.append(warning("README.md", "column template is odd", "mend it"))
    assert lines_of(problems) == [
        "data/fa.parquet:row_0, row_1, row_2, row_3, README.md: column template is odd; mend it"
    ]


def test_every_cause_is_shown_however_late_it_comes():
    many = [error(f"a:{i}", f"no question '{i}'", "add it") for i in range(200)]
    assert lines_of([*many, error("b:1", "is blank", "fill it in")]) == [
        *(f"a:{i}: no question '{i}'; add it" for i in (*range(3), *range(3, 9))),
        "… and 191 more of this kind",
        "b:1: is blank; fill it in",
    ]


def test_places_beyond_the_shown_ones_are_counted():
    many = [error(f"a:{i}", "is blank", "fill it in") for i in range(40)]
    assert lines_of(many, examples=2) == ["a:0, 1 and 38 more: is blank; fill it in"]
    assert lines_of(many, examples=0) == []


def test_causes_beyond_the_shown_ones_are_counted():
    problems = [error("a", f"cause {'x' * i}", "mend it") for i in range(30)]
    assert lines_of(problems, examples=3)[-1] == "… and 27 with other causes"


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 99)), max_size=60), st.integers(1, 12))
def test_nothing_is_lost_in_the_counts(given: list[tuple[str, int]], examples: int):
    problems = [error(f"f:{row}", f"cause {kind} '{row}'", "mend") for kind, row in given]
    result = CheckResult.of("mine", "Mine", iter(problems), examples=examples)
    assert result.errors == len(problems)
    assert len(result.examples) == min(examples, len(problems))
    assert set(result.examples) <= set(problems)
    kinds = dict.fromkeys(kind for kind, _ in given)
    assert len(result.causes) == min(examples, len(kinds))
    for cause, kind in zip(result.causes, kinds, strict=False):
        assert (cause.level, cause.problems) == (Level.ERROR, sum(name == kind for name, _ in given))


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("config", ["annotations", "short-answer-questions", "short-answer-prompts"])
def test_a_missing_file_is_told_once_not_for_every_row(release, config: str):
    file = f"data/{config}/KR-00000.parquet"
    (release.path / file).unlink()
    report = validate_release(release.path, checks=OFFLINE)
    errors = [str(p) for result in report.checks for p in result.examples if p.level is Level.ERROR]
    assert errors == [
        f"{file}: is missing; copy or download the release again, or rebuild it",
        f"{config}/KR: {file} is missing, its rows are not checked; copy or build the release again",
        (
            f"README.md, configs, {config}: split KR matches the files none, release.json names {file}; "
            "rebuild the release"
        ),
    ]


@pytest.mark.integration
def test_loading_without_a_file_fails_in_one_line(release):
    (release.path / "data/annotations/KR-00000.parquet").unlink()
    report = validate_release(release.path, checks={"loading": CHECKS["loading"]})
    console = Console(width=2000, record=True, file=StringIO())
    print_report(report, console)
    said = [line for line in console.export_text().splitlines() if "fails with" in line]
    assert len(said) == 1
    assert said[0].startswith("  load_dataset(…, 'short-answer-questions'), load_dataset(…, 'short-answer-")
    assert report.errors == 6
