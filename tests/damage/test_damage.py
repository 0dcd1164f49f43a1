"""Damaged inputs end in one sentence: no traceback, no waiting, no fault of blend, nothing destroyed.

A process of its own forks the cases (`many_damages.py`): in that of the tests, threads are running already.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from damage.damage_commands import COMMANDS, REFUSED, SLOW_COMMANDS, read_files

HERE = Path(__file__).parent
MANY = 60
"""`make nightly` makes 2,000 beside the tests."""


@pytest.fixture(scope="session")
def damage_inputs(once: Any) -> Path:
    """Inputs to damage; see `damage_inputs.py`."""
    make = [sys.executable, HERE / "damage_inputs.py"]
    return once.path("damage-inputs", lambda out: subprocess.run([*make, out], check=True, capture_output=True))


@pytest.mark.integration
@pytest.mark.nightly
@pytest.mark.parametrize("command", [*COMMANDS, *SLOW_COMMANDS])
def test_every_command_works_on_what_is_not_damaged(damage_inputs: Path, tmp_path: Path, command: str):
    # A command that never gets to its inputs would end in one sentence whatever is done to them.
    here = shutil.copytree(damage_inputs, tmp_path / "here", symlinks=True)
    assert read_files(command, here)
    if not command.startswith(REFUSED):
        blend = [sys.executable, "-m", "blend", *command.split()]
        done = subprocess.run(blend, cwd=here, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    if command.startswith("build release/recipe.toml"):
        assert subprocess.run(["diff", "-r", "release", "new"], cwd=here).returncode == 0


@pytest.mark.integration
@pytest.mark.landing
def test_damaged_inputs(damage_inputs: Path, tmp_path: Path):
    (tmp_path / "inputs").symlink_to(damage_inputs)
    options = ["--keep", tmp_path, "--count", str(MANY), "--seed", "2000", "--jobs", "2"]
    run = [sys.executable, HERE / "many_damages.py", *options]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{MANY} damaged inputs; ")
    assert done.stdout.rstrip().endswith("0 with faults")
