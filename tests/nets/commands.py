"""The command ``blend``, as a user gives it."""

import os
import subprocess
import sys
from pathlib import Path


def blend(*arguments: str | Path, **environment: str) -> str:
    """What a command prints, in a process of its own without a network."""
    run = subprocess.run(
        [sys.executable, "-m", "blend", *map(str, arguments)],
        env=os.environ | {"HF_HUB_OFFLINE": "1"} | environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
