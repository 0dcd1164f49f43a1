"""The published procedure that builds are measured against makes the published questions."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.integration
@pytest.mark.nightly
def test_it_makes_the_published_questions(root: Path, blend_data: Path, golden: Path):
    script = root / "benchmarks" / "published_procedure.py"
    counts = golden / "mcq_counts_by_country.json"
    command = [sys.executable, script, blend_data, "--check", counts]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert '"rows": 69810' in run.stdout
