"""Rungs of the 16 regions: what they yield, and what can be guessed in them."""

from collections import Counter

import polars as pl
import pytest

from blend.builders.audit.rungs import audit_rung
from blend.builders.mcq import build_mcq
from blend.builders.mcq.result import McqBuild
from blend.schemas.language.locales import registry
from blend.schemas.recipe.recipe import McqOptions
from blend.schemas.rows.configs import REGION_QUESTIONS, TRUE_FALSE_QUESTIONS
from helpers.questions.mcq_inputs import positions
from helpers.questions.rung_answers import gave_it

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

REGIONS = {
    "en-GB": 25, "en-US": 26, "ko-KR": 55, "ar-DZ": 27, "zh-CN": 37, "id-ID": 40, "es-ES": 28, "fa-IR": 28,
    "es-MX": 28, "as-AS": 46, "el-GR": 20, "am-ET": 22, "ha-NG": 15, "az-AZ": 30, "ko-KP": 22, "su-JB": 32,
}  # fmt: skip
"""Region questions; docs/rungs.md has their sum."""
GUESSED = {
    TRUE_FALSE_QUESTIONS: {"frequent": 58.9, "typical": 73.2, "classifier": 64.2, "widespread": 69.8},
    REGION_QUESTIONS: {"region-prior": 28.3, "typical": 81.3, "classifier": 50.1},
}
"""What the audit's solvers get right, in percent, each row once; of true-false questions balanced."""


@pytest.fixture(scope="module")
def rungs_build(built) -> McqBuild:
    return built(rungs=True)


@pytest.fixture(scope="module")
def rungs(rungs_build: McqBuild) -> dict[str, pl.DataFrame]:
    return {config: pl.concat(rows) for config, rows in rungs_build.rungs().items()}


def test_the_16_regions_yield_what_the_documentation_says(rungs):
    assert len(rungs[TRUE_FALSE_QUESTIONS]) == 4_716
    rows = rungs[REGION_QUESTIONS]
    assert dict(rows.group_by("locale").len().iter_rows()) == REGIONS
    assert (len(rows), rows["template_id"].n_unique()) == (481, 176)
    shown = Counter(region for regions in rows["option_regions"] for region in regions)
    code = {locale.tag: locale.region for locale in registry()}
    # Each is right in a quarter of the questions that show it.
    assert all(abs(shown[code[tag]] - 4 * n) <= 2 for tag, n in REGIONS.items())
    for tag, n in REGIONS.items():
        assert all(abs(4 * of - n) < 4 for of in positions(rows.filter(locale=tag)))


def test_one_of_the_four_regions_alone_gave_the_answer(rungs, published):
    rows = rungs[REGION_QUESTIONS]
    found = gave_it(rows, published.annotations)
    assert all(not any(of[:at] + of[at + 1 :]) for of, at in zip(found, rows["answer"], strict=True))


@pytest.mark.parametrize("config", GUESSED)
def test_what_can_be_guessed_in_the_16_regions(root, rungs, published, config):
    audit = audit_rung(config, rungs[config], annotations=published.annotations, locales=registry())
    found = {
        name: round(100 * share, 1) for name, share in audit.baselines.select("baseline", "overall").rows()
    }
    assert found == GUESSED[config]
    page = (root / "docs" / "rungs.md").read_text(encoding="utf-8")
    assert all(f"{share} %" in page for share in found.values())


def test_the_order_of_rows_changes_no_rung(rungs, published):
    again = build_mcq(
        published.questions.sample(fraction=1, shuffle=True, seed=1),
        published.annotations.sample(fraction=1, shuffle=True, seed=2),
        options=McqOptions(rungs=True),
        seed=0,
    )
    assert all(pl.concat(rows).equals(rungs[config]) for config, rows in again.rungs().items())


def test_the_multiple_choice_questions_are_as_without_rungs(rungs_build, mcqs):
    assert rungs_build.frame().equals(mcqs)
