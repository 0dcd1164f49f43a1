"""Texts for readers of many nationalities on the command line, from a release to scores."""

from pathlib import Path

import pytest

from helpers.in_process import run


@pytest.mark.landing
@pytest.mark.slow
def test_a_table_of_texts_needs_no_release(tmp_path: Path):
    table, out = tmp_path / "texts.csv", tmp_path / "run"
    rows = [f"{group},rain,{sample},{group} rain {sample}" for group in ("old", "young") for sample in (0, 1)]
    table.write_text("group,topic,sample,text\n" + "\n".join(rows) + "\n")
    printed = run("eval", "run", "--task", "cultural-prompts", "--answers", table, "--out", out)
    assert f"4 of 4 items are answered in {out}. Score them:" in printed
    assert "variance-across-unbiased" in run("eval", "score", out)
