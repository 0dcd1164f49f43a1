"""Texts for readers of many nationalities on the command line, from a release to scores."""

import json
from pathlib import Path

import pytest

from helpers.in_process import run


@pytest.mark.nightly
@pytest.mark.slow
def test_two_machines_and_their_scores(prompts_release: Path, tiny_model: Path, tmp_path: Path):
    how = ("--task", "cultural-prompts", "--model", tiny_model, "--max-tokens", "12", "-T", "samples=2")
    ask = ("eval", "run", prompts_release, *how, "-M", "device=cpu", "--temperature", "0.9", "--out")
    for shard in ("1/2", "2/2"):
        run(*ask, tmp_path / "shards", "--shard", shard)
    run(*ask, tmp_path / "alone")
    survey = tmp_path / "own.csv"
    survey.write_text("Demonym,power,joy\nBrazilian,1,2\nJapanese,3,9\nUzbek,4,4\n")
    scores = {}
    for name in ("shards", "alone"):
        printed = run("eval", "score", tmp_path / name, "-T", f"surveys=own={survey}", "--json")
        scores[name] = json.loads(printed)
        assert (tmp_path / name / "scores.json").read_text() == printed
    # The same answers in other files.
    assert scores["shards"].pop("answers") != scores["alone"].pop("answers")
    assert scores["shards"] == scores["alone"]
    assert "|s:2|" in scores["alone"]["signature"]
    found = {(one["metric"], one["key"]): one["value"] for one in scores["alone"]["scores"]}
    assert found["texts", "qa"] == 12
    assert found["variance-across", "qa"] > 0
    assert ("tau-bleu-own", "qa") in found


@pytest.mark.landing
@pytest.mark.slow
def test_a_table_of_texts_needs_no_release(tmp_path: Path):
    table, out = tmp_path / "texts.csv", tmp_path / "run"
    rows = [f"{group},rain,{sample},{group} rain {sample}" for group in ("old", "young") for sample in (0, 1)]
    table.write_text("group,topic,sample,text\n" + "\n".join(rows) + "\n")
    printed = run("eval", "run", "--task", "cultural-prompts", "--answers", table, "--out", out)
    assert f"4 of 4 items are answered in {out}. Score them:" in printed
    assert "variance-across-unbiased" in run("eval", "score", out)
