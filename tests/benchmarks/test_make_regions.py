"""Synthetic regions for benchmarks: realistic, repeatable, and readable in BLEnD's layout."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from blend.builders.stats import build_stats
from blend.loaders.files.toml import read_locales
from blend.loaders.upstream.blend import read_blend
from blend.schemas.frames import KEY
from blend.schemas.locales import registry
from helpers.scripts import script

REGIONS = script("benchmarks/make_regions.py")


@pytest.mark.slow
def test_regions_are_added_to_the_base_and_depend_on_the_seed_alone():
    questions, annotations = sample = REGIONS.base_tables()
    made, more = REGIONS.make_regions(*sample, 12), REGIONS.make_regions(*sample, 20)
    assert made.questions["locale"].n_unique() == 12
    base = pl.col("locale").is_in(questions["locale"].unique().to_list())
    assert_frame_equal(made.questions.filter(base), questions.sort(KEY))
    assert_frame_equal(made.annotations.filter(base), annotations.sort(KEY))
    here = pl.col("locale").is_in(made.questions["locale"].unique().to_list())
    assert_frame_equal(more.questions.filter(here), made.questions)
    assert_frame_equal(more.annotations.filter(here), made.annotations)
    assert not made.annotations.equals(REGIONS.make_regions(*sample, 12, seed=1).annotations)
    # Fewer than the base are its first.
    few = sorted(REGIONS.make_regions(*sample, 3).questions["locale"].unique())
    assert few == sorted(sorted(questions["locale"].unique(), key=registry().rank)[:3])
    with pytest.raises(ValueError, match="1400 invented locales wanted, but there are codes for"):
        REGIONS.make_regions(*sample, 1400 + questions["locale"].n_unique())


@pytest.mark.slow
def test_written_regions_are_read_back(tmp_path: Path):
    made = REGIONS.make_regions(*REGIONS.base_tables(), 12)
    REGIONS.write_regions(made, tmp_path)
    locales = registry().extended(read_locales(tmp_path / "locales.toml"))
    read: Any = read_blend(tmp_path, clean=False, locales=locales)
    columns = ["template_id", "locale", "annotations", "idks"]
    assert_frame_equal(read.annotations.select(columns), made.annotations.select(columns))
    texts = ["template_id", "locale", "topic", "question", "en_question"]
    assert_frame_equal(read.questions.select(texts), made.questions.select(texts))


@pytest.mark.integration
@pytest.mark.nightly
def test_invented_regions_overlap_as_real_ones_do(blend_data: Path):
    made = REGIONS.make_regions(*REGIONS.base_tables(blend_data), 33)
    overlap = build_stats(made.questions, made.annotations, locales=made.locales).overlap
    invented = ~(pl.col("locale_a").is_in(registry().tags) | pl.col("locale_b").is_in(registry().tags))
    real = pl.col("locale_a").is_in(registry().tags) & pl.col("locale_b").is_in(registry().tags)
    means = [overlap.filter(pairs)["word_share"].mean() for pairs in (invented, real)]
    assert means[0] == pytest.approx(means[1], rel=0.2)
