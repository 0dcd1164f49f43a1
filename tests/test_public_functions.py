"""The public functions: a path may come as text, as people type it in a notebook."""

from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

import blend
from blend.builders.validate import CHECKS
from blend.loaders.packaged import sample_path
from blend.schemas.recipe import find_domain
from helpers.messages import wrong


@pytest.mark.slow
def test_a_release_by_its_path_as_text(sample_release: Path):
    text = str(sample_release)
    assert_frame_equal(blend.read_config(text, "annotations"), blend.read_config(sample_release, "annotations"))
    assert blend.read_manifest(text) == blend.read_manifest(sample_release)
    assert blend.diff_releases(text, text).is_empty
    assert blend.validate_release(text, checks={"files": CHECKS["files"]}).passes()


@pytest.mark.slow
def test_sources_and_what_is_made_of_them_by_their_path_as_text(tmp_path: Path, root: Path):
    with sample_path() as folder:
        recipe = blend.read_recipe(str(folder / "recipe.toml"))
        assert not blend.read_responses(str(folder)).questions.is_empty()
        few = recipe.model_copy(update={"locales": ("ko-KR",)})
        made = blend.build_release(few, str(tmp_path / "release"), base=str(folder))
    assert made == blend.read_manifest(tmp_path / "release")
    published = root / "tests" / "loaders" / "valid" / "blend"
    assert not blend.read_blend(str(published)).questions.is_empty()


def test_a_snapshot_by_its_path_as_text(tmp_path: Path):
    (tmp_path / "empty.nt").touch()
    dish, endpoint = find_domain("dish"), "http://127.0.0.1:9/sparql"
    assert blend.read_facts(str(tmp_path / "empty.nt"), dish).claims.is_empty()
    told = wrong(lambda: blend.take_snapshot(str(tmp_path / "dishes.nt.gz"), dish, endpoint=endpoint))
    assert told.startswith(f"{endpoint}: cannot be reached")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.nt"]
