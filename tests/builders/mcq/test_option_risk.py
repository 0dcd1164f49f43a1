"""How likely an option that nobody has read is refused, and what a recipe leaves out for it."""

import math

import polars as pl
import pytest
from pydantic import ValidationError

from blend.builders.mcq.options import Option
from blend.builders.mcq.unread_options import (
    READING_FEATURES,
    READINGS,
    RULES,
    OptionRisk,
)
from blend.loaders.responses.shipped import shipped_risk, shipped_verdicts
from blend.schemas.locales import registry
from blend.schemas.recipe import McqOptions
from helpers.questions.mcq_inputs import FRUIT, build_of, frames_of, shown_to, verdicts_of

FEATURES = list(shipped_risk()[RULES])
TEMPLATES = {
    "T-1": {**FRUIT, "es-MX": [("mango", 3)]},
    "T-2": {"en-GB": [("mango", 4)], "en-US": [("bread", 3)], "es-MX": [("mango", 3)]},
}
MANGO, PEAR = ("mango", "es-MX"), ("pear", "en-US")


def option(text: str, tag: str) -> Option:
    return Option(text, registry().get(tag), 3, frozenset())


def risk_of(templates, **more) -> OptionRisk:
    return OptionRisk(*frames_of(templates), shipped=False, **more)


def test_what_a_region_gave_elsewhere_is_riskier():
    risk = risk_of(TEMPLATES)
    mango, pear = (risk.of("T-1", "en-GB", option(*one)) for one in (MANGO, PEAR))
    assert 0 < pear < mango < 1


def test_features_by_hand():
    found = risk_of(TEMPLATES).features("T-1", "en-GB", *MANGO)
    assert list(found) == list(FEATURES)
    # All votes of Mexico went to mango, which the UK gave to the other template and not to this one.
    assert (found["option_share"], found["shared_here"], found["shared_elsewhere"]) == (1, 0, 1)
    assert found["asked_agreement"] == 1


def test_answers_in_common_count_here_and_elsewhere():
    templates = {
        "T-1": {"en-GB": [("tea", 4)], "es-MX": [("tea", 3), ("mango", 1)]},
        "T-2": {"en-GB": [("mango", 4)], "es-MX": [("mango", 2), ("bread", 1)]},
    }
    found = risk_of(templates).features("T-1", "en-GB", *MANGO)
    # 3 of 4 votes here; 2 of the 3 in the other template.
    assert (found["shared_here"], found["shared_elsewhere"]) == pytest.approx((3 / 4, 2 / 3))


@pytest.mark.slow
def test_forms_of_one_answer_have_the_votes_of_the_most_used():
    templates = {"T-1": {"en-GB": [("apple", 4)], "es-MX": [("mango", 3), ("mangos", 1), ("tea", 3)]}}
    assert risk_of(templates).features("T-1", "en-GB", *MANGO)["option_share"] == 3 / 6


def test_from_20_templates_on_a_word_is_as_usual_as_any():
    templates = {f"T-{n}": {"en-GB": [("mango", 3)], "es-MX": [("mango", 3)]} for n in range(25)}
    assert risk_of(templates).features("T-1", "en-GB", *MANGO)["asked_uses_words"] == pytest.approx(
        math.log1p(20)
    )


@pytest.mark.parametrize("n_read", [4, 5])
def test_it_takes_three_other_regions_to_say_something_about_one(n_read: int):
    by_template = (
        shipped_verdicts()
        .filter(verdict="read")
        .sort("template_id", "locale")
        .group_by("template_id", maintain_order=True)
    )
    read = by_template.agg("locale").filter(pl.col("locale").list.len() == n_read)
    template_id, (asked, origin, *others) = read.row(0)
    frames = frames_of({template_id: {asked: [("apple", 4)], origin: [("gravel", 3)]}})
    features = OptionRisk(*frames, shipped=True).features(template_id, asked, "gravel", origin)
    assert len(others) == n_read - 2
    assert ("refused_elsewhere" in features) == (len(others) >= 3)
    # What was read are published answers, and no others.
    questions, annotations = frames
    own = OptionRisk(questions, annotations.with_columns(grouping=pl.lit("reviewed")), shipped=True)
    assert "refused_elsewhere" not in own.features(template_id, asked, "gravel", origin)


def test_no_further_region_has_a_say():
    fewer = {**TEMPLATES, "T-1": {tag: of for tag, of in TEMPLATES["T-1"].items() if tag != "ar-DZ"}}
    for one in (MANGO, PEAR):
        before, after = (
            risk_of(templates).of("T-1", "en-GB", option(*one)) for templates in (fewer, TEMPLATES)
        )
        assert before == after


def test_what_was_refused_about_other_regions_counts():
    refused = shipped_verdicts().filter(template_id="Al-en-01", verdict="also_correct")
    text = refused["option"].value_counts(sort=True)["option"][0].lower()
    answers = {"en-GB": [("apple", 4)], "es-MX": [(text, 3), ("gravel", 3)]}
    frames = frames_of({"Al-en-01": answers})
    with_readings, without = (OptionRisk(*frames, shipped=shipped) for shipped in (True, False))
    often, never = (with_readings.features("Al-en-01", "en-GB", one, "es-MX") for one in (text, "gravel"))
    assert list(often) == [*FEATURES, *READING_FEATURES]
    assert often["refused_elsewhere"] > never["refused_elsewhere"] == 0
    ours, theirs = (risk.of("Al-en-01", "en-GB", option(text, "es-MX")) for risk in (with_readings, without))
    assert ours > theirs
    assert list(with_readings.features("T-1", "en-GB", *PEAR)) == list(FEATURES)


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


def test_the_published_coefficients_are_complete():
    models = shipped_risk()
    assert list(models[READINGS]) == [*models[RULES], *READING_FEATURES]


@pytest.mark.parametrize("risk", [0, -0.1, 1.1])
def test_a_risk_is_a_probability(risk: float):
    with pytest.raises(ValidationError, match="max_risk"):
        McqOptions.model_validate({"max_risk": risk})
