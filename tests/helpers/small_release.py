"""Small releases of any tables, written as builds write them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from blend.builders.parquet import ContentDigest, schema_digest
from blend.loaders.files.content import file_infos
from blend.loaders.recipes import sample_recipe
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest, TableInfo


def small_release(
    folder: Path,
    tables: Mapping[tuple[str, str], pl.DataFrame],
    *,
    files: Mapping[str, str | bytes] | None = None,
    sdk_version: str = "0.1.0",
    **recipe: Any,
) -> Path:
    """Write a release: tables by configuration and split, files beside them, changes to the recipe."""
    used = sample_recipe().model_copy(update={"version": "1.0.0"} | recipe)
    for path, content in (files or {}).items():
        (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    manifest = ReleaseManifest(
        name=used.name,
        version=used.version,
        sdk_version=sdk_version,
        writers={},
        recipe=used,
        sources=(),
        tables=tuple(_written(folder, config, split, rows) for (config, split), rows in tables.items()),
        files=file_infos(folder, filter(Path.is_file, folder.rglob("*"))),
        report=(),
    )
    (folder / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    return folder


def _written(folder: Path, config: str, split: str, rows: pl.DataFrame) -> TableInfo:
    path = folder / "data" / config / f"{split}-00000.parquet"
    rows.write_parquet(path, mkdir=True)
    digest = ContentDigest()
    digest.add(rows)
    return TableInfo(
        config=config,
        split=split,
        rows=len(rows),
        content_sha256=digest.hexdigest(),
        schema_sha256=schema_digest(rows.to_arrow().schema),
        files=(path.relative_to(folder).as_posix(),),
    )
