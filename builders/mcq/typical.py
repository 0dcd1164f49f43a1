"""Typical: which options look more like an answer of the region asked about than the right answer does.

Who knows which words a region uses can guess: among answers of four regions, the one that sounds like the
region asked about is mostly the right one. So some distractors should sound like it even more. How much one
does follows from what two locales answer to *other* templates, the one asked about and the one that offers the
option: a further locale changes nothing between them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from blend.schemas.text import words

_PRIOR_VOTES = 2.0
"""Votes that a word is taken to have beside the counted ones, as often as in both locales together: a word that
one person used once is not yet typical."""
_DIGITS = 9
"""Decimal places that count: sums of the same numbers in another order may differ in the last ones."""

VOTED_TEXTS = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "text": pl.String(), "votes": pl.Int64()}
)
"""One row per template, locale and English text of an answer: the annotators behind it."""

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int64]


class Said(NamedTuple):
    """A text, and whose answer it is."""

    text: str
    tag: str
    """Tag of the locale."""


def voted_texts(annotations: pl.DataFrame) -> pl.DataFrame:
    """`VOTED_TEXTS` of `schemas.frames.ANNOTATIONS`, by template, locale and text."""
    rows = annotations.select("template_id", "locale", "annotations").explode("annotations")
    groups = rows.drop_nulls("annotations").unnest("annotations")
    texts = groups.select("template_id", "locale", text="en_answers", votes="count").explode("text")
    votes = texts.drop_nulls("text").group_by("template_id", "locale", "text").agg(pl.col("votes").sum())
    return votes.sort("template_id", "locale", "text").select(list(VOTED_TEXTS)).cast(VOTED_TEXTS)


class Typicality:
    """How typical words are of locales, by the votes of all their answers.

    Args:
        annotations: `schemas.frames.ANNOTATIONS`.
    """

    def __init__(self, annotations: pl.DataFrame) -> None:
        voted = voted_texts(annotations)
        texts = voted["text"].unique().sort()
        split = pl.DataFrame(
            {"text": texts, "word": [sorted(set(words(text))) for text in texts]},
            schema={"text": pl.String, "word": pl.List(pl.String)},
        ).explode("word")
        rows = voted.join(split.drop_nulls("word"), on="text")
        counts = rows.group_by("template_id", "locale", "word").agg(pl.col("votes").sum()).sort("template_id")
        tags, vocabulary = counts["locale"].unique().sort(), counts["word"].unique().sort()
        self._tags = {tag: code for code, tag in enumerate(tags)}
        self._codes = {word: code for code, word in enumerate(vocabulary)}
        self._locale = _coded(counts["locale"], self._tags)
        self._word = _coded(counts["word"], self._codes)
        self._votes = counts["votes"].to_numpy()
        # One row and column more than there are locales and words: what nobody says has no votes, nor has a
        # locale that only offers fillers.
        self._total = np.zeros((len(tags) + 1, len(vocabulary) + 1))
        np.add.at(self._total, (self._locale, self._word), self._votes)
        self._of_locale = self._total.sum(axis=1)
        self._n_words = np.count_nonzero(self._total, axis=1)
        templates = counts["template_id"].rle().struct.unnest()
        ends = np.cumsum(templates["len"].to_numpy())
        self._slices = {
            template_id: slice(end - length, end)
            for template_id, length, end in zip(templates["value"], templates["len"], ends, strict=True)
        }

    def compared(self, template_id: str, golds: Sequence[Said], options: Sequence[Said]) -> Signs:
        """Which options are more typical of a right answer's locale than the right answer is.

        Of a word: the logarithm of its share of the locale's votes over its share of the votes of both
        locales, with `_PRIOR_VOTES` added; of a text, the mean over its words. Votes of the template itself do
        not count.

        Args:
            template_id: The template.
            golds: Right answers; each has a word.
            options: Options of any locales; each has a word.

        Returns:
            1 for more typical, 0 for equally and -1 for less; shape ``(n_golds, n_options)``.
        """
        if not golds or not options:
            return np.zeros((len(golds), len(options)), dtype=np.int64)
        right, offered = self._split(golds), self._split(options)
        used, place = np.unique(np.concatenate([right.word, offered.word]), return_inverse=True)
        word, of_offered = place[: len(right.word)], place[len(right.word) :]
        counts = self._without(template_id, used)
        theirs = offered.means(
            counts.ratios(right.locale[:, None], offered.locale[offered.text][None, :], of_offered[None, :])
        )
        everyone = np.arange(len(self._total))
        ours = right.means(counts.ratios(right.locale[right.text][None, :], everyone[:, None], word[None, :]))
        return np.sign(np.round(theirs - ours[offered.locale].T, _DIGITS)).astype(np.int64)

    def _without(self, template_id: str, used: Numbers) -> "_Counts":
        """Votes for some words in all other templates."""
        own = self._slices.get(template_id, slice(0))
        locale, word, own_votes = self._locale[own], self._word[own], self._votes[own]
        votes, of_locale = self._total[:, used], self._of_locale.copy()
        np.subtract.at(of_locale, locale, own_votes)
        place = np.minimum(np.searchsorted(used, word), len(used) - 1)
        is_used = used[place] == word
        np.subtract.at(votes, (locale[is_used], place[is_used]), own_votes[is_used])
        return _Counts(votes, of_locale, self._n_words)

    def _split(self, said: Sequence[Said]) -> "_Words":
        no_word, no_locale = len(self._codes), len(self._tags)
        split = [sorted({self._codes.get(word, no_word) for word in words(one.text)}) for one in said]
        lengths = np.array([len(found) for found in split])
        return _Words(
            word=np.array([code for found in split for code in found]),
            text=np.repeat(np.arange(len(said)), lengths),
            lengths=lengths,
            locale=np.array([self._tags.get(one.tag, no_locale) for one in said]),
        )


class _Words(NamedTuple):
    """The words of texts, one text after the other."""

    word: Numbers
    """Codes of words, shape ``(n_words_of_texts,)``."""
    text: Numbers
    """The text that has the word, same shape."""
    lengths: Numbers
    """How many words every text has, shape ``(n_texts,)``; at least one."""
    locale: Numbers
    """Codes of the texts' locales, same shape."""

    def means(self, of_words: Floats) -> Floats:
        """The mean of every text, from numbers of its words in the last axis."""
        return np.add.reduceat(of_words, np.cumsum(self.lengths) - self.lengths, axis=-1) / self.lengths


class _Counts(NamedTuple):
    """Votes for words."""

    votes: Floats
    """Shape ``(n_locales, n_words)``."""
    total: Floats
    """Votes for all words, shape ``(n_locales,)``."""
    n_words: Numbers
    """Different words that a locale uses, shape ``(n_locales,)``."""

    def ratios(self, here: Numbers, there: Numbers, word: Numbers) -> Floats:
        """How typical words are of locales beside others; codes that broadcast against each other."""
        votes, other = self.votes[here, word], self.votes[there, word]
        # One word more than the locales use: the one that nobody has used yet.
        n_words = self.n_words[here] + self.n_words[there] + 1
        expected = (votes + other + 1) / (self.total[here] + self.total[there] + n_words)
        ratios: Floats = np.log(
            (votes + _PRIOR_VOTES * expected) / ((self.total[here] + _PRIOR_VOTES) * expected)
        )
        return ratios


def _coded(values: pl.Series, codes: dict[str, int]) -> Numbers:
    return values.replace_strict(codes, return_dtype=pl.Int64).to_numpy().astype(np.int64)
