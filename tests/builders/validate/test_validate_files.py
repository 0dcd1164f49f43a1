"""Faults of files, manifest, recipe, findings and tables, each with its whole message."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from blend.builders.validate import CHECKS, validate_release
from blend.loaders.releases import read_manifest
from blend.loaders.releases.tables import read_figures, read_findings
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.manifest import AGREEMENT_NAME, AUDIT_NAME, FINDINGS_NAME, MANIFEST_NAME
from blend.schemas.rows import CONFIGS, Annotation
from helpers.messages import wrong

KR = "data/annotations/KR-00000.parquet"
AGAIN = "copy or download the release again, or rebuild it"
REBUILD = "rebuild the release"
UNREAD = "its rows are not checked; copy or build the release again"


def renamed(release) -> None:
    (release.path / KR).rename(release.path / "data/annotations/KR-00001.parquet")


def linked(release) -> None:
    elsewhere = (release.path / KR).rename(release.path.parent / "KR.parquet")
    (release.path / KR).symlink_to(elsewhere)


def manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], object]:
    return lambda release: release.edit_manifest(change)


def edited(path: str, change: Callable[[str], str]) -> Callable[[Any], object]:
    return lambda release: release.edit(path, change)


def without(path: str) -> Callable[[Any], object]:
    return lambda release: (release.path / path).unlink()


def unknown(manifest: dict[str, Any]) -> None:
    next(table for table in manifest["tables"] if table["split"] == "KR")["config"] = "anotations"


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, arrow_schema(Annotation))


def other_columns(release) -> None:
    table = table_of(release.rows("annotations", "KR"))
    topic = table.column_names.index("topic")
    table = table.drop_columns("language").set_column(topic - 1, "topic", pa.array([1] * len(table)))
    release.write("annotations", "KR", table.append_column("mood", pa.array(["good"] * len(table))))


def other_order(release) -> None:
    table = table_of(release.rows("annotations", "KR"))
    release.write("annotations", "KR", table.select(sorted(table.column_names)))


def header(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], object]:
    """Change the card's YAML header."""

    def edit(text: str) -> str:
        _, fields, body = text.split("---\n", 2)
        found = yaml.safe_load(fields)
        change(found)
        return f"---\n{yaml.safe_dump(found, allow_unicode=True, sort_keys=False)}---\n{body}"

    return edited("README.md", edit)


FAULTS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "missing": ("files", renamed),
    "a link": ("files", linked),
    "the Hub's": ("files", lambda release: (release.path / ".gitattributes").touch()),
    "another recipe": ("files", manifest(lambda held: held["recipe"].update(seed=7))),
    "another source": ("files", manifest(lambda held: held["sources"][0].update(sha256="0" * 64))),
    "no table": ("tables", without(KR)),
    "columns": ("tables", other_columns),
    "order": ("tables", other_order),
    "unknown": ("tables", manifest(unknown)),
    "table twice": ("tables", manifest(lambda held: held["tables"].append(held["tables"][0]))),
    "empty": ("tables", lambda release: release.write("annotations", "KR", table_of([]))),
}
"""Check and change by the name under which `told.toml` has what is said."""
TOLD = tomllib.loads(Path(__file__).with_name("told.toml").read_text(encoding="utf-8"))["files"]


@pytest.mark.sampled
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place_and_remedy(name: str, release):
    check, change = FAULTS[name]
    change(release)
    values = {"kr": KR, "beside": release.path.parent, "configs": ", ".join(CONFIGS)}
    assert release.problems(check) == [f"error: {line.format(**values)}" for line in TOLD[name]]


def test_a_file_that_was_changed_after_the_build_is_told(release):
    with (release.path / "README.md").open("a") as card:
        card.write("!")
    said = f"changed: its size or sha256 is not what release.json says; {AGAIN}"
    assert release.problems("files") == [f"error: README.md: {said}"]
    path = release.path / KR
    whole = path.read_bytes()
    path.write_bytes(whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:])
    assert release.problems("files")[1] == f"error: {KR}: {said}"
    path.write_bytes(whole)
    rows = release.rows("annotations", "KR")
    rows[0]["annotations"][0]["count"] += 1
    pq.write_table(table_of(rows), path)
    assert release.problems("files")[1] == f"error: {KR}: {said}"
    assert release.problems("tables") == []


def test_a_table_with_other_rows_or_that_is_none_is_told(release):
    path = release.path / KR
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    assert release.problems("tables") == [f"error: annotations/KR: 39 rows, release.json says 40; {REBUILD}"]
    damaged = pa.array([b"\xff"] * len(table), pa.binary()).view(pa.string())
    pq.write_table(table.set_column(table.column_names.index("question"), "question", damaged), path)
    (not_text,) = release.problems("tables")
    path.write_bytes(b"PAR1 broken PAR1")
    (not_parquet,) = release.problems("tables")
    for problem in (not_text, not_parquet):
        assert problem.startswith(f"error: annotations/KR: {KR} cannot be read as parquet (")
        assert problem.endswith(f"), {UNREAD}")
    assert release.problems("rows") == []


DEEP = "[" * 100_000 + "]" * 100_000
TEXTS = {
    "nested too deeply": (DEEP, "", "not usable as JSON: nested too deeply"),
    "of many digits": (
        '{"stage": ' + "9" * 5_000 + "}",
        "",
        "not usable as JSON: a number of thousands of digits",
    ),
    "cut off": ('{"stage": "a', ", line 1, column 11", "the JSON ends in the middle"),
    "a key twice": ('{"stage": 1, "stage": 2}', "", "key 'stage' occurs twice"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", TEXTS)
def test_json_that_is_none_is_told_with_its_place(name: str, release):
    text, place, message = TEXTS[name]
    for path in (AUDIT_NAME, AGREEMENT_NAME):
        (release.path / path).write_text(text)
    assert release.problems("audit") == [f"error: {AUDIT_NAME}: is not an audit ({message}); {REBUILD}"]
    assert wrong(lambda: read_figures(release.path, AGREEMENT_NAME)) == (
        f"{release.path / AGREEMENT_NAME}: {message}; copy or build the release again"
    )
    (release.path / MANIFEST_NAME).write_text(text)
    assert wrong(lambda: read_manifest(release.path)) == (
        f"{release.path / MANIFEST_NAME}: not a manifest that this version of blend-sdk reads "
        f"({MANIFEST_NAME}{place}: {message}); rebuild the release, or read it with the version that built it"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"stage": 1, "kind": "a"}',
            ":2: not a JSON object with stage and kind; copy or build the release again",
        ),
        ("[]", ":2: not a JSON object with stage and kind; copy or build the release again"),
        (
            '{"stage": "a", ',
            ":2, character 1: the JSON ends in the middle; copy or export the file again, whole",
        ),
    ],
)
def test_a_line_that_is_no_finding(tmp_path: Path, line: str, said: str):
    path = tmp_path / "findings.jsonl"
    path.write_text(f'{{"stage": "a", "kind": "b"}}\n{line}\n', encoding="utf-8")
    found = read_findings(path)
    assert next(found) == {"stage": "a", "kind": "b"}
    assert wrong(lambda: next(found)) == f"{FINDINGS_NAME}{said}"


@pytest.mark.landing
@pytest.mark.integration
def test_a_release_that_loads(sample_release: Path):
    shown = datasets.is_progress_bar_enabled()
    (result,) = validate_release(sample_release, checks={"loading": CHECKS["loading"]}).checks
    assert [str(problem) for problem in result.examples] == []
    assert datasets.is_progress_bar_enabled() == shown


@pytest.mark.nightly
@pytest.mark.integration
def test_releases_that_do_not_load_as_they_should(release):
    header(lambda fields: fields["configs"][0]["data_files"][1].update(split="KO"))(release)
    wrong_type = [{"config_name": "short-answer-questions", "features": [{"name": "ID", "dtype": "string"}]}]
    header(lambda fields: fields.update(dataset_info=wrong_type))(release)
    problems = release.problems("loading")
    fix = "compare the card's header with release.json, and rebuild the release"
    assert problems[:2] == [
        f"error: load_dataset(…, 'annotations'{streaming}): has the splits US, KO, DZ, CN, IR, MX, ET, KP, JB, "
        f"JP, not US, KR, DZ, CN, IR, MX, ET, KP, JB, JP; {fix}"
        for streaming in ("", ", streaming=True")
    ]
    assert problems[2].startswith("error: load_dataset(…, 'short-answer-questions'): fails with ")


def test_loading_does_without_torch(sample_release: Path):
    code = (
        "import sys, datasets; from blend.builders.validate import validate_release\n"
        "assert validate_release(sys.argv[1]).passes()\n"
        "assert 'torch' not in sys.modules and datasets.config.TORCH_AVAILABLE"
    )
    # As a user has it: our tests keep torch from all of `datasets`.
    environment = os.environ | {"USE_TORCH": "AUTO"}
    subprocess.run([sys.executable, "-c", code, str(sample_release)], env=environment, check=True)
