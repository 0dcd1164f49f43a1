"""``blend show`` ends cleanly: a race at the end of a process needs many processes to be seen."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

N_RUNS = 30
"""Streaming the first row aborted 10 of 60 runs: 30 would all have passed in 4 of 1,000 tries."""


@pytest.mark.integration
def test_no_run_is_aborted(tmp_path: Path):
    from blend.builders.release import build_release
    from blend.loaders.recipes.ready import sample_recipe

    release = tmp_path / "release"
    build_release(sample_recipe(), release)
    command = [Path(sys.executable).with_name("blend"), "show", release]

    def code(_run: int) -> tuple[int, str]:
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stderr

    with ThreadPoolExecutor(2) as runs:
        assert set(runs.map(code, range(N_RUNS))) == {(0, "")}


def test_the_docs_leave_no_stream_half_read(root: Path):
    # Their examples would abort Python as well.
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        for block in page.read_text(encoding="utf-8").split("```")[1::2]:
            assert "next(iter(" not in block, page
            assert "next(stream" not in block, page
