"""The README: its Python examples run, one after the other, as a reader would run them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.landing
@pytest.mark.integration
def test_the_examples_run_in_their_order(root: Path, tmp_path: Path):
    text = (root / "README.md").read_text(encoding="utf-8")
    blocks = [
        block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "org/blend" not in block
    ]
    assert len(blocks) == 2
    subprocess.run([sys.executable, "-m", "blend", "build", "--out", "release"], cwd=tmp_path, check=True)
    script = tmp_path / "examples.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "again" / "release.json").read_bytes() == (
        tmp_path / "release" / "release.json"
    ).read_bytes()


@pytest.mark.landing
@pytest.mark.integration  # a model computes
def test_the_lines_that_ask_a_model_end_in_a_report(root: Path, tmp_path: Path):
    text = (root / "README.md").read_text(encoding="utf-8")
    (block,) = (
        block for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) if "eval tiny-model" in block
    )
    lines = [line.partition("#")[0].split() for line in block.splitlines()]
    assert [line[:3] for line in lines] == [
        ["blend", "eval", verb] for verb in ("tiny-model", "run", "score", "report")
    ]
    said = []
    for line in (["blend", "build"], *lines):
        run = subprocess.run(
            [sys.executable, "-m", *line], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[1] == "Made a model in tiny. Ask it:\n  blend eval run release --model tiny\n"
    assert re.fullmatch(
        r"In all: ([\d,]+) requests, [^\n]+\.\n\1 of \1 items are answered in run\. Score them:\n"
        r"  blend eval score run\n",
        said[2],
    )
    assert said[3].startswith("tiny on blend-sample@")
    assert said[3].endswith("Show them on a page:\n  blend eval report run\n")
    assert said[4] == "Wrote report.html: open it in a browser.\n"
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
