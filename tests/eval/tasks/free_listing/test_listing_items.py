"""Free answers: prompts that ask for a list, and the names that are accepted."""

from typing import Any

import polars as pl
import pytest

from blend.eval.tasks.free_listing.listings import TripleTaskOptions, listing_items, settle_listing
from blend.schemas.prompts import listing_prompts
from helpers.dishes import DISHES, manifest, triples
from helpers.messages import wrong


def asked(dishes: Any = DISHES, config: str = "food-triples", **given: Any) -> Any:
    return listing_items({config: triples(dishes)}, TripleTaskOptions(config=config, **given))


def test_every_dish_is_asked_without_and_with_its_country():
    items = asked(languages=("ko",), countries=("Japan",)).items
    assert items.select("item_id", "prompt").rows() == [
        (
            "ko/Q2/hasParts",
            "‘스시’ 요리에는 어떤 재료가 들어갑니까? 재료 이름만 쉼표로 구분하여 답하세요.",
        ),
        (
            "ko/Q2/country",
            "일본에서 ‘스시’ 요리에는 어떤 재료가 들어갑니까? 재료 이름만 쉼표로 구분하여 답하세요.",
        ),
    ]


def test_languages_without_a_prompt_are_told():
    assert asked().warnings == ("1 language without a prompt, not asked: sv",)


def test_labels_of_variants_and_before_conversion_are_accepted():
    rows = triples([("Q1", "zh", "菜", "China", ["番茄", "盐"]), ("Q1", "zh-tw", "菜", "China", ["番茄"])])
    rows = rows.with_columns(
        parts=pl.Series(
            [
                [{"qid": "Q5", "label": "番茄"}, {"qid": "Q6", "label": "盐"}],
                [{"qid": "Q5", "label": "西紅柿"}],
            ],
            dtype=rows.schema["parts"],
        ),
        original_parts=pl.Series([[{"qid": "Q6", "label": "鹽"}], []], dtype=rows.schema["original_parts"]),
    )
    gold = listing_items(
        {"food-triples": rows}, TripleTaskOptions(config="food-triples", languages=("zh",))
    ).gold
    assert gold["accepted"][0].to_list() == [["番茄", "西紅柿"], ["盐", "鹽"]]


def test_another_domain_is_asked_in_plain_english():
    items = asked(config="instrument-triples", languages=("en",), prompts=("country",)).items
    assert items["prompt"][0] == (
        "Which parts does “poutine” from Canada have? Answer with a list of parts, separated by commas, and "
        "nothing else."
    )


def test_every_prompt_has_its_placeholders():
    for language, known in listing_prompts().items():
        for name, prompt in known.prompts.items():
            assert prompt.count("[X]") == 1, (language, name)
            assert prompt.count("[C]") == (name == "country"), (language, name)
            assert "[Y]" not in prompt, (language, name)


@pytest.mark.parametrize(
    ("config", "language", "message"),
    [
        (
            "food-triples",
            "sv",
            (
                "language 'sv': there is no prompt that asks for a list about food-triples in it; choose one "
                "of en, ko"
            ),
        ),
        (
            "instrument-triples",
            "ko",
            (
                "language 'ko': there is no prompt that asks for a list about instrument-triples in it; "
                "choose one of en"
            ),
        ),
        ("food-triples", "xx", "unknown language of food-triples 'xx'; choose one of: en, ko, sv"),
    ],
)
def test_a_language_without_a_prompt_is_refused(config: str, language: str, message: str):
    held = manifest(*(f"{config}/{tag}" for tag in ("en", "ko", "sv")))
    assert (
        wrong(lambda: settle_listing(TripleTaskOptions(config=config, languages=(language,)), held)) == message
    )
