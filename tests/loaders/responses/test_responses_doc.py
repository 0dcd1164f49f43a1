"""The example in ``docs/responses.md`` is a directory that can be read, and its command gives the digest."""

import re
import subprocess
from pathlib import Path

import pytest

from blend.loaders.recipes.sources import load_source
from blend.loaders.responses import read_responses
from blend.schemas.recipe import Source

_BLOCK = re.compile(r'```(?:csv|jsonl) title="(\S+)"\n(.*?)```', re.DOTALL)
_COMMAND = re.compile(r"```sh\ncd collected && (.*?)\n```", re.DOTALL)


@pytest.fixture
def text(root: Path) -> str:
    return (root / "docs" / "responses.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(text: str, tmp_path: Path) -> Path:
    for name, content in _BLOCK.findall(text):
        path = tmp_path / "collected" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "collected"


def test_the_example_is_read(folder):
    tables = read_responses(folder)
    assert (tables.questions.height, tables.responses.height, tables.reviews.height) == (3, 8, 2)
    assert tables.prompts.rows() == [
        ("plain", "በአጭሩ ይመልሱ። {q}", "Answer briefly. {q}", "am-ET", "am", "prompts.csv:3"),
        ("plain", "짧게 대답하세요. {q}", "Answer briefly. {q}", "ko-KR", "ko", "prompts.csv:2"),
    ]
    assert tables.findings.is_empty()


def test_the_command_prints_the_digest(text, folder):
    command = _COMMAND.search(text)[1]
    printed = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True).stdout
    info = load_source(Source(kind="responses", location=str(folder))).info
    assert printed.split()[0] == info.sha256
