"""Naming: which options name a region, or its people."""

import re
from collections import defaultdict
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from blend.builders.audit.question_arrays import QuestionArrays
from blend.schemas.errors import UnknownNameError
from blend.schemas.locales import Locale, Registry, first_words, is_named


# Three rules of an audit ask for the same questions.
@lru_cache(maxsize=1)
def named_groups(asked: QuestionArrays, locales: Registry) -> NDArray[np.bool_]:
    """Mark the groups that texts name: shape ``(n_groups, n_texts)``.

    A group that the registry knows (by tag, code or any name) is named by every English name of its region and
    of its people, see `is_named`; any other one by its own name as whole words, whatever the case.
    """
    named = np.zeros((len(asked.groups), len(asked.texts)), dtype=bool)
    texts_of: defaultdict[str, set[int]] = defaultdict(set)
    for word, column in zip(asked.words.word.tolist(), asked.words.text.tolist(), strict=True):
        texts_of[asked.words.known[word]].add(column)
    not_ascii = {column for column, text in enumerate(asked.texts) if not text.isascii()}
    for row, group in enumerate(asked.groups):
        found = _locales_of(group, locales)
        own = re.compile(rf"(?<!\w){re.escape(group)}(?!\w)", re.IGNORECASE)
        names = [name for locale in found for name in (*locale.names, *locale.nationalities)]
        # Most texts hold no word that any name begins with: quick to see where letters have no accents.
        named_in = not_ascii.union(*(texts_of.get(word, ()) for word in first_words(names)))
        for column in named_in if found else range(len(asked.texts)):
            text = asked.texts[column]
            named[row, column] = (
                any(is_named(text, locale) for locale in found) if found else bool(own.search(text))
            )
    return named


def _locales_of(group: str, locales: Registry) -> list[Locale]:
    try:
        return locales.called(group)
    except UnknownNameError:
        return []
