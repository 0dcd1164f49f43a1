"""Damaged inputs end in one sentence: no traceback, no waiting, no fault of blend, nothing destroyed.

A process of its own forks the cases (`many_damages.py`): in that of the tests, threads are running already.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from damage.damage_commands import COMMANDS, SLOW_COMMANDS

HERE = Path(__file__).parent
MANY = 60
"""`make nightly` makes 2,000 beside the tests."""


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


REFUSED = (
    "publish",
    "annotate sync project/project.toml --dry-run",
    "annotate forget",
    "eval score runs/begun",
)
"""Commands that end with an error on sound inputs: no server, nobody to confirm, half of the answers."""


@pytest.mark.integration
@pytest.mark.nightly
def test_every_command_works_on_what_is_not_damaged(damage_inputs: Path, tmp_path: Path):
    # A command that never gets to its inputs would end in one sentence whatever is done to them.
    for number, command in enumerate((*COMMANDS, *SLOW_COMMANDS)):
        here = shutil.copytree(damage_inputs, tmp_path / str(number), symlinks=True)
        for pattern in command.reads:
            assert any(path.is_file() for path in here.glob(pattern)), (command.words, pattern)
        for folder in command.folders:
            assert (here / folder).is_dir(), (command.words, folder)
        if not command.words.startswith(REFUSED) and command.words != "annotate sync project/project.toml":
            blend = [sys.executable, "-m", "blend", *command.words.split()]
            done = subprocess.run(blend, cwd=here, capture_output=True, text=True)
            assert done.returncode == 0, (command.words, done.stderr)
        if command.words.startswith("build release/recipe.toml"):
            assert subprocess.run(["diff", "-r", "release", "new"], cwd=here).returncode == 0
        shutil.rmtree(here)


@pytest.mark.integration
@pytest.mark.landing
def test_damaged_inputs(damage_inputs: Path, tmp_path: Path):
    done = cases(damage_inputs, tmp_path, "--count", str(MANY), "--seed", "2000", "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{MANY} damaged inputs; ")
    assert done.stdout.rstrip().endswith("0 with faults")
