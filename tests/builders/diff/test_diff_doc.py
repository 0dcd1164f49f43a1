"""``docs/publishing.md``: its example runs, and its table of steps is the one the code follows."""

import doctest
from pathlib import Path

import pytest

from blend.builders.diff.version_step import STEPS


@pytest.mark.nightly
@pytest.mark.slow
def test_the_example_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(root / "docs" / "publishing.md"), module_relative=False)
    assert (found.failed, found.attempted > 10) == (0, True)


def test_every_step_has_its_row(root: Path):
    rows = (root / "docs" / "publishing.md").read_text(encoding="utf-8").splitlines()
    assert [
        row.split(" ")[1] for row in rows if row.startswith(tuple(f"| {step} |" for step in STEPS))
    ] == list(reversed(STEPS))
