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

from blend.builders.mcq.said import Codes, Lists, Said, SaidTexts, codes, spread
from blend.schemas.text import words

_PRIOR_VOTES = 2.0
"""Votes that a word is taken to have beside the counted ones, as often as in both locales together: a word that
one person used once is not yet typical."""
_DIGITS = 9
"""Decimal places that count: sums of the same numbers in another order may differ in the last ones."""

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int64]


class Typicality:
    """How typical words are of locales, by the votes of all their answers.

    Args:
        said: Who gave which texts.
    """

    def __init__(self, said: SaidTexts) -> None:
        self._locales = said.locales
        split = [sorted(set(words(text))) for text in said.texts]
        self._words = codes(sorted({word for found in split for word in found}))
        lengths = np.array([len(found) for found in split], np.int64)
        of_texts = np.array([self._words[word] for found in split for word in found], np.int64)
        # One entry per entry of a text and word of it; of a word that several texts have, the votes add up.
        entry, place = spread(lengths[said.text])
        word = of_texts[(np.cumsum(lengths) - lengths)[said.text][entry] + place]
        row = said.template[entry] * len(said.locales) + said.locale[entry]
        row, word, votes = _summed(row, word, said.votes[entry])
        template, locale = np.divmod(row, max(len(said.locales), 1))
        self._of_locale = np.bincount(locale, votes, minlength=len(said.locales) + 1).astype(np.float64)
        self._templates = said.templates
        self._of_template = Lists(template, locale, word, votes)
        word, locale, votes = _summed(word, locale, votes)
        self._n_words = np.bincount(locale, minlength=len(said.locales) + 1)
        self._of_word = Lists(word, locale, votes)

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
        everyone = np.arange(len(self._locales) + 1)
        ours = right.means(counts.ratios(right.locale[right.text][None, :], everyone[:, None], word[None, :]))
        return np.sign(np.round(theirs - ours[offered.locale].T, _DIGITS)).astype(np.int64)

    def _without(self, template_id: str, used: Codes) -> "_Counts":
        """Votes for some words in all other templates; of locales and words that nobody has heard, none."""
        votes = np.zeros((len(self._locales) + 1, len(used)))
        place, locale, n = self._of_word.at(used)
        votes[locale, place] = n
        of_locale = self._of_locale.copy()
        template = np.array([self._templates.get(template_id, -1)])
        _, locale, word, n = self._of_template.at(template)
        np.subtract.at(of_locale, locale, n)
        place = np.minimum(np.searchsorted(used, word), len(used) - 1)
        is_used = used[place] == word
        votes[locale[is_used], place[is_used]] -= n[is_used]
        return _Counts(votes, of_locale, self._n_words)

    def _split(self, said: Sequence[Said]) -> "_Words":
        no_word, no_locale = len(self._words), len(self._locales)
        split = [sorted({self._words.get(word, no_word) for word in words(one.text)}) for one in said]
        lengths = np.array([len(found) for found in split])
        return _Words(
            word=np.array([code for found in split for code in found]),
            text=np.repeat(np.arange(len(said)), lengths),
            lengths=lengths,
            locale=np.array([self._locales.get(one.tag, no_locale) for one in said]),
        )


class _Words(NamedTuple):
    """The words of texts, one text after the other."""

    word: Codes
    """Codes of words, shape ``(n_words_of_texts,)``."""
    text: Codes
    """The text that has the word, same shape."""
    lengths: Codes
    """How many words every text has, shape ``(n_texts,)``; at least one."""
    locale: Codes
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
    n_words: Codes
    """Different words that a locale uses, shape ``(n_locales,)``."""

    def ratios(self, here: Codes, there: Codes, word: Codes) -> Floats:
        """How typical words are of locales beside others; codes that broadcast against each other."""
        votes, other = self.votes[here, word], self.votes[there, word]
        # One word more than the locales use: the one that nobody has used yet.
        n_words = self.n_words[here] + self.n_words[there] + 1
        expected = (votes + other + 1) / (self.total[here] + self.total[there] + n_words)
        ratios: Floats = np.log(
            (votes + _PRIOR_VOTES * expected) / ((self.total[here] + _PRIOR_VOTES) * expected)
        )
        return ratios


def _summed(first: Codes, second: Codes, votes: Codes) -> tuple[Codes, Codes, Codes]:
    """The different pairs of two codes, ordered by them, and the votes of each."""
    width = int(second.max(initial=0)) + 1
    pairs, place = np.unique(first * width + second, return_inverse=True)
    return *np.divmod(pairs, width), np.bincount(place, votes, minlength=len(pairs)).astype(np.int64)
