"""Runs of a few questions, of a caller's model or of a server of texts."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import blend
from helpers.models.batch_server import BatchServer, serving_batches


@pytest.fixture
def asked(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Asks a few questions of the mini release, into ``run``."""

    def ask(model: Any, task: str = "multiple-choice", out: str = "run", **options: Any) -> blend.Run:
        return blend.run_task(mini_release, task, model, tmp_path / out, **{"limit": 3, **options})

    return ask


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """A server of texts, and of results of batch files."""
    with serving_batches() as server:
        yield server


@pytest.fixture
def run(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Runs a question of the mini release, of the model that `server` has; nobody hears the warnings."""

    def run(out: str = "run", task: str = "multiple-choice", **options: Any) -> blend.Run:
        model = blend.Server(name="tiny")
        given = {"model": model, "decoding": blend.Decoding(max_tokens=64), "limit": 1, **options}
        with warnings.catch_warnings(action="ignore", category=blend.BlendWarning):
            return blend.run_task(mini_release, task, out=tmp_path / out, **given)

    return run
