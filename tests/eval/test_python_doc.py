"""Evaluation from Python: the examples of docs/evaluation.md."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from blend.eval.models.model_loading import make_tiny_model

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_the_examples_print_what_the_page_says(root: Path, sample_release: Path, tmp_path: Path):
    page = (root / "docs" / "evaluation.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page.partition("\n## From Python\n")[2])
    assert {kind for kind, _ in blocks} == {"python", "text"}
    (tmp_path / "release").symlink_to(sample_release)
    make_tiny_model(tmp_path / "tiny")
    script = "\nprint('----')\n".join(content for kind, content in blocks if kind == "python")
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert (run.returncode, run.stderr) == (0, "")
    printed = run.stdout.split("----\n")
    number = -1
    for kind, content in blocks:
        number += kind == "python"
        if kind == "text":
            assert content.rstrip("\n") in printed[number]
    assert (tmp_path / "report.html").is_file()
