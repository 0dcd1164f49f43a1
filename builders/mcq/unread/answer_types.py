"""Answer types: what kind of thing an answer is, a food or a sport or a job, by where people gave its words.

Readers gave each of BLEnD's templates the type that its answers should have, and the package counts to which of
them people gave a word (``decisions/blend``). A word that they gave to questions about sport is one of sport,
whoever says it: no region that is built has a say in it.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from blend.loaders.responses.shipped import shipped_answer_types, shipped_type_words

Shares = npt.NDArray[np.float64]
"""Share of each type, in the order of `AnswerTypes.names`; they add up to 1."""

_PRIOR = 2.0
"""Answers of the usual mixture of types that are added to each word's, so that a rare one says little."""


class AnswerTypes:
    """Types of answers.

    Args:
        templates: Type by template; those of the package when absent.
        words: By base form of a word and template, in how many regions somebody gave it; those of the package
            when absent.
    """

    def __init__(
        self,
        templates: Mapping[str, str] | None = None,
        words: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        self._templates = shipped_answer_types() if templates is None else templates
        self._words = shipped_type_words() if words is None else words
        self.names = tuple(sorted(set(self._templates.values())))
        self._numbers = {name: number for number, name in enumerate(self.names)}
        answers = sum((self._count(word, None) for word in self._words), np.zeros(len(self.names)))
        self.usual: Shares = answers / answers.sum()
        """Shares of all answers."""
        self._of_word = cache(self._shares_of_word)
        self.shares = cache(self._shares)
        """Estimates the shares of an answer (its base forms), without what was said to a template."""

    def _shares(self, form: tuple[str, ...], without: str) -> Shares:
        words = [self._of_word(word, without) for word in sorted(set(form))]
        return np.asarray(np.mean(words, axis=0) if words else self.usual)

    def _shares_of_word(self, word: str, without: str) -> Shares:
        counts = self._count(word, without)
        return (counts + _PRIOR * self.usual) / (float(counts.sum()) + _PRIOR)

    def _count(self, word: str, without: str | None) -> Shares:
        counts = np.zeros(len(self.names))
        for template_id, n_regions in self._words.get(word, {}).items():
            if template_id != without:
                counts[self._numbers[self._templates[template_id]]] += n_regions
        return counts
