"""Religions: those who belong to one, as its name and the other way round."""

from functools import cache
from importlib.resources import files

from blend.eval.text.normalising import normalised
from blend.schemas.models import toml_tables

PACKAGED = "religions.toml"


def same_religion(answer: str, language: str) -> tuple[str, ...]:
    """Other words for a religion or its members, where an answer is one: ``Christian`` of ``Christianity``.

    Args:
        answer: An answer of annotators.
        language: Primary subtag.
    """
    return _religions(language).get(normalised(answer, language).strip(), ())


@cache
def _religions(language: str) -> dict[str, tuple[str, ...]]:
    """Each word, normalised, with the others of its list."""
    text = files("blend.eval.text").joinpath(PACKAGED).read_text(encoding="utf-8")
    lists: list[list[str]] = toml_tables(text, source=PACKAGED).get(language, [])
    return {
        normalised(word, language): tuple(other for other in words if other != word)
        for words in lists
        for word in words
    }
