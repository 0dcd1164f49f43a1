"""Faults of files, manifest, recipe, findings, tables and columns, each with its whole message."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blend.loaders.files import content as unpacked
from blend.loaders.releases import read_manifest
from blend.schemas.arrow_types import arrow_schema
from blend.schemas.rows import CONFIGS, Annotation

KR = "data/annotations/KR-00000.parquet"


def test_a_flipped_byte(release):
    path = release.path / KR
    data = bytearray(path.read_bytes())
    before = data[-20]
    data[-20] ^= 1
    path.write_bytes(data)
    (problem,) = release.problems("files")
    assert before != data[-20]
    assert problem.startswith(f"error: {KR}: changed: its sha256 is ")
    assert problem.endswith("…; copy or download the release again, or rebuild it")


def test_a_file_of_another_size(release):
    with (release.path / "README.md").open("a") as card:
        card.write("!")
    size = (release.path / "README.md").stat().st_size
    assert release.problems("files") == [
        (
            f"error: README.md: changed: {size:,} bytes, release.json says {size - 1:,}; "
            "copy or download the release again, or rebuild it"
        )
    ]


def test_missing_and_added_files(release):
    (release.path / KR).rename(release.path / "data/annotations/KR-00001.parquet")
    assert release.problems("files") == [
        f"error: {KR}: is missing; copy or download the release again, or rebuild it",
        (
            "error: data/annotations/KR-00001.parquet: is not in release.json; "
            "remove the file, or rebuild the release with it"
        ),
    ]


def test_files_of_the_hub_and_of_git_are_no_fault(release):
    (release.path / ".gitattributes").touch()
    (release.path / ".cache" / "huggingface").mkdir(parents=True)
    (release.path / ".cache" / "huggingface" / "x.lock").touch()
    assert release.problems("files") == [
        "info: .cache/huggingface/x.lock: is not part of the release; the Hub and git put it there",
        "info: .gitattributes: is not part of the release; the Hub and git put it there",
    ]


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "data\\..\\secret"])
def test_paths_that_lead_out_of_the_release(release, path: str):
    release.edit_manifest(lambda manifest: manifest["files"][0].update(path=path))
    problems = release.problems("files")
    assert f"error: release.json: path {path!r} leads out of the release; rebuild the release" in problems


def test_a_file_that_is_listed_twice(release):
    release.edit_manifest(lambda manifest: manifest["files"].append(manifest["files"][0]))
    listed = read_manifest(release.path).files[0].path
    assert release.problems("files") == [
        f"error: release.json: file {listed} is listed 2 times; rebuild the release"
    ]


def test_a_table_with_a_file_that_is_not_listed(release):
    release.edit_manifest(
        lambda manifest: manifest.update(files=[file for file in manifest["files"] if file["path"] != KR])
    )
    assert release.problems("files") == [
        f"error: {KR}: is not in release.json; remove the file, or rebuild the release with it",
        (
            f"error: release.json: annotations/KR names the file {KR}, which is not among the files; "
            "rebuild the release"
        ),
    ]


def test_another_recipe(release):
    release.edit("recipe.toml", lambda text: text.replace("seed = 0", "seed = 1"))
    assert release.problems("recipe") == [
        "error: recipe.toml: seed differs from the recipe in release.json; rebuild the release"
    ]


def test_another_version(release):
    release.edit_manifest(lambda manifest: manifest.update(version="0.2.0"))
    assert release.problems("recipe") == [
        "error: release.json: version is '0.2.0', but its recipe says '0.1.0'; rebuild the release"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "is not a recipe (Invalid value (at end of document))"),
        ("name = 3", "is not a recipe (name: Input should be a valid string)"),
    ],
)
def test_no_recipe(release, text: str, said: str):
    release.edit("recipe.toml", lambda _: text)
    assert release.problems("recipe") == [f"error: recipe.toml: {said}; rebuild the release"]


def test_recipe_and_findings_are_missing(release):
    (release.path / "recipe.toml").unlink()
    (release.path / "reports" / "findings.jsonl").unlink()
    assert release.problems("recipe") == ["error: recipe.toml: is missing; rebuild the release"]
    assert release.problems("findings") == ["error: reports/findings.jsonl: is missing; rebuild the release"]


def test_findings_that_are_not_those_counted(release):
    def change(text: str) -> str:
        kept = [line for line in text.splitlines() if '"collection-stopped"' not in line]
        return "\n".join([*kept, '{"kind": 3', '{"stage": "s", "kind": "k"}']) + "\n"

    lines = len((release.path / "reports" / "findings.jsonl").read_text(encoding="utf-8").splitlines())
    release.edit("reports/findings.jsonl", change)
    assert release.problems("findings") == [
        (
            f"error: reports/findings.jsonl:{lines}: is not a finding: the JSON ends in the middle; "
            "rebuild the release"
        ),
        (
            "error: reports/findings.jsonl: holds 0 findings 'collection-stopped' of the step 'aggregate "
            "responses', release.json counts 1; rebuild the release"
        ),
        (
            "error: reports/findings.jsonl: holds 1 findings 'k' of the step 's', release.json counts 0; "
            "rebuild the release"
        ),
    ]


@pytest.mark.slow
def test_fewer_rows_than_the_manifest_says(release):
    rows = pq.read_table(release.path / KR)
    pq.write_table(rows.slice(1), release.path / KR)
    rows, digest = release.problems("tables")
    assert rows == "error: annotations/KR: 39 rows, release.json says 40; rebuild the release"
    assert digest.startswith("error: annotations/KR: the digest of the rows is ")


@pytest.mark.slow
def test_a_table_that_is_no_parquet(release):
    (release.path / KR).write_bytes(b"PAR1 broken PAR1")
    (problem,) = release.problems("tables")
    assert problem.startswith(f"error: annotations/KR: {KR} cannot be read as parquet (")
    assert problem.endswith("), its rows are not checked; copy or build the release again")
    assert release.problems("rows") == []


@pytest.mark.slow
def test_a_missing_table(release):
    (release.path / KR).unlink()
    assert release.problems("tables") == [
        f"error: annotations/KR: {KR} is missing, its rows are not checked; copy or build the release again"
    ]


@pytest.mark.slow
def test_text_that_is_not_utf8(release):
    table = pq.read_table(release.path / KR)
    damaged = pa.array([b"\xff"] * len(table), pa.binary()).view(pa.string())
    table = table.set_column(table.column_names.index("question"), "question", damaged)
    pq.write_table(table, release.path / KR)
    (problem,) = release.problems("tables")
    assert problem.startswith(f"error: annotations/KR: {KR} cannot be read as parquet (")


@pytest.mark.slow
def test_columns_of_another_model(release):
    table = pa.Table.from_pylist(release.rows("annotations", "KR"), arrow_schema(Annotation))
    topic = table.column_names.index("topic")
    table = table.drop_columns("language").set_column(topic - 1, "topic", pa.array([1] * len(table)))
    release.write("annotations", "KR", table.append_column("mood", pa.array(["good"] * len(table))))
    assert release.problems("tables") == [
        (
            "error: annotations/KR: columns are not those of the model, rows are not checked: language is "
            "missing, mood is unknown, topic is int64, not string; rebuild the release"
        )
    ]


@pytest.mark.slow
def test_columns_in_another_order(release):
    table = pa.Table.from_pylist(release.rows("annotations", "KR"), arrow_schema(Annotation))
    release.write("annotations", "KR", table.select(sorted(table.column_names)))
    assert release.problems("tables") == [
        (
            "error: annotations/KR: columns are not those of the model, rows are not checked: other order; "
            "rebuild the release"
        )
    ]


@pytest.mark.slow
def test_an_unknown_configuration(release):
    def rename(manifest):
        table = next(table for table in manifest["tables"] if table["split"] == "KR")
        table["config"] = "anotations"

    release.edit_manifest(rename)
    assert release.problems("tables") == [
        (
            "error: anotations/KR: unknown configuration 'anotations', its rows are not checked; known are "
            f"{', '.join(CONFIGS)}; "
            "validate with the version of blend-sdk that built the release"
        )
    ]


@pytest.mark.slow
def test_a_table_that_is_listed_twice(release):
    release.edit_manifest(lambda manifest: manifest["tables"].append(manifest["tables"][0]))
    assert release.problems("tables") == [
        "error: release.json: table annotations/US is listed 2 times; rebuild the release"
    ]


@pytest.mark.slow
def test_an_empty_table_is_read(release):
    table = pa.Table.from_pylist([], arrow_schema(Annotation))
    release.write("annotations", "KR", table)
    assert release.problems("tables") == []
    assert release.problems("rows") == []


@pytest.mark.slow
def test_tables_that_take_too_much_together_are_not_loaded(release, monkeypatch):
    # Ten tables of some 40,000 bytes, each of which may be read.
    monkeypatch.setattr(unpacked, "TIMES", 0)
    monkeypatch.setattr(unpacked, "TABLE_BYTES", 100_000)
    kept = {"annotations"}
    release.edit_manifest(
        lambda manifest: manifest.update(tables=[t for t in manifest["tables"] if t["config"] in kept])
    )
    (problem,) = release.problems("loading")
    assert problem.startswith(
        f"error: load_dataset(…, 'annotations'): is not tried ({release.path}/data/annotations/"
    )
    assert "it and the 9 files read with it unpack to " in problem
    assert problem.endswith(
        "and more than 100,000 is not read of files of their size; do not use it, and tell who made it); "
        "compare the card's header with release.json, and rebuild the release"
    )
