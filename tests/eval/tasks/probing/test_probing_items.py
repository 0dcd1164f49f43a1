"""Probing: rows of triples and templates become prompts with a gap, candidates and gold."""

from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.probing.probing_items import ProbingOptions, probing_items, settle_probing
from helpers.dishes import manifest, tables, templates, triples
from helpers.messages import wrong


def options(**given: Any) -> ProbingOptions:
    return ProbingOptions(config="food-triples", **given)


def test_every_dish_is_asked_by_every_template_of_its_language():
    asked = probing_items(tables(), options())
    assert asked.items.select("item_id", "locale", "region", "template_id", "prompt").rows() == [
        ("en/Q1/hasParts_1", "en", "Canada", "Q1", "poutine is made with [Y]."),
        ("en/Q1/country_1", "en", "Canada", "Q1", "In Canada, poutine is made with [Y]."),
        ("en/Q1/country_2", "en", "Canada", "Q1", "In Canada, the recipe for poutine calls for [Y]."),
        ("en/Q2/hasParts_1", "en", "Japan", "Q2", "sushi is made with [Y]."),
        ("en/Q2/country_1", "en", "Japan", "Q2", "In Japan, sushi is made with [Y]."),
        ("en/Q2/country_2", "en", "Japan", "Q2", "In Japan, the recipe for sushi calls for [Y]."),
        # A published template takes the name as Wikidata has it, one of ours with its article.
        ("en/Q3/hasParts_1", "en", "United Kingdom", "Q3", "pie is made with [Y]."),
        ("en/Q3/country_1", "en", "United Kingdom", "Q3", "In United Kingdom, pie is made with [Y]."),
        (
            "en/Q3/country_2",
            "en",
            "United Kingdom",
            "Q3",
            "In the United Kingdom, the recipe for pie calls for [Y].",
        ),
        ("ko/Q2/hasParts_1", "ko", "Japan", "Q2", "스시는 [Y]로 만들어져요."),
        ("ko/Q3/hasParts_1", "ko", "United Kingdom", "Q3", "파이는 [Y]로 만들어져요."),
    ]
    assert asked.gold["item_id"].to_list() == asked.items["item_id"].to_list()
    assert asked.gold.row(0, named=True) == {
        "item_id": "en/Q1/hasParts_1",
        "qid": "Q1",
        "relation": "hasParts_1",
        "with_country": False,
        "label": "poutine",
        "country": "Canada",
        "image": "http://pictures/Q1",
        "gold": ["gravy", "cheese curds"],
        "candidate_set": "en",
    }
    assert asked.warnings == ("1 language without templates, not asked: sv",)
    assert asked.prompts["hasParts_1"] == "en: [X] is made with [Y].\nko: [X]는 [Y]로 만들어져요."


def test_what_a_label_holds_is_never_a_placeholder():
    dishes = [("Q1", "en", "[C] [Y] pie [X]", "[X] land", ["egg"])]
    items = probing_items(tables(dishes), options(prompts=("country_1",))).items
    assert items["prompt"].to_list() == ["In [X] land, [C] [Y] pie [X] is made with [Y]."]


def test_candidates_are_the_parts_of_the_language_in_code_point_order():
    asked = probing_items(tables(), options())
    assert asked.candidates.rows() == [
        ("en", "cheese curds"),
        ("en", "flour"),
        ("en", "gravy"),
        ("en", "rice"),
        ("ko", "밀가루"),
        ("ko", "쌀"),
    ]


def test_names_of_another_language():
    asked = probing_items(tables(), options(names="ko", languages=("en",), prompts=("country_1",)))
    assert asked.items.select("item_id", "prompt").rows() == [
        ("en~ko/Q2/country_1", "In Japan, 스시 is made with [Y]."),
        ("en~ko/Q3/country_1", "In United Kingdom, 파이 is made with [Y]."),
    ]
    # Gold and candidates are those of the language that is asked in.
    assert asked.gold["gold"].to_list() == [["rice"], ["flour", "gravy"]]
    assert asked.warnings == ("1 dish without a name in 'ko', not asked",)


PLACEHOLDERS = {
    "holds [X] instead of [X] [Y]": "[X] is made.",
    "holds [Y] instead of [X] [Y]": "It has [Y].",
    "holds [C] [X] [Y] instead of [X] [Y]": "In [C], [X] has [Y].",
}


@pytest.mark.parametrize("message", PLACEHOLDERS)
def test_a_template_with_other_placeholders_is_refused(message: str):
    wordings = [("en", "hasParts_1", PLACEHOLDERS[message], True)]
    told = wrong(lambda: probing_items(tables(wordings=wordings), options()))
    assert told == f"template en:hasParts_1: {message}; correct the template and build the release again"


NOT_THERE: dict[str, dict[str, Any]] = {
    "unknown template 'hasParts_9'; did you mean 'hasParts_1'? choose one of: country_1, country_2, "
    "hasParts_1": {"prompts": ("hasParts_9",)},
    "unknown country 'Japn'; did you mean 'Japan'? choose one of: Canada, Japan, United Kingdom": {
        "countries": ("Japn",)
    },
}


@pytest.mark.parametrize("message", NOT_THERE)
def test_what_there_is_not_is_refused(message: str):
    assert wrong(lambda: probing_items(tables(), options(**NOT_THERE[message]))) == message


FOOD = ("food-triples/en", "food-triples/zh_hans", "food-aligned/en", "food-templates/en")
INSTRUMENTS = "instrument-triples/en"
LACKING: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "food 1.0.0: this task reads a configuration of triples, and the release has none; choose a release that "
    "was built from Wikidata (`blend build --food`)": (("annotations/KR",), {}),
    "food 1.0.0: this task reads a configuration of triples, and the release has several (food-triples, "
    "instrument-triples); name one in `config`": ((*FOOD, INSTRUMENTS), {}),
    "unknown configuration to probe 'food-tripels'; did you mean 'food-triples'? choose one of: food-aligned, "
    "food-triples": (FOOD, {"config": "food-tripels"}),
    "food 1.0.0: the release has no configuration instrument-templates, so nothing can be asked about "
    "instrument-triples; build it with prompt templates of the domain (docs/wikidata.md)": (
        (INSTRUMENTS,),
        {},
    ),
    "unknown language of food-triples 'de'; choose one of: en, zh-hans": (FOOD, {"languages": ("de",)}),
    "unknown language of food-triples 'fr'; choose one of: en, zh-hans": (FOOD, {"names": "fr"}),
    "language 'zh-hans': food-templates has no templates in it; choose one of en, or build the release with "
    "templates of your own (docs/wikidata.md)": (FOOD, {"languages": ("zh-hans",)}),
}


@pytest.mark.parametrize("message", LACKING)
def test_what_a_release_lacks_is_told(message: str):
    held, given = LACKING[message]
    assert wrong(lambda: settle_probing(ProbingOptions(**given), manifest(*held))) == message


def test_a_country_without_a_name_in_the_language_is_left_out_and_told():
    rows = triples().with_columns(
        origin=pl.when(pl.col("qid") == "Q2").then(pl.lit(" ")).otherwise("origin"),
        origin_prompt_name=pl.when(pl.col("qid") == "Q2").then(None).otherwise("origin_prompt_name"),
    )
    asked = probing_items({"food-triples": rows, "food-templates": templates()}, options(languages=("en",)))
    assert asked.items.filter(template_id="Q2")["prompt_id"].to_list() == ["hasParts_1"]
    assert asked.warnings == (
        "2 prompts left out, since the country has no name in the language (first: en/Q2/country_1)",
    )
