"""Tests in tiers: `make check` is part of `make test`, `.ci/run` runs none twice, `make nightly` runs all."""

import ast
import itertools
import re
import tomllib
from pathlib import Path

import pytest

MARKS = ("slow", "integration", "landing", "nightly")

KILLED = {
    "loaders/files/test_whole.py": "the folder that a command writes",
    "test_build_faults.py": "a build",
    "test_publish_killed.py": "publishing",
    "loaders/wikidata/test_snapshot_killed.py": "a snapshot of Wikidata",
    "loaders/wikidata/test_dump_killed.py": "a snapshot from a dump",
    "loaders/responses/test_verdicts_added.py": "a file of decisions",
    "builders/judges/test_chat_kept.py": "the verdicts of a chat judge",
    "eval/runs/test_killed.py": "a run of a model",
}
"""Test of what is killed while it writes, to what writes; each has a moment in `make test`.

Pushing to Label Studio and pulling from it are killed in ``label_studio/test_faults.py``, at night: with its
server.
"""


@pytest.fixture(scope="module")
def makefile(root: Path) -> str:
    return (root / "Makefile").read_text(encoding="utf-8")


def selection(makefile: str, name: str) -> str:
    """The expression of markers that a variable of the Makefile holds."""
    (found,) = re.findall(rf"^{name} := (.+)$", makefile, flags=re.MULTILINE)
    return str(found)


def recipe(makefile: str, target: str) -> str:
    """What a target of the Makefile runs."""
    (found,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE)
    return str(found)


def test_the_marks_are_those_of_the_tiers(root: Path):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    markers = project["tool"]["pytest"]["ini_options"]["markers"]
    assert tuple(marker.partition(":")[0] for marker in markers) == (*MARKS, "sampled")


def test_check_is_part_of_test_and_landing_runs_none_of_it_again(makefile: str):
    check, test, landing = (selection(makefile, name) for name in ("CHECK", "TEST", "LANDING"))
    for held in itertools.product((False, True), repeat=len(MARKS)):
        marks = dict(zip(MARKS, held, strict=True))
        in_check, in_test, in_landing = (eval(text, {}, marks) for text in (check, test, landing))
        assert in_check == (not any(held)), marks
        assert in_test == (not marks["landing"] and not marks["nightly"]), marks
        # A test of a kind that runs at night, a browser's say, is taken out of the night by its mark.
        assert in_landing == marks["landing"], marks


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("check", ["$(LINT)", '-m "$(CHECK)"', "--hypothesis-profile check"]),
        ("test", ["$(LINT)", '-m "$(TEST)"']),
        ("landing", ['-m "$(LANDING)"']),
        ("nightly", ["$(LINT)", "--hypothesis-profile nightly", "--cov", "many_damages.py --count 2000"]),
    ],
)
def test_a_target_runs_its_tier(makefile: str, target: str, options: list[str]):
    (beside,) = re.findall(r"^beside_lint = (.*(?:\\\n.*)*)$", makefile, flags=re.MULTILINE)
    commands = recipe(makefile, target).replace("$(call beside_lint", f"{beside} ")
    assert "$(PYTEST)" in commands
    assert [option for option in options if option not in commands] == []
    # Everything: no test is left out by its marks.
    assert ("-m " in commands) == (target != "nightly")


def test_ci_runs_what_a_contributor_runs_and_then_what_a_landing_needs(root: Path):
    lines = (root / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-3:] == ["export BLEND_REQUIRE_ALL=1", "make test", "make landing"]


def test_the_table_of_the_guarantees_names_tests_that_are_there(root: Path):
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Tiers of tests")[2].partition("\n## ")[0]
    named = re.findall(r"`(tests/[\w/]*(?:\.py)?)`", table)
    assert [path for path in named if not (root / path).exists()] == []
    assert {f"tests/{path}" for path in KILLED} <= set(named)


@pytest.mark.parametrize("path", KILLED)
def test_every_writer_is_killed_in_make_test(root: Path, path: str):
    body = ast.parse((root / "tests" / path).read_text(encoding="utf-8")).body
    module = [mark for node in body if isinstance(node, ast.Assign) for mark in marks_of(node)]
    kills = [
        node
        for node in body
        if isinstance(node, ast.FunctionDef) and re.search(r"_kill|_stopped_|interrupted", node.name)
    ]
    assert kills
    assert "nightly" not in module
    # A mark of one parameter leaves the others.
    assert any("nightly" not in [getattr(one, "attr", "") for one in kill.decorator_list] for kill in kills)


def marks_of(node: ast.AST) -> list[str]:
    """Names of marks anywhere in ``pytestmark = …``."""
    return [one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr in MARKS]
