"""The table of answer phrases: what it holds, and how texts are compared with it."""

import tomllib
from typing import Any

import pytest

from blend.eval.tasks.multiple_choice.answer_phrases import KINDS
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
