"""Problems of a check are capped and counted, with a few of every cause; a missing file is told once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blend.builders.validate import CHECKS, validate_release
from blend.builders.validate.report import CheckResult, Level, Problem, error
from blend.views.validation import problem_lines

OFFLINE = {name: check for name, check in CHECKS.items() if name != "loading"}


def lines_of(problems: list[Problem], *, examples: int = 10) -> list[str]:
    result = CheckResult.of("mine", "Mine", iter(problems), examples=examples)
    return list(problem_lines(result, Level.ERROR))


def test_every_cause_is_shown_however_late_it_comes():
    many = [error(f"a:{i}", f"no question '{i}'", "add it") for i in range(200)]
    assert lines_of([*many, error("b:1", "is blank", "fill it in")]) == [
        "\n[bold red]error[/] mine: 201",
        *(f"a:{i}: no question '{i}'; add it" for i in range(3)),
        "b:1: is blank; fill it in",
        *(f"a:{i}: no question '{i}'; add it" for i in range(3, 9)),
        "… and 191 more (--examples)",
    ]
    assert lines_of(many, examples=0) == [
        "\n[bold red]error[/] mine: 200",
        "… and 200 more (--examples)",
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 99)), max_size=60, unique=True),
    st.integers(1, 12),
)
def test_nothing_is_lost_in_the_counts(given: list[tuple[str, int]], examples: int):
    problems = [error(f"f:{row}", f"cause {kind} '{row}'", "mend") for kind, row in given]
    result = CheckResult.of("mine", "Mine", iter(problems), examples=examples)
    assert result.errors == len(problems)
    assert len(result.examples) == min(examples, len(set(problems)))
    assert set(result.examples) <= set(problems)


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
    ]
