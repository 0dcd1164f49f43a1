"""``blend audit``: a release, as tables of 80 columns, as JSON, as files."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import blend
from helpers.in_process import run

audit = partial(run, "audit", columns=80)


@pytest.mark.slow
def test_a_release_fits_80_columns(sample_release: Path):
    printed = audit(sample_release)
    assert max(map(cell_len, printed.splitlines())) <= 80
    for title in ("by simple rules", "stand out", "got right, by group"):
        assert title in printed


def test_a_table_is_no_release(tmp_path: Path):
    path = tmp_path / "mine.csv"
    path.touch()
    with pytest.raises(blend.InputError) as caught:
        audit(path)
    assert str(caught.value).startswith(f"{path}: is a file")


@pytest.mark.slow
def test_every_table_can_be_kept(sample_release: Path, tmp_path: Path):
    printed = json.loads(audit(sample_release, "--out", tmp_path / "kept", "--json"))
    kept = json.loads((tmp_path / "kept" / "audit.json").read_text(encoding="utf-8"))
    assert printed == kept == json.loads(json.dumps(blend.audit_release(sample_release).to_json()))
    for name in kept:
        assert pl.read_parquet(tmp_path / "kept" / f"{name}.parquet").to_dicts() == kept[name]
