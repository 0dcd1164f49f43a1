"""What is said where a package that a model needs is not installed."""

import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blend.cli import app
from blend.eval.models.local_model import open_local
from blend.eval.models.server import open_server
from blend.eval.models.tiny_model import make_tiny_model
from blend.schemas.errors import MissingExtraError

INSTALL = 'in a checkout of blend-sdk: pip install -e ".[eval]"'


def use(how: str, model: Path, release: Path, out: Path) -> Any:
    if how == "here":
        return open_local(str(model)).option_logprobs(["?"], [["A"]])
    if how == "there":
        return open_server("model", "http://127.0.0.1:1/v1").generate(["?"])
    if how == "make":
        return make_tiny_model(out)
    command = ["eval", "run", str(release), "--model", str(model), "--out", str(out)]
    raise CliRunner().invoke(app, command).exception or AssertionError


@pytest.mark.parametrize(
    ("package", "how", "purpose"),
    [
        ("torch", "here", "a local model"),
        ("torch", "run", "a local model"),
        ("openai", "there", "model model"),
        ("torch", "make", "making a model"),
    ],
)
def test_a_missing_package_is_an_error_that_names_the_extra_and_leaves_nothing(
    tiny_gpt2: Path,
    sample_release: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    how: str,
    purpose: str,
):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        use(how, tiny_gpt2, sample_release, tmp_path / "out")
    assert str(caught.value) == f"{purpose} needs an optional dependency; {INSTALL}"
    assert not (tmp_path / "out").exists()
