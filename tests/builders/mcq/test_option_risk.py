"""How likely an option that nobody has read is refused, and what a recipe leaves out for it."""

import math

import polars as pl
import pytest
from pydantic import ValidationError

from blend.builders.mcq.options import Option
from blend.builders.mcq.unread_options import FEATURES, REFUSED_ELSEWHERE, OptionRisk
from blend.loaders.responses.shipped import shipped_risk, shipped_verdicts
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of, shown_to, verdicts_of

TEMPLATES = {
    "T-1": {**FRUIT, "es-MX": [("mango", 3), ("mangos", 1)]},
    "T-2": {"en-GB": [("mango", 4)], "en-US": [("bread", 3)], "es-MX": [("mango", 3)]},
}


def risk_of(templates, **more) -> OptionRisk:
    return OptionRisk(frames_of(templates)[1], **({"shipped": False} | more))


def test_features_by_hand():
    found = risk_of(TEMPLATES).features("T-1", "en-GB", "mango", "es-MX")
    # The UK uses the word in one answer and gave one answer here; Mexico gave mangoes to two templates.
    assert list(found.values()) == [1, *map(math.log1p, (1, 2, 1, 1))]
    assert tuple(shipped_risk()["rules"]) == FEATURES
    assert tuple(shipped_risk()["readings"]) == (*FEATURES, REFUSED_ELSEWHERE)


def test_what_a_region_says_elsewhere_is_riskier_whatever_a_third_region_says():
    fewer = {**TEMPLATES, "T-1": {tag: of for tag, of in TEMPLATES["T-1"].items() if tag != "ar-DZ"}}
    pear, mango = (
        Option(text, registry().get(tag), 3, frozenset())
        for text, tag in (("pear", "en-US"), ("mango", "es-MX"))
    )
    found = [[risk_of(of).of("T-1", "en-GB", one) for one in (pear, mango)] for of in (fewer, TEMPLATES)]
    assert found[0] == found[1]
    assert 0 < found[0][0] < found[0][1] < 1


def test_what_was_refused_about_three_other_regions_counts_for_published_answers():
    refused = shipped_verdicts().filter(template_id="Al-en-01", verdict="also_correct")
    text = refused["option"].value_counts(sort=True)["option"][0].lower()
    frames = frames_of({"Al-en-01": {"en-GB": [("apple", 4)], "es-MX": [(text, 3), ("gravel", 3)]}})
    published, own = frames[1], frames[1].with_columns(grouping=pl.lit("reviewed"))
    often, never = (
        OptionRisk(published, shipped=True).features("Al-en-01", "en-GB", one, "es-MX")
        for one in (text, "gravel")
    )
    assert often[REFUSED_ELSEWHERE] > never[REFUSED_ELSEWHERE] == 0
    for risk in (OptionRisk(published, shipped=False), OptionRisk(own, shipped=True)):
        assert REFUSED_ELSEWHERE not in risk.features("Al-en-01", "en-GB", text, "es-MX")


@pytest.mark.slow
def test_options_above_the_risk_are_left_out_unless_somebody_accepted_them():
    def shown(most: float | None, verdicts: pl.DataFrame | None = None) -> set[str]:
        templates = {**FRUIT, "es-MX": [("mango", 3)]}
        options = McqOptions(max_risk=most)
        builds = [build_of(templates, options=options, verdicts=verdicts, seed=seed) for seed in range(9)]
        return {text for build in builds for _, text in shown_to(build, "en-GB")}

    assert {"pear", "plum", "dates", "mango"} <= shown(None) == shown(1.0)
    assert shown(0.001) == set()
    read = verdicts_of(
        *({"locale": "en-GB", "option": one, "verdict": "ok"} for one in ("pear", "plum", "dates"))
    )
    assert {"pear", "plum", "dates"} <= shown(0.001, read)
    assert "mango" not in shown(0.001, read)


@pytest.mark.parametrize("risk", [0, -0.1, 1.1])
def test_a_risk_is_a_probability(risk: float):
    with pytest.raises(ValidationError, match="max_risk"):
        McqOptions.model_validate({"max_risk": risk})
