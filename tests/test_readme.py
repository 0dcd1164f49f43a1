"""The README: its Python examples run, one after the other, as a reader would run them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest


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
