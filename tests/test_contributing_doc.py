"""The page on many contributors, followed from its first command: its files check as it shows."""

import re
import shlex
from pathlib import Path

import pytest

from blend.exit_codes import REFUSED
from helpers.in_process import run

BLOCK = re.compile(r"^```(bash|csv|toml|jsonl|text)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_is_followed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "contributing-data.md").read_text(encoding="utf-8")
    commands, refused = [], []
    for kind, file, content in BLOCK.findall(page):
        if kind == "bash":
            commands += [run(*shlex.split(command)[1:]) for command in content.splitlines()]
        elif file:
            Path(file).write_text(content, encoding="utf-8")
        elif "errors\n" in content:
            refused.append(content)
            assert run("contribute", "check", "everyday/contributions/mina-ko", code=REFUSED) == content
    assert len(refused) == 1
    assert commands[2] == "mina-ko: nothing is wrong\n1 contributor: nothing is wrong\n"
    written = sorted(path.name for path in Path("everyday/contributions/mina-ko").iterdir())
    assert written == ["annotators.csv", "contributor.toml", "questions.csv", "responses"]
