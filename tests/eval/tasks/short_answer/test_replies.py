"""Replies: how many answers they list; what is read of them otherwise stands in `test_reply_set.py`."""

from unicodedata import is_normalized

import pytest

from blend.eval.tasks.short_answer.replies import LISTS, read_reply, reply_words
from blend.eval.text import languages
from blend.schemas.models import packaged_tables

PROMPT = "What do people in the US eat on Pancake Day?"


@pytest.mark.parametrize(
    ("text", "n_answers"),
    [
        ("popcorn", 1),
        ("popcorn, nachos and candy", 3),
        ("popcorn, nachos, candy and soda", 4),
        ("popcorn, mac and cheese, fish and chips", 3),
        ("popcorn, nachos, and fish and chips", 3),
        ("popcorn and nachos and candy and soda", 4),
        ("1. popcorn\n2. nachos\n3. candy\n4. soda\n5. beer", 5),
        ("1. popcorn 2. nachos 3. candy 4. soda", 4),
        ("- popcorn (salted, buttered, sweet)\n- nachos", 2),
        ("Here they are:\n* popcorn\n* nachos\n* candy\n* soda", 4),
        ('["popcorn", "nachos", "candy", "soda"]', 4),
        ("popcorn/nachos/candy/soda", 4),
        ("1,000,000", 1),
        ("12/25", 1),
        ("It is popcorn. It is candy. It is soda. It is beer.", 4),
        ("Families who come together on that day usually sit down to eat turkey, which takes hours.", 2),
    ],
)
def test_how_many_answers_a_reply_lists(text: str, n_answers: int):
    assert read_reply(text, PROMPT, reply_words("en")).n_answers == n_answers


def test_every_packaged_language_has_its_words():
    tables = packaged_tables("reply_words.toml", "blend.eval.tasks.short_answer")
    assert set(tables) == set(languages())
    for table in tables.values():
        assert all(is_normalized("NFC", word) for words in table.values() for word in words)
        assert set(table) <= set(LISTS)
        assert {"joins", "but", "refusals", "beside_refusals"} <= set(table)
        assert {"negates_next", "negates_previous"} & set(table)
