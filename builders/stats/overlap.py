"""Overlap: how many English answer words and lemmas two locales have in common."""

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

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

_Matrix = NDArray[np.float32]

_TOKEN = re.compile(r"[^\W_]+(?:[:/.'’][^\W_]+)*")
_COLUMNS_AT_ONCE = 1 << 14
_ROWS_AT_ONCE = 10_000


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
    asked = _numbered(annotations, tags)
    presence = _presence(asked, len(tags))
    # Shape ``(n_locales, n_locales)``: templates with a row in both.
    templates = presence @ presence.T
    words, lemmas = np.zeros((2, 2, *templates.shape))
    # Some templates at a time: what is needed in between takes more memory than all answers.
    some_templates = pl.col("template") // max(_ROWS_AT_ONCE // max(len(tags), 1), 1)
    for _, some in asked.group_by(some_templates):
        answers, texts = _english_answers(some)
        words += _shared(_tokens(answers, (text.lower().split() for text in texts)), presence)
        of_lemmas = ([base_form(token).lower() for token in _TOKEN.findall(text.lower())] for text in texts)
        lemmas += _shared(_tokens(answers, of_lemmas), presence)
    rows = [
        (tags[a], tags[b], int(templates[a, b]), *_share(words[:, a, b]), *_share(lemmas[:, a, b]))
        for a, b in combinations(range(len(tags)), 2)
    ]
    return pl.DataFrame(rows, schema=OVERLAP, orient="row")


def lemmatiser() -> str:
    """Name and version of what makes lemmas of words, for the signature of a figure."""
    return f"simplemma-{version('simplemma')}"


def _numbered(annotations: pl.DataFrame, tags: Sequence[str]) -> pl.DataFrame:
    return annotations.filter(pl.col("locale").is_in(list(tags))).select(
        locale=pl.col("locale").cast(pl.Enum(list(tags))).to_physical().cast(pl.Int32),
        template=pl.col("template_id").rank("dense").cast(pl.Int32) - 1,
        answers=pl.col("annotations").list.eval(pl.element().struct.field("en_answers")),
    )


def _english_answers(asked: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Answers by number, each once per question, and their texts by number."""
    answers = asked.explode("answers").explode("answers").drop_nulls("answers")
    texts = answers["answers"].unique().sort()
    # Numbers take a quarter of the memory of texts in all that follows.
    number = pl.col("answers").cast(pl.Enum(texts)).to_physical()
    return answers.select("locale", "template", answer=number).unique(), texts.to_list()


def _tokens(answers: pl.DataFrame, of_texts: Iterable[Iterable[str]]) -> pl.DataFrame:
    """Tokens of answers by number, each once per question."""
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    lengths: list[int] = []
    for found in of_texts:
        before = len(tokens)
        tokens.extend(numbers.setdefault(token, len(numbers)) for token in found)
        lengths.append(len(tokens) - before)
    answer = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    cut = pl.DataFrame({"answer": answer, "token": pl.Series(tokens, dtype=pl.UInt32)})
    return answers.join(cut, on="answer").select("locale", "template", "token").unique()


def _presence(asked: pl.DataFrame, n_locales: int) -> _Matrix:
    """1 where a locale has a row for a template, shape ``(n_locales, n_templates)``."""
    presence = np.zeros((n_locales, asked["template"].n_unique()), dtype=np.float32)
    presence[asked["locale"].to_numpy(), asked["template"].to_numpy()] = 1
    return presence


def _shared(tokens: pl.DataFrame, presence: _Matrix) -> NDArray[np.float64]:
    """For every pair of locales, tokens in common and tokens of either, shape ``(2, n_locales, n_locales)``."""
    sizes = np.zeros_like(presence)
    np.add.at(sizes, (tokens["locale"].to_numpy(), tokens["template"].to_numpy()), 1)
    common = _in_common(tokens, len(presence))
    own = sizes @ presence.T  # own[a, b]: tokens of a on the templates that b has as well
    # A union: both sets less what stands in both.
    return np.stack([common, own + own.T - common])


def _share(counts: NDArray[np.float64]) -> tuple[int, float | None]:
    """Tokens in common, and their share of the tokens of either."""
    common, either = counts
    return int(common), float(common / either) if either else None


def _in_common(tokens: pl.DataFrame, n_locales: int) -> NDArray[np.float64]:
    """Tokens that two locales have in common, shape ``(n_locales, n_locales)``.

    One matrix product of "has this token on this template" with itself, in blocks of columns, so that memory
    does not grow with the number of tokens.
    """
    columns = tokens.select("template", "token").unique(maintain_order=True).with_row_index("column")
    cells = tokens.join(columns, on=["template", "token"]).sort("column")
    column, locale = cells["column"].to_numpy().astype(np.int64), cells["locale"].to_numpy()
    common = np.zeros((n_locales, n_locales))
    for start in range(0, columns.height, _COLUMNS_AT_ONCE):
        lo, hi = np.searchsorted(column, (start, start + _COLUMNS_AT_ONCE))
        # float32 holds whole numbers up to 2**24 exactly, far above the columns of a block.
        has = np.zeros((n_locales, _COLUMNS_AT_ONCE), dtype=np.float32)
        has[locale[lo:hi], column[lo:hi] - start] = 1
        common += has @ has.T
    return common
