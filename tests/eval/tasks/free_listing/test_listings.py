"""Free listing: prompts, accepted names, the entries that models write, and the figures that follow."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from blend.eval.scores_json import ScoredItems
from blend.eval.tasks.free_listing import ListingOptions, ListingScoring
from blend.eval.tasks.free_listing.listings import (
    listed,
    listing_items,
    score_listing_run,
    settle_listing,
)
from blend.schemas.prompts import listing_prompts
from helpers.answered_run import answered_run
from helpers.dishes import manifest, triples
from helpers.messages import wrong


def asked(config: str = "food-triples", **given: Any) -> Any:
    return listing_items({config: triples()}, ListingOptions(config=config, **given))


def test_every_dish_is_asked_without_and_with_its_country():
    items = asked(languages=("ko",), countries=("Japan",)).items
    asks = "‘스시’ 요리에는 어떤 재료가 들어갑니까? 재료 이름만 쉼표로 구분하여 답하세요."
    assert items.select("item_id", "prompt").rows() == [
        ("ko/Q2/hasParts", asks),
        ("ko/Q2/country", f"일본에서 {asks}"),
    ]


def test_languages_without_a_prompt_are_told():
    assert asked().warnings == ("1 language without a prompt, not asked: sv",)


def labels(**of: str) -> list[dict[str, str]]:
    return [{"qid": qid, "label": label} for qid, label in of.items()]


def test_labels_of_variants_and_before_conversion_are_accepted():
    rows = triples([("Q1", "zh", "菜", "China", []), ("Q1", "zh-tw", "菜", "China", [])])
    rows = rows.with_columns(
        pl.Series("parts", [labels(Q5="番茄", Q6="盐"), labels(Q5="西紅柿")], rows.schema["parts"]),
        pl.Series("original_parts", [labels(Q6="鹽"), []], rows.schema["original_parts"]),
    )
    options = ListingOptions(config="food-triples", languages=("zh",))
    gold = listing_items({"food-triples": rows}, options).gold
    assert gold["accepted"][0].to_list() == [["番茄", "西紅柿"], ["盐", "鹽"]]


def test_a_dish_of_two_countries_is_asked_with_each():
    rows = triples([("Q1", "en", "dish", country, ["egg"]) for country in ("France", "Italy")])
    rows = rows.with_columns(origin_qid=pl.Series(["Q142", "Q38"]))
    items = listing_items({"food-triples": rows}, ListingOptions(config="food-triples")).items
    ids = items.filter(prompt_id="country")["item_id"].to_list()
    assert ids == ["en/Q1-Q142/country", "en/Q1-Q38/country"]


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


NO_PROMPT = "unknown language with a prompt about"
WITHOUT = {
    f"{NO_PROMPT} food-triples 'sv'; choose one of: en, ko": ("food-triples", "sv"),
    f"{NO_PROMPT} instrument-triples 'ko'; choose one of: en": ("instrument-triples", "ko"),
    "unknown language of food-triples 'xx'; choose one of: en, ko, sv": ("food-triples", "xx"),
}


@pytest.mark.parametrize("message", WITHOUT)
def test_a_language_without_a_prompt_is_refused(message: str):
    config, language = WITHOUT[message]
    given = ListingOptions(config=config, languages=(language,))
    held = manifest(*(f"{config}/{tag}" for tag in ("en", "ko", "sv")))
    assert wrong(lambda: settle_listing(given, held)) == message


@pytest.mark.parametrize(
    ("text", "language", "entries"),
    [
        ("egg, milk, flour", "en", ["egg", "milk", "flour"]),
        ("1. Eggs\n2. 200 g flour\n3. **Sugar** (white)", "en", ["Eggs", "flour", "Sugar"]),
        ("Ingredients: egg, milk, and butter.", "en", ["egg", "milk", "butter"]),
        ("Here are the ingredients:\n- soy sauce\n- 1/2 cup of rice wine", "en", ["soy sauce", "rice wine"]),
        ("egg and milk", "en", ["egg", "milk"]),
        ("2 eggs, 1,5 kg potatoes", "en", ["eggs", "potatoes"]),
        ("salt; pepper; ½ onion", "en", ["salt", "pepper", "onion"]),
        ("egg, Egg, egg", "en", ["egg", "Egg"]),
        ("豆腐、牛肉和辣椒。", "zh", ["豆腐", "牛肉", "辣椒"]),
        # Wagyu begins with the word for and.
        ("和牛、米", "zh", ["和牛", "米"]),
        ("1) 鸡蛋 2) 面粉", "zh", ["鸡蛋", "面粉"]),
        ("卵、牛乳と砂糖", "ja", ["卵", "牛乳", "砂糖"]),
        ("계란, 두부, 그리고 파", "ko", ["계란", "두부", "파"]),
        ("بيض، حليب، دقيق", "ar", ["بيض", "حليب", "دقيق"]),
        ("яйца, молоко и сахар", "ru", ["яйца", "молоко", "сахар"]),
        ("huevos, leche y azúcar", "es", ["huevos", "leche", "azúcar"]),
        ("• тофу\n• мясо", "ru", ["тофу", "мясо"]),
        # What is said around a list is none of it.
        ("Ingredients:\n- 2 eggs\n- Salt to taste\n\nEnjoy!", "en", ["eggs", "Salt"]),
        ("1. egg\n2. milk\nLet me know if you need more", "en", ["egg", "milk"]),
        ("egg, milk, flour. Enjoy!", "en", ["egg", "milk", "flour"]),
        ("egg\nmilk\n**Enjoy your meal!**", "en", ["egg", "milk"]),
        ("egg, milk\nI hope that this list is useful.", "en", ["egg", "milk"]),
        ("鸡蛋、面粉\n祝您用餐愉快！", "zh", ["鸡蛋", "面粉"]),
        ("Enjoy!", "en", ["Enjoy"]),
        # How much of it is not a part.
        ("Salt and pepper to taste", "en", ["Salt", "pepper"]),
        ("egg, salt, to taste", "en", ["egg", "salt"]),
        ("sal al gusto, agua", "es", ["sal", "agua"]),
        ("卵、塩 適量", "ja", ["卵", "塩"]),
        # Markdown tables: a row names one entry.
        ("| Ingredient | Amount |\n|---|---|\n| Eggs | 2 |\n| **Flour** (white) | 200 g |\n\nEnjoy!",
         "en", ["Eggs", "Flour"]),
        ("Here they are:\n\n| # | Amount | What |\n|--:|:--|---|\n| 1 | 200 g | Flour |\n| 2 | 3 | Eggs |",
         "en", ["Flour", "Eggs"]),
        ("Ingredient | Note\n--- | ---\nmilk | cold", "en", ["milk"]),
        # What explains an entry is none, nor is how much of it, and lists in JSON are lists.
        ("- **Egg**: it binds all of it\n- **Milk**: makes it soft, and browner.\n- Salt: to taste", "en",
         ["Egg", "Milk", "Salt"]),
        ("- **Base:** rice noodles\n- **Protein:** chicken", "en", ["rice noodles", "chicken"]),
        ("- Batter: flour and water\n- Filling: minced beef and onion", "en",
         ["flour", "water", "minced beef", "onion"]),
        ("1：面粉\n2：鸡蛋", "zh", ["面粉", "鸡蛋"]),
        ("Dish 1: chicken with some rice\nDish 2: a soup of red beans", "en",
         ["chicken with some rice", "a soup of red beans"]),
        ("- name: flour\n- name: water", "en", ["flour", "water"]),
        ("Dough: flour, water\nSauce: tomato\nTopping: cheese", "en", ["flour", "water", "tomato", "cheese"]),
        ("Flour [wheat, rye], water", "en", ["Flour", "water"]),
        ("```flour, water```", "en", ["flour", "water"]),
        ("- 달걀: 2개\n- 우유: 200ml", "ko", ["달걀", "우유"]),
        ("달걀 2개, 우유 200ml, 소금", "ko", ["달걀", "우유", "소금"]),
        ("Dough: flour, water\nTopping: cheese, basil", "en", ["flour", "water", "cheese", "basil"]),
        ("1: egg\n2: milk", "en", ["egg", "milk"]),
        ('["egg", "milk"]', "en", ["egg", "milk"]),
        ('```json\n{"ingredients": ["egg", "milk"]}\n```', "en", ["egg", "milk"]),
        ("", "en", []),
        ("...", "en", []),
        ("42", "en", []),
    ],
)  # fmt: skip
def test_entries(text: str, language: str, entries: list[str]):
    assert listed(text, language) == entries


def test_what_a_model_in_a_loop_writes_takes_no_time():
    assert listed(f"x {'1' * 12_000} x, salt 1{' ' * 5_000}x, {'1-' * 3_000}", "en")


Accepted = list[list[str]]


Asked = tuple[str, str, Accepted, str | None]
"""An item as (language, country, names of the ingredients, answer)."""


def judged(*asked: Asked, rule: str = "default") -> ScoredItems:
    """Items by a rule, each in a part of its own."""
    items, gold, answers = frames(asked)
    parts = [(one, answers) for one in items.iter_slices(1)]
    how = {"config": "food-triples", "languages": None, "countries": None, "prompts": None}
    run = answered_run(parts, gold.iter_slices(1), **how)
    return score_listing_run(run, ListingScoring(rule=rule), lambda *_: None)


def frames(asked: Sequence[Asked]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    ids = [str(n) for n in range(len(asked))]
    items = pl.DataFrame(
        {
            "item_id": ids,
            "locale": [row[0] for row in asked],
            "region": [row[1] for row in asked],
            "template_id": [f"Q{n}" for n in ids],
            "language": [row[0] for row in asked],
            "prompt_id": "hasParts",
        }
    )
    gold = items.select("item_id", qid="template_id").with_columns(
        pl.Series("accepted", [row[2] for row in asked], pl.List(pl.List(pl.String)))
    )
    answers = pl.DataFrame(
        [(i, row[3], None if row[3] is not None else "refused") for i, row in zip(ids, asked, strict=True)],
        schema={"item_id": pl.String, "text": pl.String, "error": pl.String},
        orient="row",
    )
    return items, gold, answers


def figure(found: ScoredItems, metric: str) -> float | None:
    [score] = [one for one in found.scores if (one.metric, one.scope) == (metric, "overall")]
    return score.value


EGGS: Accepted = [["egg"], ["soy sauce"], ["flour"]]


@pytest.mark.slow
def test_precision_recall_and_f1_by_hand():
    found = judged(("en", "Japan", EGGS, "Eggs, soy sauce, tofu, salt"))
    [row] = found.decisions.select("named", "found", "precision", "recall", "f1").rows(named=True)
    assert row["named"] == ["Eggs", "soy sauce", "tofu", "salt"]
    assert row["found"] == ["egg", "soy sauce"]
    assert (row["precision"], row["recall"]) == (0.5, pytest.approx(2 / 3))
    # 2 * 1/2 * 2/3 / (1/2 + 2/3)
    assert row["f1"] == pytest.approx(4 / 7)


def test_a_name_inside_an_entry_counts_by_its_rule_only():
    row = ("en", "Japan", [["basil"], ["soy"]], "fresh basil, soy sauce")
    assert judged(row).decisions["found"].to_list() == [[]]
    assert judged(row, rule="contains").decisions["found"].to_list() == [["basil", "soy"]]


@pytest.mark.slow
def test_an_and_written_onto_the_last_word_is_read_both_ways():
    # "and sugar", and "vine leaves", whose first letter looks like it.
    found = judged(("ar", "Egypt", [["سكر"]], "بيض، وسكر"), ("ar", "Egypt", [["ورق عنب"]], "أرز، ورق عنب"))
    assert [len(labels) for labels in found.decisions["found"].to_list()] == [1, 1]


def test_an_empty_answer_names_nothing_and_no_answer_is_missing():
    found = judged(("en", "Japan", EGGS, ""), ("en", "Japan", EGGS, None))
    assert figure(found, "precision") == 0
    assert figure(found, "recall") == 0
    assert figure(found, "missing") == 50
    assert figure(found, "unanswered") == 100
    assert found.decisions["named"].to_list() == [[], None]
    assert found.decisions["correct"].to_list() == [False, None]
