"""What is said where a package that a model needs is not installed."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.eval.models.local_model import open_local
from blend.eval.models.server import open_server
from blend.eval.models.tiny_model import make_tiny_model
from blend.schemas.errors import MissingExtraError
from helpers.in_process import run
from helpers.messages import message_of

USES: dict[str, tuple[str, str, Callable[[Path, Path, Path], Any]]] = {
    "here": (
        "torch",
        "a local model",
        lambda model, release, out: open_local(str(model)).option_logprobs(["?"], [["A"]]),
    ),
    "there": (
        "openai",
        "model model",
        lambda model, release, out: open_server("model", "http://127.0.0.1:1/v1").generate(["?"]),
    ),
    "run": (
        "torch",
        "a local model",
        lambda model, release, out: run("eval", "run", release, "--model", model, "--out", out),
    ),
    "make": ("torch", "making a model", lambda model, release, out: make_tiny_model(out)),
}
"""A package, what it is needed for, and what needs it."""


@pytest.mark.parametrize("use", USES)
def test_a_missing_package_is_an_error_that_names_the_extra_and_leaves_nothing(
    tiny_gpt2: Path, sample_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str
):
    package, purpose, call = USES[use]
    monkeypatch.setitem(sys.modules, package, None)
    assert message_of(MissingExtraError, lambda: call(tiny_gpt2, sample_release, tmp_path / "out")) == (
        f'{purpose} needs an optional dependency; in a checkout of blend-sdk: pip install -e ".[eval]"'
    )
    assert not (tmp_path / "out").exists()
