"""Commands as the shell would run them, in the process of the test."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blend.cli


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
