"""A run of a few questions, for tests of the Python API of evaluation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.builders.release import build_release
from blend.loaders.recipes.ready import sample_recipe
from helpers.mini_release import mini_recipe


@pytest.fixture
def asked(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Asks a few questions of the mini release, into ``run``."""

    def ask(model: Any, task: str = "multiple-choice", out: str = "run", **options: Any) -> blend.Run:
        return blend.run_task(mini_release, task, model=model, out=tmp_path / out, **{"limit": 3, **options})

    return ask


@pytest.fixture(scope="session")
def rungs_release(once: Any) -> Path:
    """A release of four locales with all rungs; not to be changed."""
    mcq = sample_recipe().mcq.model_copy(update={"rungs": True})
    return once.path("mini-rungs", lambda out: build_release(mini_recipe(mcq=mcq), out))
