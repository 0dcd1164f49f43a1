"""What is said where a package that a model needs is not installed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.models.local_model import open_local
from blend.eval.models.server import open_server
from blend.eval.models.tiny_model import make_tiny_model
from blend.schemas.errors import MissingExtraError

INSTALL = 'in a checkout of blend-sdk: pip install -e ".[eval]"'


def open_here(model: Path) -> object:
    return open_local(str(model)).option_logprobs(["?"], [["A"]])


def open_there(model: Path) -> object:
    return open_server(model.name, "http://127.0.0.1:1/v1").generate(["?"])


def make(model: Path) -> object:
    return make_tiny_model(model.with_name("made"))


@pytest.mark.parametrize(
    ("package", "use", "purpose"),
    [
        ("torch", open_here, "a local model"),
        ("transformers", open_here, "a local model"),
        ("safetensors", open_here, "a local model"),
        ("openai", open_there, "model model"),
        ("torch", make, "making a model"),
        ("transformers", make, "making a model"),
    ],
)
def test_a_missing_package_is_an_error_that_names_the_extra(
    tiny_gpt2: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    use: Callable[[Path], object],
    purpose: str,
):
    model = tmp_path / "model"
    model.symlink_to(tiny_gpt2)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        use(model)
    assert str(caught.value) == f"{purpose} needs an optional dependency; {INSTALL}"
    assert not (tmp_path / "made").exists()


def test_a_run_without_the_extra_leaves_nothing_behind(
    sample_release: Path, tiny_gpt2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "torch", None)
    command = ["eval", "run", str(sample_release), "--model", str(tiny_gpt2), "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, MissingExtraError)
    assert str(result.exception) == f"a local model needs an optional dependency; {INSTALL}"
    assert not (tmp_path / "run").exists()
