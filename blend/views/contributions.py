"""A check of contributions: for people, as JSON, and as annotations that a forge shows beside changed lines."""

import os
from collections.abc import Iterator

from blend.loaders.contributions.checking import ContributionCheck, ContributionProblem
from blend.schemas.errors import summarise
from blend.schemas.texts import pluralise

_TEXT = (".csv", ".tsv", ".txt", ".jsonl")
SHARED = "for all contributors"
"""How the folder of all contributions is called in place of a contributor's name."""


def check_lines(check: ContributionCheck) -> Iterator[str]:
    """Tell what is wrong, folder by folder, and in the last line whether all is well.

    Of very many problems in a folder, every cause is told with a few of its places, and all are counted.
    """
    for contributor in ("", *check.contributors):
        problems = check.of(contributor)
        errors = [problem for problem in problems if problem.level == "error"]
        warnings = [problem for problem in problems if problem.level == "warning"]
        if contributor or problems:
            yield f"{contributor or SHARED}: {_counts(len(errors), len(warnings))}"
        for level, listed in (("error", errors), ("warning", warnings)):
            yield from (f"  {level}: {line}" for line in summarise(listed))
    yield verdict(check)


def verdict(check: ContributionCheck) -> str:
    """Say in one line whether the contributions can become part of a release."""
    n_warnings = len(check.problems) - len(check.errors)
    counts = f"{pluralise(len(check.contributors), 'contributor')}: {_counts(len(check.errors), n_warnings)}"
    if check.passes:
        return counts
    more = "" if check.is_complete else ": more may appear once these are mended"
    return f"{counts}. Correct the files, then check them again{more}"


def check_json(check: ContributionCheck) -> str:
    """The check with every problem, none of them grouped."""
    return check.model_dump_json(indent=2) + "\n"


def annotations(check: ContributionCheck) -> Iterator[str]:
    """Every problem as a command of GitHub's workflows.

    Files are relative to the working directory, which in a workflow is the root of the repository.

    References:
        https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    for problem in check.problems:
        path = os.path.relpath(check.folder / problem.file).replace(os.sep, "/")
        # A row is the line, but behind a cell that goes over several.
        is_text = problem.row is not None and problem.file.lower().endswith(_TEXT)
        properties = {"file": path} | ({"line": str(problem.row)} if is_text else {})
        listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{problem.level} {listed}::{_data(_message(problem))}"


def _message(problem: ContributionProblem) -> str:
    return f"{problem.contributor or SHARED}, {problem}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _counts(n_errors: int, n_warnings: int) -> str:
    parts = [pluralise(n, word) for n, word in ((n_errors, "error"), (n_warnings, "warning")) if n]
    return ", ".join(parts) or "nothing is wrong"
