"""NLTK's tokens chunk by chunk: the same as NLTK's of the whole text."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blend.eval.tasks.cultural_prompts.text_measures import nltk_tokens
from helpers.examples import examples

WORDS = """
can't cannot wanna gimme don't 'tis 'twas more'n d'ye boys' x'y o'clock 's 'll n't 1990. 3.14 1,000 5, -5. u.s.
mr. a. B. é ß _ word Word São 年 🙂
"""
SIGNS = """.. ... . ? ! ; : , " '' ' `` ` ( ) [ ] { } < > “ ” ‘ ’ « » „ — -- - * & $ % @ #"""
MARKS = [*WORDS.split(), *SIGNS.split()]
BLANKS = ["", " ", " ", " ", "  ", "\n", "\n\n", "\t", "\u00a0"]
TEXTS = st.lists(st.tuples(st.sampled_from(MARKS), st.sampled_from(BLANKS)), max_size=14).map(
    lambda pieces: "".join(mark + blank for mark, blank in pieces)
)


@pytest.fixture(scope="module")
def reference():
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    punkt, words = PunktSentenceTokenizer(), NLTKWordTokenizer()
    return lambda text: [word for sentence in punkt.tokenize(text.lower()) for word in words.tokenize(sentence)]


@pytest.mark.nightly
@settings(max_examples=examples(600), deadline=None)
@given(text=TEXTS)
def test_tokens_of_any_text_are_nltk_s(reference, text):
    assert nltk_tokens(text) == reference(text)


@pytest.mark.slow
def test_tokens_of_the_goldens_are_nltk_s(reference, shared: Path):
    lines = (shared / "golden" / "extrinsic" / "responses.jsonl").read_text().splitlines()
    for line in lines:
        text = json.loads(line)["text"]
        assert nltk_tokens(text) == reference(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n ", []),
        # Untrained, no abbreviation is known.
        ("Mr. Smith", ["mr", ".", "smith"]),
        ("U.S. Congress", ["u.s", ".", "congress"]),
        # A number or an initial before lower case ends nothing.
        ("In 1990. The end", ["in", "1990.", "the", "end"]),
        ('He said "no".', ["he", "said", "``", "no", "''", "."]),
        ('Line\n"no"', ["line", "''", "no", "''"]),
    ],
)
def test_known_oddities(text, tokens):
    assert nltk_tokens(text) == tokens
