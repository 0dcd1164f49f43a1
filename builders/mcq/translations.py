"""Translations: English texts that people of one locale mean by the same words of their own language.

A locale that writes both "soccer" and "football" as 축구 says that they are one thing. For a question only that
counts which the locale asked about, or the one that offers an option, says about words of its own: a further
locale has no influence on the questions between others.
"""

from collections.abc import Callable, Iterator

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
        self._also: dict[tuple[str, str], frozenset[str]] = {}
        for tag, texts in _meant_by_one_variant(annotations):
            for text in texts:
                known = self._also.get((tag, text), frozenset())
                self._also[tag, text] = known.union(texts) - {text}

    def also(self, tag: str, text: str) -> frozenset[str]:
        """The other English texts that a locale has for the words that it has for this one.

        Args:
            tag: The locale.
            text: An English text as an option shows it.
        """
        return self._also.get((tag, text), _NOTHING)


_NOTHING: frozenset[str] = frozenset()


def _meant_by_one_variant(annotations: pl.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Locales with the English texts of each local variant that has two or more of them."""
    groups = (
        annotations.select("locale", group="annotations")
        .explode("group")
        .drop_nulls("group")
        .with_row_index("number")
        .select("locale", "number", pl.col("group").struct.unnest())
    )
    # Each different text is taken apart once, however many groups and regions it stands in.
    variants = _mapped(groups.select("locale", "number", text="answers"), lambda text: " ".join(words(text)))
    english = _mapped(groups.select("number", text="en_answers"), shown)
    meant = (
        variants.rename({"text": "variant"})
        .join(english, on="number")
        .select("locale", "variant", "text")
        .unique()
        .group_by("locale", "variant")
        .agg("text")
        .filter(pl.col("text").list.len() > 1)
    )
    return meant.select("locale", "text").iter_rows()


def _mapped(texts: pl.DataFrame, spell: Callable[[str], str]) -> pl.DataFrame:
    """One row per text of a list column ``text``, spelled by a function; without those that are then empty.

    A variant without letter or digit, such as "-", says nothing.
    """
    single = texts.explode("text").drop_nulls("text")
    spelled = {text: spell(text) for text in single["text"].unique()}
    told = single.with_columns(text=pl.col("text").replace_strict(spelled, return_dtype=pl.String))
    return told.filter(pl.col("text") != "")
