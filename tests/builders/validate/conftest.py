"""A release of the sample to damage, and the sentences that a check says about it."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.manifest import MANIFEST_NAME
from blend.schemas.rows import CONFIGS

Rows = list[dict[str, Any]]


class Copy:
    """A copy of a release that can be changed, with or without a manifest that knows of it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self, config: str, split: str) -> Rows:
        return pq.read_table(self.path / f"data/{config}/{split}-00000.parquet").to_pylist()

    def change(self, config: str, split: str, change: Callable[[Rows], Rows | None]) -> None:
        """Change rows of a table in place, or return other ones; the manifest follows."""
        rows = self.rows(config, split)
        rows = change(rows) or rows
        table = pa.Table.from_pylist(rows, arrow_schema(CONFIGS[config]))
        self.write(config, split, table)

    def write(self, config: str, split: str, table: pa.Table) -> None:
        """Write a table of any columns; the manifest follows."""
        path = self.path / f"data/{config}/{split}-00000.parquet"
        pq.write_table(table, path)
        manifest = read_manifest(self.path)
        tables = [
            info.model_copy(update={"rows": len(table)})
            if (info.config, info.split) == (config, split)
            else info
            for info in manifest.tables
        ]
        self.edit(MANIFEST_NAME, lambda _: manifest.model_copy(update={"tables": tuple(tables)}).to_json())
        self.sign()

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change a text file; the manifest follows."""
        path = self.path / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        if name != MANIFEST_NAME:
            self.sign()

    def edit_manifest(self, change: Callable[[dict[str, Any]], None]) -> None:
        manifest = json.loads((self.path / MANIFEST_NAME).read_text(encoding="utf-8"))
        change(manifest)
        (self.path / MANIFEST_NAME).write_text(json.dumps(manifest), encoding="utf-8")

    def sign(self) -> None:
        """Let the manifest name the files as they are."""

        def signed(manifest: dict[str, Any]) -> None:
            for file in manifest["files"]:
                data = (self.path / file["path"]).read_bytes()
                file.update(size=len(data), sha256=hashlib.sha256(data).hexdigest())

        self.edit_manifest(signed)

    def problems(self, check: str) -> list[str]:
        """What one check says."""
        (result,) = validate_release(self.path, checks={check: CHECKS[check]}).checks
        return [f"{problem.level}: {problem}" for problem in result.examples]


@pytest.fixture
def release(sample_release: Path, tmp_path: Path) -> Copy:
    """The release of the sample, to be changed."""
    return Copy(Path(shutil.copytree(sample_release, tmp_path / "release")))
