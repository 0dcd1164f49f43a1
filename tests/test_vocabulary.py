"""Words: names that mean something else elsewhere, or nothing, and stand nowhere in the source."""

import io
import tokenize

import pytest

from helpers.source import MODULES, ROOT

OTHER_MEANINGS = {
    "right": ("a correct option is `correct`", ("builders/cards/charts.py",)),
    "place": (
        "a file and row is a `location`, cuda:0 a `device`; countries are places, and so is a rank",
        (
            *("builders/annotation/questions.py", "builders/templates"),
            *("builders/triples", "eval/report/model_comparison.py", "eval/triples"),
        ),
    ),
    "Place": ("say of what: StageLocale, Device, QuestionKey", ()),
    "sound": ("a release is `valid`; how a causal model is scored is `conditional`", ()),
    "doubtful": ("rows to be looked at one by one are `suspect_rows`", ()),
}
"""Names that mean something else in most people's code: what to say, and folders where it is meant so."""


@pytest.fixture(scope="module")
def names() -> list[tuple[str, str]]:
    """Every name of the source with its file and line."""
    return [
        (token.string.strip("_"), f"{module}:{token.start[0]}")
        for module in MODULES
        for token in tokenize.generate_tokens(io.StringIO((ROOT / module).read_text("utf-8")).readline)
        if token.type == tokenize.NAME
    ]


@pytest.mark.parametrize("word", sorted(OTHER_MEANINGS))
def test_a_word_with_another_meaning_elsewhere(names: list[tuple[str, str]], word: str):
    say, but_in = OTHER_MEANINGS[word]
    assert [where for name, where in names if name == word and not where.startswith(but_in)] == [], say
