"""docs/tutorial.md: its files written, its programs run, its output printed, in the order of the page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_a_newcomer_can_follow_the_page(root: Path, tmp_path: Path):
    page = (root / "docs" / "tutorial.md").read_text(encoding="utf-8")
    work, printed, kinds = tmp_path / "work", "", []
    work.mkdir()
    for kind, name, content in BLOCK.findall(page):
        kinds.append(kind)
        if name:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(content, encoding="utf-8")
        elif kind == "text":
            assert content in printed
        else:
            printed = run(kind, content, work, tmp_path / "home")
    # What the page is made of; a block of another kind would be passed over.
    assert set(kinds) == {"csv", "jsonl", "toml", "bash", "python", "text"}
    assert (work / "release" / "release.json").is_file()


def run(kind: str, content: str, folder: Path, home: Path) -> str:
    program = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}[kind]
    environment = os.environ | {
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [*program, content], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, f"{content}\n{done.stdout}\n{done.stderr}"
    return done.stdout
