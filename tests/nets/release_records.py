"""What is recorded of a release directory, by its files alone, and how two records differ."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import yaml

from nets.records import differences

BLOCKS = 32
"""Pieces that the rows of a table are cut into, so that a message can say where rows differ first."""

PROSE = {
    "README.md": "sentences and tables for readers; the YAML header, which the Hub reads, is held",
    "DATASHEET.md": "sentences for readers",
    "CHANGELOG.md": "sentences for readers",
    "reports/details.md": "sentences and tables for readers",
}
"""Files whose bytes may differ, by how their paths begin, with why: that they are there is held."""

PROSE_KEYS = {
    "croissant.json": {
        "description": "what a column holds, in words",
        "rai:": "the datasheet's sentences",
        "sha256": "held with the tables",
        "contentSize": "held with the tables",
    },
    "eval.yaml": {"description": "the release in words", "template": "an instruction to a model of Inspect"},
    "reports/audit.json": {"definitions": "the baselines in words"},
    "reports/findings.jsonl": {"detail": "a finding in words"},
}
"""Files of which values under keys that begin so may differ, with why; all else in them is held."""

MANIFEST_MAY_DIFFER = {
    "sdk_version": "the version of blend is what changes",
    "writers": "recorded beside the manifest; without the same ones the bytes of tables are not compared",
    "tables": "recorded beside the manifest, with a digest of each column",
    "files": "recorded beside the manifest, less the digests of `PROSE`",
}
"""Parts of ``release.json`` that are not compared as they stand, with why; all others are."""


def release_record(release: Path) -> dict[str, Any]:
    """What a net holds of a release: manifest, tables, files and the header of the card."""
    manifest = json.loads((release / "release.json").read_text(encoding="utf-8"))
    paths = sorted(path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file())
    _check_manifest(release, manifest, paths)
    in_tables = {file for table in manifest["tables"] for file in table["files"]}
    return {
        "writers": manifest["writers"],
        "manifest": {key: part for key, part in manifest.items() if key not in MANIFEST_MAY_DIFFER},
        "tables": {f"{t['config']}/{t['split']}": _table_record(release, t) for t in manifest["tables"]},
        "files": {path: _held(release, path) for path in paths if path not in in_tables},
        "card": _card_header(release),
    }


def release_differences(release: Path, recorded: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is not as recorded, a line each; of a table its columns and the first rows, as they are now.

    Bytes of tables are compared only where the same versions of libraries wrote both.
    """
    found = []
    for name in {**recorded["tables"], **now["tables"]}:
        then, table = recorded["tables"].get(name), now["tables"].get(name)
        if then is None or table is None:
            found.append(f"table {name}: {'is new' if then is None else 'is gone'}")
        else:
            found += _table_differences(release, name, then, table, recorded["writers"] == now["writers"])
    for part in ("manifest", "files", "card"):
        found += differences(recorded[part], now[part], part)
    return found


def _check_manifest(release: Path, manifest: dict[str, Any], paths: list[str]) -> None:
    """Every file beside the manifest is in it, with its size and digest."""
    named = {file["path"]: (file["size"], file["sha256"]) for file in manifest["files"]}
    there = {path: ((release / path).stat().st_size, _sha256(release / path)) for path in paths}
    del there["release.json"]
    assert named == there


def _table_record(release: Path, table: dict[str, Any]) -> dict[str, Any]:
    """A table of the manifest, with digests of its files, columns and pieces of its rows."""
    rows = _rows(release, table["files"])
    size = -(-len(rows) // BLOCKS) or 1
    blocks = [rows[start : start + size] for start in range(0, len(rows), size)]
    return {
        **{key: part for key, part in table.items() if key not in ("config", "split", "files")},
        "files": {file: _sha256(release / file) for file in table["files"]},
        "columns": {name: _digest([row[name] for row in rows])[:12] for name in rows[0]} if rows else {},
        "blocks": " ".join(_digest(block)[:4] for block in blocks),
    }


def _table_differences(
    release: Path, name: str, then: dict[str, Any], now: dict[str, Any], same_writers: bool
) -> Iterator[str]:
    where = f"table {name}"
    if then["rows"] != now["rows"]:
        yield f"{where}: {then['rows']} rows were recorded, {now['rows']} are there now"
    else:
        for line in differences(then["columns"], now["columns"]):
            yield f"{where}, digest of column {line}"
        if then["blocks"] != now["blocks"]:
            yield _first_rows(release, where, then, now)
    for key in ("content_sha256", "schema_sha256"):
        yield from differences(then[key], now[key], f"{where}, {key}")
    if same_writers or [*then["files"]] != [*now["files"]]:
        for line in differences(then["files"], now["files"]):
            yield f"{where}, sha256 of {line}"


def _first_rows(release: Path, where: str, then: dict[str, Any], now: dict[str, Any]) -> str:
    size = -(-now["rows"] // BLOCKS)
    pairs = zip(then["blocks"].split(), now["blocks"].split(), strict=True)
    start = size * next(i for i, (old, new) in enumerate(pairs) if old != new)
    end = min(start + size, now["rows"])
    row = _rows(release, [*now["files"]])[start]
    text = json.dumps(row, ensure_ascii=False, default=repr)
    return (
        f"{where}: the first rows that differ are among {start} to {end - 1}; row {start} is now {text[:600]}"
    )


def _rows(release: Path, files: list[str]) -> list[dict[str, Any]]:
    return [row for file in files for row in pyarrow.parquet.read_table(release / file).to_pylist()]


def _held(release: Path, path: str) -> str | None:
    """A digest of what is held of a file; null where that it is there is all."""
    if path.startswith((*PROSE, "release.json")):
        return None
    keys = PROSE_KEYS.get(path)
    if keys is None:
        return _sha256(release / path)
    text = (release / path).read_text(encoding="utf-8")
    if path.endswith(".jsonl"):
        value: Any = [json.loads(line) for line in text.splitlines()]
    else:
        value = yaml.safe_load(text) if path.endswith(".yaml") else json.loads(text)
    return _digest(_without(value, tuple(keys)))


def _without(value: Any, prefixes: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_without(part, prefixes) for part in value]
    if not isinstance(value, dict):
        return value
    return {key: _without(part, prefixes) for key, part in value.items() if not key.startswith(prefixes)}


def _card_header(release: Path) -> dict[str, Any]:
    """The YAML between the first two lines of dashes."""
    header = (release / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    card: dict[str, Any] = yaml.safe_load(header)
    return card


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, default=repr).encode()).hexdigest()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
