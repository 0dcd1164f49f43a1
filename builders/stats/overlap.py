"""Overlap: how many English answer words and lemmas two locales have in common."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import combinations

import polars as pl

from blend.schemas.languages import base_form

OVERLAP = pl.Schema(
    {
        "locale_a": pl.String(),
        "locale_b": pl.String(),
        "templates": pl.Int64(),
        "common_words": pl.Int64(),
        "word_share": pl.Float64(),
        "common_lemmas": pl.Int64(),
        "lemma_share": pl.Float64(),
    }
)

_TOKEN = re.compile(r"[^\W_]+(?:[:/.'’][^\W_]+)*")


def answer_overlap(annotations: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    """English answer words and lemmas that two locales share, question by question.

    Words are the pieces of a lower-cased English answer between white space. Lemmas come from the tokens of the
    lower-cased answer (runs of letters and digits, with single ``:``, ``/``, ``.`` or apostrophes inside), each
    through simplemma's English lemmatiser. The words of a question in a locale are a set: those of all its
    English answers, whatever their votes.

    Args:
        annotations: `ANNOTATIONS`, one row per question.
        tags: Locales to compare, in the order of the result; rows of other locales do not count.

    Returns:
        One row per pair of locales, ``locale_a`` before ``locale_b`` in the order of ``tags``: ``templates``
        (templates with a row in both), ``common_words`` and ``common_lemmas`` (how many both locales have,
        summed over these templates), ``word_share`` and ``lemma_share`` (that sum over how many at least one of
        the two has; a fraction in [0, 1], null where neither has any). Ordered as the pairs of ``tags``.

    References:
        Myung et al. (2024), BLEnD, figure 2, https://arxiv.org/abs/2406.09948, with another lemmatiser. The
        shares are ours: a sum also grows with the number of answers that a locale gave.
    """
    words, lemmas = _by_template(annotations)
    rows = []
    for pair in combinations(tags, 2):
        asked = [template for template, by_tag in words.items() if by_tag.keys() >= set(pair)]
        rows.append((*pair, len(asked), *_shared(words, asked, pair), *_shared(lemmas, asked, pair)))
    return pl.DataFrame(rows, schema=OVERLAP, orient="row")


def lemmatiser() -> str:
    """Name and version of what makes lemmas of words, for the signature of a figure."""
    return f"simplemma-{version('simplemma')}"


_Tokens = dict[str, dict[str, frozenset[str]]]
"""Template and locale to the tokens of all answers."""


def _by_template(annotations: pl.DataFrame) -> tuple[_Tokens, _Tokens]:
    """The words and the lemmas of every question."""

    # Variants and regions give the same answers again and again.
    @cache
    def lemmas_of(text: str) -> frozenset[str]:
        return frozenset(base_form(token).lower() for token in _TOKEN.findall(text))

    words: _Tokens = defaultdict(dict)
    lemmas: _Tokens = defaultdict(dict)
    for template, tag, texts in _english_answers(annotations):
        words[template][tag] = frozenset(word for text in texts for word in text.split())
        lemmas[template][tag] = frozenset[str]().union(*map(lemmas_of, texts))
    return words, lemmas


def _english_answers(annotations: pl.DataFrame) -> Iterator[tuple[str, str, set[str]]]:
    """Template, locale and the lower-cased answers of every question."""
    for template, tag, groups in annotations.select("template_id", "locale", "annotations").iter_rows():
        texts = {text.lower() for group in groups for text in group["en_answers"] if text is not None}
        yield template, tag, texts


def _shared(tokens: _Tokens, asked: Sequence[str], pair: tuple[str, str]) -> tuple[int, float | None]:
    """Tokens that two locales have in common, and their share of those that either has."""
    sets = [(tokens[template][pair[0]], tokens[template][pair[1]]) for template in asked]
    common = sum(len(one & other) for one, other in sets)
    either = sum(len(one | other) for one, other in sets)
    return common, common / either if either else None
