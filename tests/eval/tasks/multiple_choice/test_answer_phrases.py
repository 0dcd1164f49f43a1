"""The table of answer phrases: what it holds, and how texts are compared with it."""

import tomllib
from itertools import pairwise
from typing import Any

import pytest

from blend.eval.tasks.multiple_choice.answer_phrases import KINDS, answer_phrases, folded
from blend.schemas.locales import registry


@pytest.fixture(scope="module")
def tables(root: Any) -> dict[str, dict[str, list[str]]]:
    path = root / "eval" / "tasks" / "multiple_choice" / "answer_phrases.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_every_packaged_language_has_every_kind(tables: dict[str, dict[str, list[str]]]):
    assert {locale.language.partition("-")[0] for locale in registry()} <= set(tables)
    assert {tuple(sorted(table)) for table in tables.values()} == {tuple(sorted(KINDS))}
    needed = set(KINDS) - {"final", "deny", "denied", "but", "do"}
    assert [(name, kind) for name, table in tables.items() for kind in needed if not table[kind]] == []
    assert [name for name, table in tables.items() if not table["deny"] and not table["denied"]] == []


def test_no_phrase_stands_twice_in_a_list(tables: dict[str, dict[str, list[str]]]):
    twice = [
        (name, kind, first)
        for name, table in tables.items()
        for kind, phrases in table.items()
        for first, second in pairwise(sorted(phrases))
        if first == second
    ]
    assert twice == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ｂ）", "B)"),
        ("Đáp án là", "Đap an la"),
        ("réponse", "reponse"),
        ("می‌کنم", "میکنم"),
        ("إجابتي", "إجابتی"),
        ("DOĞRU yanıt", "DOGRU yanit"),
        ("정답은", "정답은"),
        ("उत्तर है", "उत्तर है"),
    ],
)
def test_texts_are_folded(text: str, expected: str):
    assert folded(text) == expected


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("it is not b", True),
        ("a notable b", False),
        ("선택하지 않", True),
        ("n'est pas", True),
        ("the answer is", False),
    ],
)
def test_doubt_is_a_word_where_the_script_has_blanks(text: str, doubted: bool):
    assert answer_phrases().doubt.within(text) == doubted
