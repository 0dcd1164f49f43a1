"""A run of a few questions, for tests of the Python API of evaluation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blend


@pytest.fixture
def asked(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Asks a few questions of the mini release, into ``run``."""

    def ask(model: Any, task: str = "multiple-choice", out: str = "run", **options: Any) -> blend.Run:
        return blend.run_task(mini_release, task, model=model, out=tmp_path / out, **{"limit": 3, **options})

    return ask
