"""Base forms: those of simplemma, from a dictionary that can be given back."""

import sys

import pytest
import simplemma

from blend.schemas.languages import _dictionary, base_form, forget_base_forms


@pytest.mark.parametrize(
    "word", ["walked", "playing", "Olympics", "mother-in-law", "children's", "kimchi", "2026"]
)
def test_base_forms_are_those_of_simplemma(word: str):
    assert base_form(word) == simplemma.lemmatize(word, lang="en")


@pytest.mark.slow
def test_nothing_holds_a_dictionary_that_is_forgotten():
    assert base_form("walked") == "walk"
    dictionary = _dictionary("en")
    forget_base_forms()
    # This name, and the argument: during a build nobody looks for cycles.
    assert sys.getrefcount(dictionary) == 2
    assert base_form("walked") == "walk"
