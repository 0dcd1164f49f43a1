"""Pages to follow: files written, programs run, output printed, in their order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.models.chat_server import served
from helpers.questions.lunch import reads

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

BLOCK = re.compile(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "made_of"),
    [
        ("reviews", {"csv", "toml", "bash", "text", "console"}),
        ("mcq", {"csv", "toml", "jsonl", "bash", "text"}),
        ("contributing-data", {"md", "csv", "jsonl", "toml", "bash", "text", "console"}),
        ("cultural-prompts", {"csv", "tsv", "toml", "bash", "python", "text"}),
    ],
)
def test_a_newcomer_can_follow_the_page(
    root: Path, tmp_path: Path, name: str, made_of: set[str], monkeypatch: pytest.MonkeyPatch
):
    with served() as chat:
        # The model of mcq.md, which reads options.
        reads(chat, {"salad": ("also_correct", 0.9), "homework": ("silly", 1), "tacos": ("also_correct", 0.6)})
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        follow(root, tmp_path, name, made_of)


def test_one_culture_is_made_beside_blend(root: Path, tmp_path: Path, blend_data: Path):
    (tmp_path / "work" / "BLEnD").mkdir(parents=True)
    (tmp_path / "work" / "BLEnD" / "data").symlink_to(blend_data)
    follow(root, tmp_path, "one-culture", {"csv", "toml", "bash", "text", "python"})


UNTIL = {"mcq": "\n## True or false\n", "cultural-prompts": "\n## Prompts\n"}
"""Page to the heading from which test_docs_commands.py goes on."""


def follow(root: Path, tmp_path: Path, name: str, made_of: set[str]) -> None:
    page = (root / "docs" / f"{name}.md").read_text(encoding="utf-8")
    page = page.partition(UNTIL[name])[0] if name in UNTIL else page
    work, printed, kinds = tmp_path / "work", "", []
    work.mkdir(exist_ok=True)
    for kind, file, content in BLOCK.findall(page):
        kinds.append(kind)
        if file:
            (work / file).parent.mkdir(parents=True, exist_ok=True)
            (work / file).write_text(content, encoding="utf-8")
        elif kind == "text":
            assert content in printed
        elif kind != "console":  # of data that the page does not have
            printed = run(kind, content, work, tmp_path / "home")
    # What the page is made of; a block of another kind would be passed over.
    assert set(kinds) == made_of
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
