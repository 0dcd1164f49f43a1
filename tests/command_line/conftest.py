"""Commands as the shell would run them, in the process of the test."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blend.cli
from blend import Recipe, build_release


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable:
    """Run a command in an empty folder; its exit code, and what it wrote to standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("BLEND_TRACEBACK", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["blend", *map(str, words)])
        code: Any = 0
        try:
            blend.cli.main()
        except SystemExit as stopped:
            code = stopped.code or 0
        return code, capfd.readouterr().err

    return run


@pytest.fixture(scope="session")
def tiny_model(once: Any) -> Path:
    from blend.eval.models.model_loading import make_tiny_model

    return once.path("tiny-model", make_tiny_model)


@pytest.fixture(scope="session")
def prompts_release(once: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two topics of science for readers of three nationalities."""
    qa = tmp_path_factory.mktemp("topics") / "qa"
    qa.mkdir()
    (qa / "topics.tsv").write_text("physics\tgravity\nphysics\tsound\n")
    (qa / "templates.tsv").write_text("_\t_\tExplain {topic} to {article} {nationality}.\n")
    source = {"kind": "topics", "location": str(qa.parent)}
    cultural = {"nationalities": ("BR", "JP", "UZ")}
    recipe = Recipe(name="prompts", version="1.0.0", sources=(source,), cultural=cultural)
    return once.path("cultural-prompts", lambda out: build_release(recipe, out))
