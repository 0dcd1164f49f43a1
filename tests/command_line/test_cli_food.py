"""Food on the command line: a snapshot is taken, a release is built, loaded, counted and checked."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import polars as pl
import pytest

from blend.loaders.datasets import as_models
from blend.loaders.releases import read_manifest
from blend.schemas.rows import Triple

NOUGHTS = "0" * 64

pytestmark = pytest.mark.integration


def blend(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [sys.executable, "-m", "blend", *map(str, arguments)], capture_output=True, text=True, env=os.environ
    )
    assert run.returncode == code, run.stderr
    return run


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


@pytest.fixture(scope="module")
def release(food_snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("food") / "release"
    blend("build", "--food", food_snapshot, "--out", out)
    return out


@pytest.mark.nightly
def test_every_config_and_split_loads(release: Path, tmp_path: Path):
    for table in read_manifest(release).tables:
        rows = datasets.load_dataset(
            str(release), table.config, split=table.split, streaming=True, cache_dir=str(tmp_path)
        )
        assert len(list(rows)) == table.rows
    assert datasets.get_dataset_config_names(str(release)) == ["food-triples", "food-aligned", "food-templates"]


@pytest.mark.nightly
def test_the_korean_split_has_the_published_dishes(release: Path, tmp_path: Path):
    rows = datasets.load_dataset(str(release), "food-triples", split="ko", cache_dir=str(tmp_path))
    assert len(rows) == 175
    assert rows[0]["parts"][0].keys() == {"qid", "label"}


def test_the_aligned_subset_has_175_dishes_in_six_languages(release: Path):
    aligned = [table for table in read_manifest(release).tables if table.config == "food-aligned"]
    assert {table.split: table.rows for table in aligned} == dict.fromkeys(
        ("en", "zh", "ko", "ar", "he", "ru"), 175
    )


@pytest.mark.nightly
def test_two_builds_are_the_same_bytes(release: Path, food_snapshot: Path, tmp_path: Path):
    blend("build", "--food", food_snapshot, "--out", tmp_path / "again")
    assert digests(tmp_path / "again") == digests(release)


@pytest.mark.nightly
def test_stats_count_what_is_there(release: Path, tmp_path: Path):
    printed = blend("stats", release, "--json", "--out", tmp_path / "stats").stdout
    languages = {row["language"]: row["dishes"] for row in json.loads(printed)["food_languages"]}
    assert languages["ko"] == 175
    assert pl.read_parquet(tmp_path / "stats" / "food_common_parts.parquet")["rank"].max() == 10
    assert "food: most common parts" in blend("stats", release, "--all").stdout


@pytest.mark.nightly
def test_a_release_without_annotations_is_no_pilot(release: Path):
    assert blend("plan", release, code=1).stderr == (
        f"error: {release}: no annotations in this release; plan from one that has some, or from BLEnD's "
        "regions: leave RELEASE out\n"
    )


@pytest.mark.nightly
def test_the_release_is_valid_and_equals_itself(release: Path):
    assert "valid: 0 errors" in blend("validate", release).stdout
    assert "Nothing differs" in blend("diff", release, release).stdout


@pytest.mark.nightly
def test_food_and_questions_in_one_release(food_snapshot: Path, tmp_path: Path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "both"\nversion = "1.0.0"\n[[sources]]\nkind = "sample"\n'
        f'[[sources]]\nkind = "wikidata"\nlocation = "{food_snapshot}"\n[food]\nlanguages = ["ko", "en"]\n'
        'aligned_languages = ["ko", "en"]\n',
        encoding="utf-8",
    )
    blend("build", recipe, "--out", tmp_path / "release")
    configs = {table.config for table in read_manifest(tmp_path / "release").tables}
    assert configs == {
        "annotations",
        "short-answer-questions",
        "short-answer-prompts",
        "multiple-choice-questions",
        "food-triples",
        "food-aligned",
        "food-templates",
    }
    assert "valid: 0 errors" in blend("validate", tmp_path / "release").stdout


@pytest.mark.nightly
def test_a_snapshot_is_taken_and_built_from(serve: Callable[[str], Any], food_triples: bytes, tmp_path: Path):
    endpoint = serve(food_triples.decode())
    out = tmp_path / "snapshot.nt.gz"
    command = ["wikidata", "snapshot", "--endpoint", endpoint.url, "--out", out, "--batch-size", "2000"]
    assert "blend build --food" in blend(*command, "--language", "en", "--language", "ko").stdout
    assert json.loads((tmp_path / "snapshot.json").read_text())["languages"] == ["en", "ko"]
    blend("build", "--food", out, "--out", tmp_path / "release")
    triples = {
        table.split: table.rows
        for table in read_manifest(tmp_path / "release").tables
        if table.config == "food-triples"
    }
    assert triples["ko"] == 175


@pytest.mark.nightly
def test_snapshots_from_a_dump(food_snapshot: Path, tmp_path: Path):
    command = [
        "wikidata",
        "snapshot",
        "--dump",
        food_snapshot,
        "--out",
        tmp_path / "s.nt.gz",
        "--language",
        "ko",
    ]
    run = blend(*command, "--domain", "musical-instrument", "--domain", "dish", code=1)
    assert run.stdout.splitlines()[1] == f"  blend build --food {tmp_path / 'dish' / 's.nt.gz'}"
    assert len(run.stdout.splitlines()) == 2
    assert run.stderr.splitlines()[-1] == (
        "error: no item of the domain 'musical-instrument' was found, so nothing was written for it; check the "
        "classes of the domain, and whether all of Wikidata was searched"
    )
    assert list((tmp_path / "musical-instrument").iterdir()) == []
    account = json.loads((tmp_path / "dish" / "snapshot.json").read_text())
    assert (account["endpoint"], account["dump"]["file"]) == (None, food_snapshot.name)
    run = blend(*command, "--endpoint", "http://127.0.0.1:9/sparql", code=1)
    assert run.stderr.strip() == (
        "error: --dump is read from the disk; leave out --endpoint and --contact, or --dump"
    )


@pytest.mark.nightly
def test_a_refused_endpoint_is_one_line(tmp_path: Path):
    endpoint = "http://127.0.0.1:9/sparql"  # the discard port: nobody listens
    run = blend("wikidata", "snapshot", "--endpoint", endpoint, "--out", tmp_path / "s.nt.gz", code=1)
    assert run.stderr.strip() == (
        f"error: {endpoint}: cannot be reached ([Errno 111] Connection refused); check the address, or run the "
        "same command again later"
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--food", "x.nt.gz", "--blend", "y"],
            2,
            (
                "error: --food builds from a snapshot alone; "
                "to join it with other sources, write all into a recipe"
            ),
        ),
        (
            ["--food", "missing.nt.gz"],
            1,
            (
                "error: source wikidata missing.nt.gz: no such file: missing.nt.gz; "
                "take one with `blend wikidata snapshot`"
            ),
        ),
        (
            ["--food", "/dev"],
            1,
            "error: source wikidata dev: not a file: /dev; take one with `blend wikidata snapshot`",
        ),
    ],
)
def test_what_build_refuses(arguments: list[str], code: int, message: str, tmp_path: Path):
    run = blend("build", *arguments, "--out", tmp_path / "release", code=code)
    assert run.stderr.splitlines()[-1] == message


@pytest.mark.nightly
def test_another_snapshot_than_the_recipe_pins(food_snapshot: Path, tmp_path: Path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "food"\nversion = "1.0.0"\n[[sources]]\nkind = "wikidata"\n'
        f'location = "{food_snapshot}"\nsha256 = "{NOUGHTS}"\n',
        encoding="utf-8",
    )
    run = blend("build", recipe, "--out", tmp_path / "release", code=1)
    assert f"but the recipe says {NOUGHTS}" in run.stderr
    assert not (tmp_path / "release").exists()


@pytest.mark.nightly
def test_instruments_need_no_code(shorthand: Callable[[str], str], tmp_path: Path):
    facts = (
        "Q500 P31 Q34379\nQ500 label en:lute\nQ500 label fr:luth\nQ500 P495 Q142\n"
        "Q500 P527 Q503\nQ503 label en:string\nQ503 label fr:corde\n"
        "Q142 P31 Q6256\nQ142 label en:France\nQ142 label fr:France"
    )
    (tmp_path / "facts.nt").write_text(shorthand(facts), encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "instruments"\nversion = "1.0.0"\n[[sources]]\nkind = "wikidata"\nlocation = "facts.nt"\n'
        '[food]\ndomain = "musical-instrument"\naligned_languages = ["en", "fr"]\n',
        encoding="utf-8",
    )
    release = tmp_path / "release"
    blend("build", recipe, "--out", release)
    assert "valid: 0 errors" in blend("validate", release).stdout
    assert json.loads(blend("stats", release, "--json").stdout)["instruments"]["languages"][0]["dishes"] == 1
    rows = datasets.load_dataset(
        str(release), "instruments-aligned", split="fr", cache_dir=str(tmp_path / "cache")
    )
    (lute,) = as_models(rows, Triple)
    assert isinstance(lute, Triple)
    assert (lute.label, lute.origin, lute.parts[0].label) == ("luth", "France", "corde")
