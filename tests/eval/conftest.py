"""Runs of a few questions, of a caller's model or of a server that knows batches."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import blend
from blend.eval.runs import submitted_batches
from helpers.models.batch_server import BatchServer, serving_batches


@pytest.fixture
def asked(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Asks a few questions of the mini release, into ``run``."""

    def ask(model: Any, task: str = "multiple-choice", out: str = "run", **options: Any) -> blend.Run:
        return blend.run_task(mini_release, task, model=model, out=tmp_path / out, **{"limit": 3, **options})

    return ask


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """A server of texts that knows batches."""
    with serving_batches() as server:
        yield server


@pytest.fixture
def run(mini_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., blend.Run]:
    """Runs a few questions of the mini release, of the model that `server` has."""
    monkeypatch.setattr(submitted_batches, "FIRST_WAIT_S", 0.01)

    def run(out: str = "run", task: str = "multiple-choice", **options: Any) -> blend.Run:
        given = {"model": "tiny", "max_tokens": 64, "limit": 1, "on_warning": lambda _: None, **options}
        return blend.run_task(mini_release, task, out=tmp_path / out, **given)

    return run
