"""``docs/wikidata.md``: its examples run, its domain is one, its options exist."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from blend.schemas.recipe import TripleOptions


def blocks(root: Path, language: str) -> list[str]:
    """Those before the walk through another domain, which ``tests/command_line/test_triples.py`` follows."""
    text = (root / "docs" / "wikidata.md").read_text(encoding="utf-8").partition("## Another domain")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.integration
def test_python_examples_run(root: Path, food_snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wikidata").mkdir()
    shutil.copy(food_snapshot, tmp_path / "wikidata" / "food.nt.gz")
    names: dict[str, Any] = {}
    for block in blocks(root, "python"):
        # The call that asks the public service stays out; its imports are what the other blocks go on with.
        exec(compile(block.partition("[info] = ")[0], "docs/wikidata.md", "exec"), names)
    assert names["build"].rows("ko").height > 100


def test_every_option_of_the_paper_is_explained(root: Path):
    text = (root / "docs" / "wikidata.md").read_text(encoding="utf-8")
    for option in (*TripleOptions.published, "historical", "chinese"):
        assert f"`{option} = " in text
        assert option in TripleOptions.model_fields
