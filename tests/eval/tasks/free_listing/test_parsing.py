"""Lists: the entries that models write, however they set them out."""

import pytest
from hypothesis import strategies as st

from blend.eval.tasks.free_listing.listings import listed


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
        ("", "en", []),
        ("...", "en", []),
        ("42", "en", []),
    ],
)  # fmt: skip
def test_entries(text: str, language: str, entries: list[str]):
    assert listed(text, language) == entries


WORDS = st.text(alphabet="abcdefghij", min_size=2, max_size=8).filter(lambda word: word not in ("g", "kg"))
