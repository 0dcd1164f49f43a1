"""``blend audit``: a release or anybody's table, as tables of 80 columns, as JSON, as files."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import blend
from helpers.in_process import run

audit = partial(run, "audit", columns=80)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    lines = [
        f"What[/b] do they eat {i}?,rice {i}|bread|a very long answer about soup {i},A,ko-KR" for i in range(3)
    ]
    path.write_text("\n".join(["question,options,answer,group", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_release_fits_80_columns(sample_release: Path):
    printed = audit(sample_release)
    assert max(map(cell_len, printed.splitlines())) <= 80
    for title in ("by simple rules", "stand out", "got right, by group", "by topic", "Most telling"):
        assert title in printed


@pytest.mark.slow
def test_anybodys_table(table: Path):
    printed = audit(table)
    assert "Answering 3 questions by simple rules" in printed
    assert "What[/b] do they eat" in printed
    assert max(map(cell_len, printed.splitlines())) <= 80
    longest = next(line for line in printed.splitlines() if "twice as long" in line)
    assert longest.split()[-5:] == ["0.0", "0.0", "56.1", "100.0"] or "100.0" in longest


def test_a_file_of_another_kind_is_no_release(tmp_path: Path):
    path = tmp_path / "mine.pdf"
    path.touch()
    with pytest.raises(blend.InputError) as caught:
        audit(path)
    kinds = ".csv, .tsv, .txt, .xlsx, .jsonl, .parquet"
    told = f"{path}: expected a table, {kinds}; give one, or the directory of a release"
    assert str(caught.value) == told


@pytest.mark.nightly
@pytest.mark.slow
def test_json_is_what_the_function_returns(sample_release: Path):
    printed = json.loads(audit(sample_release, "--json", "--examples", "0"))
    assert printed == json.loads(json.dumps(blend.audit_release(sample_release, examples=0).to_json()))
    assert printed["examples"] == []
    assert {"size", "baselines", "baselines_by_group", "leaks"} <= set(printed)


@pytest.mark.slow
def test_every_table_can_be_kept(table: Path, tmp_path: Path):
    audit(table, "--out", tmp_path / "kept")
    kept = json.loads((tmp_path / "kept" / "audit.json").read_text(encoding="utf-8"))
    for name in kept:
        assert pl.read_parquet(tmp_path / "kept" / f"{name}.parquet").to_dicts() == kept[name]
