"""Mistakes in tables of people's own, and what is told of each in whole sentences: ``mistakes.toml``."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.files.toml import registry_with
from blend.loaders.recipes import sample_path
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError

HERE = Path(__file__).parent
BASES = {"valid": HERE.parent / "valid" / "responses", "slovenian": HERE / "slovenian"}
TABLES = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))
CELLS = [
    *TABLES["cell"],
    {
        "reviewing": True,
        "file": "responses/ko-KR.csv",
        "old": "밥,국",
        "told": {f'"{answer}",국': told for answer, told in TABLES["answers"].items()},
    },
]
MISTAKES = [
    *TABLES["mistake"],
    *(
        {**cell, "name": new, "changes": [[cell["file"], cell["old"], new]], "told": told}
        for cell in CELLS
        for new, told in cell["told"].items()
    ),
]


def mistaken(mistake: dict[str, Any], folder: Path) -> None:
    """Make the tables of a mistake."""
    with sample_path() as sample:
        shutil.copytree({**BASES, "sample": sample}[mistake.get("base", "valid")], folder)
    for old, new in mistake.get("rename", ()):
        (folder / old).rename(folder / new)
    for old, new in mistake.get("copy", ()):
        shutil.copy(folder / old, folder / new)
    for name, text in mistake.get("write", {}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())
    for name, old, new in mistake.get("changes", ()):
        text = (folder / name).read_bytes().decode()
        assert old in text
        (folder / name).write_bytes(text.replace(old, new, 1).encode())


def told_of(folder: Path, *, reviewing: bool) -> list[str]:
    """The problems, or the findings as ``kind: place: detail``, but for answers on which no review decides."""
    own = folder / "locales.toml"
    try:
        known = registry_with(own if own.exists() else None)
        own.unlink(missing_ok=True)
        found = read_responses(folder, locales=known, reviewing=reviewing).findings
    except BlendError as error:
        return str(error).splitlines()
    rows = found.select("kind", "source", "detail").rows()
    return [": ".join(row) for row in rows if row[0] != "undecided-answer"]


@pytest.mark.parametrize(
    "mistake",
    [
        # The whole sample takes seconds to read.
        pytest.param(mistake, id=mistake["name"], marks=[pytest.mark.slow] * (mistake.get("base") == "sample"))
        for mistake in MISTAKES
    ],
)
def test_what_is_told_of_a_mistake(mistake: dict[str, Any], tmp_path: Path):
    mistaken(mistake, tmp_path / "collected")
    told = [mistake["told"]] if isinstance(mistake["told"], str) else mistake["told"]
    assert told_of(tmp_path / "collected", reviewing=mistake.get("reviewing", False)) == told
