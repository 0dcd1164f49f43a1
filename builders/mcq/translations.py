"""Translations: English texts that people of one locale mean by the same words of their own language.

A locale that writes both "soccer" and "football" as 축구 says that they are one thing. For a question only that
counts which the locale asked about, or the one that offers an option, says about words of its own: a further
locale has no influence on the questions between others.
"""

from collections import defaultdict

import polars as pl

from blend.builders.mcq.values import shown
from blend.schemas.text import words

NAME = "local-variants"
"""The name under which they are counted among those who decide."""


class Translations:
    """By locale, which English texts share a local variant in any of its answers, to whatever question.

    Args:
        annotations: `schemas.frames.ANNOTATIONS`.
    """

    def __init__(self, annotations: pl.DataFrame) -> None:
        self._meanings: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._variants: dict[tuple[str, str], set[str]] = defaultdict(set)
        for tag, groups in annotations.select("locale", "annotations").iter_rows():
            for group in groups:
                self._read(tag, group["answers"], group["en_answers"])

    def also(self, tag: str, text: str) -> frozenset[str]:
        """The other English texts that a locale has for the words that it has for this one.

        Args:
            tag: The locale.
            text: An English text as an option shows it.
        """
        variants = self._variants.get((tag, text), ())
        return frozenset[str]().union(*(self._meanings[tag, variant] for variant in variants)) - {text}

    def _read(self, tag: str, local: list[str], english: list[str]) -> None:
        texts = {text for text in map(shown, english) if text}
        # A variant without letter or digit, such as "-", says nothing.
        for variant in filter(None, map(" ".join, map(words, local))):
            self._meanings[tag, variant] |= texts
            for text in texts:
                self._variants[tag, text].add(variant)
