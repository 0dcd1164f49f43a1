"""Croissant metadata: valid, complete, and good enough to read every record back."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.cards import _distribution, _record_set
from blend.builders.parquet import Table, write_table
from blend.loaders.files.content import file_infos
from blend.loaders.releases import read_manifest
from blend.schemas.manifest import CROISSANT_NAME
from blend.schemas.rows import model_of


@pytest.fixture(scope="session")
def metadata(sample_release: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((sample_release / CROISSANT_NAME).read_text(encoding="utf-8"))
    return read


def test_every_field_has_a_description_and_an_id_of_its_own(metadata):
    seen = []

    def walk(fields: list[dict[str, Any]]) -> None:
        for field in fields:
            seen.append(field["@id"])
            assert field["description"]
            assert ("subField" in field) != ("source" in field)
            walk(field.get("subField", []))

    for record_set in metadata["recordSet"]:
        walk(record_set["field"])
    assert len(seen) == len(set(seen))


def test_answers_of_the_datasheet_are_there_for_machines(metadata):
    assert metadata["rai:dataLimitations"] == "For measuring any model, and for learning anything about people."


@pytest.mark.nightly
@pytest.mark.integration
def test_the_command_that_validates_finds_nothing_wrong(sample_release: Path):
    path = str(sample_release / CROISSANT_NAME)
    command = [str(Path(sys.executable).with_name("mlcroissant")), "validate", "--jsonld", path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    # A release is the same on whatever day it is built, so it cannot know when it is published.
    found = {line for line in run.stderr.splitlines() if line.startswith("  -  ")}
    assert all("datePublished" in line for line in found)
    assert "@context" not in run.stderr  # what it says of terms that are not the vocabulary's own


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")  # of the library's own dependencies
def test_every_record_reads_back(sample_release: Path):
    import mlcroissant

    dataset = mlcroissant.Dataset(str(sample_release / CROISSANT_NAME))
    for table in read_manifest(sample_release).tables:
        name = f"{table.config}/{table.split}"
        read = [_plain(record) for record in dataset.records(name)]
        rows = pl.read_parquet([sample_release / file for file in table.files]).to_dicts()
        assert read == [_as_read(row) for row in rows]


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_a_table_in_several_files_reads_back_whole(metadata, sample_release: Path, tmp_path: Path):
    import mlcroissant

    config = "multiple-choice-questions"
    manifest = read_manifest(sample_release)
    (old,) = [table for table in manifest.tables if table.config == config]
    rows = pl.read_parquet([sample_release / file for file in old.files])
    names = {field.alias or name: name for name, field in model_of(config).model_fields.items()}
    info = write_table(
        Table(config, "test", model_of(config), [rows.rename(names)] * 40), tmp_path, shard_rows=10_000
    )
    assert len(info.files) == 2
    files = file_infos(tmp_path, [tmp_path / file for file in info.files])
    held = {file.path: file for file in files}
    sharded = {"distribution": list(_distribution(info, held)), "recordSet": [_record_set(info, str)]}
    (tmp_path / CROISSANT_NAME).write_text(json.dumps(metadata | sharded), encoding="utf-8")
    records = mlcroissant.Dataset(str(tmp_path / CROISSANT_NAME)).records(f"{config}/test")
    ids = [_plain(record)["MCQID"] for record in records]
    assert ids == rows["MCQID"].to_list() * 40


def _plain(value: Any) -> Any:
    """A record with its fields' own names, text decoded."""
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.decode() if isinstance(value, bytes) else value


def _as_read(row: dict[str, Any]) -> dict[str, Any]:
    """A row as mlcroissant gives it: it puts a list of records inside a record beside it instead."""
    if "idks" not in row:
        return row
    idks = dict(row["idks"])
    return {**row, "others": idks.pop("others"), "idks": idks}
