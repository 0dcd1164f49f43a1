"""Sources: every kind gives the same tables, is identified by its files, and is refused when they differ."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from blend.loaders.files.content import directory_digest, file_infos, file_sha256
from blend.loaders.recipes import RecipeInPlace, food_recipe
from blend.loaders.recipes.sources import load_snapshot, load_source
from blend.schemas.errors import BlendError
from blend.schemas.frames import ANNOTATIONS, FINDINGS, QUESTIONS, RESPONSES, REVIEWS
from blend.schemas.recipe import Recipe, Source
from helpers.messages import wrong

VALID = Path(__file__).parents[1] / "valid"


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        (Source(kind="responses", location="responses"), (4, 0, 10, 2)),
        (Source(kind="blend", location="blend"), (4, 4, 0, 0)),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_tables_of_each_kind_have_the_same_columns(source, rows):
    tables = load_source(source, VALID)
    frames = (tables.questions, tables.annotations, tables.responses, tables.reviews)
    assert [frame.schema for frame in frames] == [QUESTIONS, ANNOTATIONS, RESPONSES, REVIEWS]
    assert tuple(frame.height for frame in frames) == rows
    assert tables.findings.schema == FINDINGS


@pytest.mark.slow
def test_the_sample_is_a_source_without_findings():
    tables = load_source(Source(kind="sample"))
    assert tables.info.location == ""
    assert tables.responses.height > 1000
    assert tables.findings.is_empty()


def test_a_source_says_what_was_read():
    info = load_source(Source(kind="blend", location="blend"), VALID).info
    assert (info.kind, info.location, info.revision) == ("blend", "blend", None)
    assert [file.path for file in info.files] == [
        "annotations/South_Korea_data.json",
        "annotations/UK_data.json",
        "questions/South_Korea_questions.csv",
        "questions/UK_questions.csv",
    ]
    for file in info.files:
        content = (VALID / "blend" / file.path).read_bytes()
        assert (file.size, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_the_digest_is_what_sha256sum_prints(tmp_path):
    names = ["b.csv", "B.csv", "responses/ä.csv", "responses/a.csv"]
    (tmp_path / "responses").mkdir()
    for name in names:
        (tmp_path / name).write_text(name, encoding="utf-8")
    infos = file_infos(tmp_path, [tmp_path / name for name in names])
    ordered = ["B.csv", "b.csv", "responses/a.csv", "responses/ä.csv"]
    assert [info.path for info in infos] == ordered
    lines = subprocess.run(["sha256sum", *ordered], cwd=tmp_path, capture_output=True, check=True).stdout
    assert directory_digest(infos) == directory_digest(infos[::-1]) == hashlib.sha256(lines).hexdigest()


def test_a_pin_holds_until_a_file_changes(tmp_path):
    shutil.copytree(VALID / "blend", tmp_path / "mine")
    found = load_source(Source(kind="blend", location="mine"), tmp_path).info.sha256
    pinned = Source(kind="blend", location="mine", sha256=found)
    assert load_source(pinned, tmp_path).info.sha256 == found
    questions = tmp_path / "mine" / "questions" / "UK_questions.csv"
    questions.write_bytes(questions.read_bytes() + b"\n")
    changed = load_source(Source(kind="blend", location="mine"), tmp_path).info.sha256
    assert wrong(lambda: load_source(pinned, tmp_path)) == (
        f"source blend mine: its files have the sha256 {changed}, but the recipe says {found}; "
        f'get the files that the recipe means, or write sha256 = "{changed}" there if these are the right ones'
    )


def test_a_folder_is_not_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    placed = RecipeInPlace.of(food_recipe(Path()))
    with pytest.raises(BlendError, match=f"not a file: {tmp_path}; take one with"):
        load_snapshot(placed, placed.recipe.sources[0])


def test_a_snapshot_that_is_not_the_pinned_one_is_refused(food_snapshot: Path):
    recipe = food_recipe(food_snapshot)
    pinned = recipe.sources[0].model_copy(update={"sha256": "0" * 64})
    placed = RecipeInPlace.of(recipe.model_copy(update={"sources": (pinned,)}))
    found = file_sha256(food_snapshot)
    with pytest.raises(BlendError, match=f"have the sha256 {found}, but the recipe says {'0' * 64}; get the"):
        load_snapshot(placed, placed.recipe.sources[0])


# No release tells where something lay on the machine of whoever built it.


def portable(*locations: str, previous: str | None = None, **paths: Path) -> RecipeInPlace:
    sources = tuple(Source(kind="responses", location=location) for location in locations)
    recipe = Recipe(name="own", version="1.0.0", license="cc0-1.0", sources=sources, previous=previous)
    return RecipeInPlace.of(recipe, **paths)


@pytest.mark.parametrize(
    ("locations", "expected"),
    [
        (["collected", "../beside"], ["collected", "../beside"]),
        (["/home/ada/collected"], ["collected"]),
        (["/home/ada/data", "/home/bob/data"], ["data", "bob/data"]),
        (["data", "/home/ada/data"], ["data", "ada/data"]),
        (["data", "/data"], ["data", "./data"]),
    ],
)
def test_locations(locations: list[str], expected: list[str]):
    made = portable(*locations)
    assert [source.location for source in made.recipe.sources] == expected
    assert made.source_paths == {
        name: Path(location) for name, location in zip(expected, locations, strict=True) if name != location
    }


def test_the_release_before_and_places_that_are_given(tmp_path: Path):
    given = {"/home/ada/data": tmp_path, "here": tmp_path}
    made = portable("/home/ada/data", "here", previous="/home/ada/release", source_paths=given)
    assert made.recipe.previous == "release"
    there = {"data": tmp_path, "here": tmp_path, "release": Path("/home/ada/release")}
    assert made.source_paths == given | there
    assert portable("here", previous="org/own@v1.0.0").recipe.previous == "org/own@v1.0.0"
