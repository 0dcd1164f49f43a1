"""Damaged inputs end in one sentence: no traceback, no waiting, no fault of blend, nothing destroyed.

A process of its own forks the cases (`many_damages.py`): in that of the tests, threads are running already.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FEW, MANY = 20, 200


@pytest.fixture(scope="session")
def damage_inputs(once: Any) -> Path:
    """Inputs to damage; see `damage_inputs.py`."""
    return once.path(
        "damage-inputs",
        lambda out: subprocess.run(
            [sys.executable, HERE / "damage_inputs.py", out], check=True, capture_output=True
        ),
    )


def cases(inputs: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "inputs").symlink_to(inputs)
    command = [sys.executable, HERE / "many_damages.py", "--keep", folder, *options]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="cases are forked")
def test_a_few_damaged_inputs(damage_inputs: Path, tmp_path: Path):
    done = cases(damage_inputs, tmp_path, "--count", str(FEW), "--seed", "19")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{FEW} damaged inputs; ")
    assert done.stdout.rstrip().endswith("0 with faults")


@pytest.mark.integration
def test_many_damaged_inputs(damage_inputs: Path, tmp_path: Path):
    done = cases(damage_inputs, tmp_path, "--count", str(MANY), "--seed", "2000", "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{MANY} damaged inputs; ")
