"""Synthetic regions for benchmarks: realistic, repeatable, and readable in BLEnD's layout."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.stats import build_stats
from blend.loaders.files.toml import read_locales
from blend.loaders.upstream.blend import read_blend
from blend.schemas.frames import ANNOTATIONS, KEY, QUESTIONS
from blend.schemas.locales import registry


@pytest.fixture(scope="module")
def script(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_regions", root / "benchmarks" / "make_regions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_regions"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sample(script: ModuleType) -> tuple[pl.DataFrame, pl.DataFrame]:
    return script.base_tables()


@pytest.mark.slow
def test_the_base_stays_as_it_is(script, sample):
    questions, annotations = sample
    made = script.make_regions(*sample, 14)
    base = pl.col("locale").is_in(questions["locale"].unique().to_list())
    assert_frame_equal(made.questions.filter(base), questions.sort(KEY))
    assert_frame_equal(made.annotations.filter(base), annotations.sort(KEY))
    assert made.questions["locale"].n_unique() == 14
    assert made.questions.schema == QUESTIONS
    assert made.annotations.schema == ANNOTATIONS


@pytest.mark.slow
def test_a_region_does_not_depend_on_how_many_there_are(script, sample):
    few, many = script.make_regions(*sample, 12), script.make_regions(*sample, 20)
    here = pl.col("locale").is_in(few.questions["locale"].unique().to_list())
    assert_frame_equal(many.questions.filter(here), few.questions)
    assert_frame_equal(many.annotations.filter(here), few.annotations)


def test_another_seed_draws_other_answers(script, sample):
    one, other = script.make_regions(*sample, 12), script.make_regions(*sample, 12, seed=1)
    assert not one.annotations.equals(other.annotations)


def test_every_template_is_asked_about_the_invented_region(script, sample):
    made = script.make_regions(*sample, 12)
    (tag, *_) = [locale.tag for locale in made.locales if locale.tag not in registry()]
    asked = made.questions.filter(locale=tag)
    assert asked["template_id"].n_unique() == sample[0]["template_id"].n_unique()
    name = made.locales.get(tag).region_name
    assert asked["en_question"].str.contains(name, literal=True).all()


def test_fewer_regions_than_the_base_are_its_first(script, sample):
    made = script.make_regions(*sample, 3)
    tags = sorted(sample[0]["locale"].unique(), key=registry().rank)[:3]
    assert sorted(made.questions["locale"].unique()) == sorted(tags)


def test_more_regions_than_codes_are_an_error(script, sample):
    with pytest.raises(ValueError, match="1400 invented locales wanted, but there are codes for"):
        script.make_regions(*sample, 1400 + sample[0]["locale"].n_unique())


@pytest.mark.slow
def test_written_regions_are_read_back(script, sample, tmp_path):
    made = script.make_regions(*sample, 12)
    script.write_regions(made, tmp_path)
    locales = registry().extended(read_locales(tmp_path / "locales.toml"))
    read = read_blend(tmp_path, clean=False, locales=locales)
    columns = ["template_id", "locale", "annotations", "idks"]
    assert_frame_equal(read.annotations.select(columns), made.annotations.select(columns))
    texts = ["template_id", "locale", "topic", "question", "en_question"]
    assert_frame_equal(read.questions.select(texts), made.questions.select(texts))


@pytest.mark.integration
@pytest.mark.nightly
def test_invented_regions_overlap_as_real_ones_do(script, blend_data):
    made = script.make_regions(*script.base_tables(blend_data), 33)
    overlap = build_stats(made.questions, made.annotations, locales=made.locales).overlap
    invented = ~(pl.col("locale_a").is_in(registry().tags) | pl.col("locale_b").is_in(registry().tags))
    real = pl.col("locale_a").is_in(registry().tags) & pl.col("locale_b").is_in(registry().tags)
    means = [overlap.filter(pairs)["word_share"].mean() for pairs in (invented, real)]
    assert means[0] == pytest.approx(means[1], rel=0.2)
