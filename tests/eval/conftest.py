"""Runs of a few questions, of a caller's model or of a server of texts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import blend
from helpers.asking import ask as tell
from helpers.models.model_servers import BatchServer


@pytest.fixture(scope="session")
def one_thread() -> None:
    """Tiny models are not worth several threads, which would wait for each other."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def asked(mini_release: Path, tmp_path: Path) -> Callable[..., blend.Run]:
    """Asks a few questions of the mini release, into ``run``."""

    def ask(model: Any, task: str = "multiple-choice", out: str = "run", **options: Any) -> blend.Run:
        return tell(mini_release, task, tmp_path / out, model=model, **{"limit": 3, **options})

    return ask


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """A server of texts, and of results of batch files."""
    with BatchServer().serving() as server:
        yield server


@pytest.fixture
def run(asked: Callable[..., blend.Run]) -> Callable[..., blend.Run]:
    """Runs a question of the mini release, of the model that `server` has; nobody hears the warnings."""

    def run(out: str = "run", model: Any = "tiny", **options: Any) -> blend.Run:
        given = {"max_tokens": 64, "limit": 1, "on_warning": lambda _: None, **options}
        return asked(model, out=out, **given)

    return run
