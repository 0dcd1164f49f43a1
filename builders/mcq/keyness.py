"""Keyness: how much more than another region a region uses the words of an answer.

Who knows which words a region uses can guess: among answers of four regions, the one that sounds like the
region asked about is mostly the correct one. So some distractors should sound like it even more.

It rests on what two locales answer, the one asked about and the one that offers the option: a further locale
changes nothing between them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable

import polars as pl

from blend.schemas.frames import KEY
from blend.schemas.texts import words

_PRIOR_VOTES = 2.0
"""Votes that a word is taken to have beside the counted ones, as often as in both locales together: a word that
one person used once is not yet telling."""
_DIGITS = 9
"""Decimal places that count: sums of the same numbers in another order may differ in the last ones."""

ANSWER_INDEX = pl.Schema(
    {"template_id": pl.String(), "locale": pl.String(), "text": pl.String(), "votes": pl.Int64()}
)
"""Who gave which English texts: one row per template, locale and text as typed, in this order, and its
votes."""


def answer_index(annotations: pl.DataFrame) -> pl.DataFrame:
    """Make `ANSWER_INDEX` of `ANNOTATIONS`."""
    of_group = pl.element().struct.field
    return (
        annotations.select(
            *KEY,
            text=pl.col("annotations").list.eval(of_group("en_answers")),
            votes=pl.col("annotations").list.eval(of_group("count")),
        )
        .explode("text", "votes")
        .explode("text")
        .drop_nulls("text")
        .group_by(*KEY, "text")
        .agg(pl.col("votes").sum())
        .sort(*KEY, "text")
        .cast(ANSWER_INDEX)
    )


class Keyness:
    """Keyness of texts between two locales, by what these answered to other templates.

    References:
        Monroe, Colaresi, Quinn (2008), Fightin' Words, https://doi.org/10.1093/pan/mpn018: the log-odds ratio
        of a word between two groups with a prior drawn from both together, so that rare words do not lead. Here
        it is the logarithm of a ratio of shares, one locale's over both locales', without a standard error.

    Args:
        index: `ANSWER_INDEX`.
    """

    def __init__(self, index: pl.DataFrame) -> None:
        self._votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By locale, votes for each word."""
        self._own: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """By template and locale, the same."""
        for template_id, tag, text, votes in index.iter_rows():
            of_template, of_locale = self._own[template_id, tag], self._votes[tag]
            for word in set(words(text)):
                of_template[word] += votes
                of_locale[word] += votes
        self._totals = Counter({tag: votes.total() for tag, votes in self._votes.items()})

    def between(self, template_id: str, here: str, there: str) -> Callable[[str], float]:
        """Compare two locales: how much more one uses the words of a text than the other, in other templates.

        Of a word: the logarithm of its share of the locale's votes over its share of the votes of both
        locales, with `_PRIOR_VOTES` added; of a text, the mean over its words, 0 without any.

        Args:
            template_id: The template, whose own votes do not count.
            here: Tag of the locale.
            there: Tag of the other one.
        """
        # `dict.get`, since a counter looks for what is missing in ten times the time.
        ours, theirs = self._votes[here], self._votes[there]
        own, own_theirs = self._own[template_id, here], self._own[template_id, there]
        total = self._totals[here] - own.total()
        # One vote more for every word, and for one that nobody has used yet, so that no share is 0.
        smoothed = total + self._totals[there] - own_theirs.total() + len(ours) + len(theirs) + 1

        def keyness(text: str) -> float:
            score, found = 0.0, set(words(text))
            for word in found:
                votes = ours.get(word, 0) - own.get(word, 0)
                expected = (votes + theirs.get(word, 0) - own_theirs.get(word, 0) + 1) / smoothed
                score += math.log((votes + _PRIOR_VOTES * expected) / ((total + _PRIOR_VOTES) * expected))
            return round(score / max(len(found), 1), _DIGITS)

        return keyness
