"""The release of the 16 published regions compared with others of the same data."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.diff import diff_releases
from blend.builders.diff.model import ConfigDiff
from blend.builders.diff.version_step import version_step
from blend.builders.release import build_release
from blend.loaders.recipes.ready import blend_recipe, blend_source
from blend.schemas.locales import registry
from blend.schemas.rows import ANNOTATIONS, MULTIPLE_CHOICE_QUESTIONS, SHORT_ANSWER_QUESTIONS

pytestmark = pytest.mark.integration

BLEND = tuple(locale.tag for locale in registry() if "blend" in locale.collections)


@pytest.fixture(scope="module")
def build(blend_data: Path, tmp_path_factory: pytest.TempPathFactory):
    recipe = blend_recipe(str(blend_data), None)
    places = {blend_source(recipe).location: blend_data}

    def built(**changes: Any) -> Path:
        out = tmp_path_factory.mktemp("regions") / "release"
        build_release(recipe.model_copy(update=changes), out, source_paths=places)
        return out

    return built


@pytest.fixture(scope="module")
def release(regions_release: Path) -> Path:
    return regions_release


def mcq_rows(release: Path) -> pl.DataFrame:
    return pl.read_parquet(release / "data" / MULTIPLE_CHOICE_QUESTIONS / "*.parquet")


def by_config(old: Path, new: Path) -> dict[str, ConfigDiff]:
    return {config.config: config for config in diff_releases(old, new).configs}


@pytest.mark.nightly
def test_a_rebuild_differs_in_nothing(release, regions_release_again):
    found = diff_releases(release, regions_release_again)
    assert found.is_empty
    assert version_step(found).step == "none"


@pytest.mark.nightly
def test_another_seed_changes_multiple_choice_questions_alone(release, build):
    other = build(seed=3)
    found = by_config(release, other)
    assert found[ANNOTATIONS].is_empty
    assert found[SHORT_ANSWER_QUESTIONS].is_empty
    (mcqs,) = found[MULTIPLE_CHOICE_QUESTIONS].splits
    # The same figures by polars' own joins.
    old, new = mcq_rows(release), mcq_rows(other)
    both = old.join(new, on="MCQID", suffix="_new", validate="1:1")
    came, went = mcqs.added + mcqs.replaced, mcqs.removed + mcqs.replaced
    assert (came, went) == (len(new) - len(both), len(old) - len(both))
    differing = {
        name: both.filter(pl.col(name).ne_missing(pl.col(f"{name}_new"))).height for name in old.columns[1:]
    }
    assert mcqs.columns == {name: n for name, n in differing.items() if n}
    assert mcqs.changed == max(differing.values())
    assert mcqs.examples[0].id in set(both["MCQID"])


@pytest.mark.nightly
def test_one_locale_less_breaks(release, build):
    fewer = build(locales=tuple(tag for tag in BLEND if tag != "su-JB"))
    step = version_step(diff_releases(release, fewer))
    assert step.step == "major"
    assert "annotations: 1 split removed: JB" in [reason.text for reason in step.reasons]
    back = by_config(fewer, release)[ANNOTATIONS]
    assert [(split.split, split.new_rows) for split in back.splits if not split.is_empty] == [("JB", 500)]


@pytest.mark.nightly
def test_the_published_procedure_makes_other_questions(release, paper_release):
    found = by_config(release, paper_release)
    (mcqs,) = found[MULTIPLE_CHOICE_QUESTIONS].splits
    assert (mcqs.changed, mcqs.moved) == (0, 0)
    came, went = mcqs.added + mcqs.replaced, mcqs.removed + mcqs.replaced
    assert (came, went) == (mcqs.new_rows, mcqs.old_rows)
