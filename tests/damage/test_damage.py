"""Damaged inputs end in one sentence: no traceback, no waiting, no fault of blend, nothing destroyed.

A process of its own forks the cases (`many_damages.py`): in that of the tests, threads are running already.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.mark.integration
@pytest.mark.parametrize(
    "options",
    [
        # `make nightly` makes 2,000 beside the tests.
        pytest.param(["--count", "60", "--seed", "2000"], marks=pytest.mark.landing),
        # A command that never gets to its inputs would end in one sentence whatever is done to them.
        pytest.param(["--sound"], marks=pytest.mark.nightly),
    ],
    ids=" ".join,
)
def test_every_command_on_damaged_inputs_and_on_sound_ones(once: Any, tmp_path: Path, options: list[str]):
    make = [sys.executable, HERE / "damage_inputs.py"]
    inputs = once.path(
        "damage-inputs", lambda out: subprocess.run([*make, out], check=True, capture_output=True)
    )
    (tmp_path / "inputs").symlink_to(inputs)
    run = [sys.executable, HERE / "many_damages.py", "--keep", tmp_path, "--jobs", "2", *options]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.rstrip().endswith("0 with faults")
