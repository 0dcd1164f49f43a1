"""Said: who gave which English texts, in numbers instead of texts."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

Codes = npt.NDArray[np.int64]

Name = TypeVar("Name", bound=Hashable)


class Said(NamedTuple):
    """A text, and whose answer it is."""

    text: str
    tag: str
    """Tag of the locale."""


class SaidTexts(NamedTuple):
    """One entry per template, locale and English text of an answer, in this order."""

    templates: dict[str, int]
    """Codes of the templates, by id."""
    locales: dict[str, int]
    """Codes of the locales, by tag."""
    texts: tuple[str, ...]
    """The different texts, as they were typed, in code-point order; the place of each is its code."""
    template: Codes
    """The template of every entry."""
    locale: Codes
    """Its locale."""
    text: Codes
    """Its text."""
    votes: Codes
    """The annotators behind it."""


def said_texts(annotations: pl.DataFrame) -> SaidTexts:
    """Who gave which English texts, from `schemas.frames.ANNOTATIONS`."""
    templates, locales = (codes(annotations[name].unique().sort()) for name in ("template_id", "locale"))
    of_group = pl.element().struct.field
    rows = annotations.select(
        pl.col("template_id").replace_strict(templates, return_dtype=pl.Int32),
        pl.col("locale").replace_strict(locales, return_dtype=pl.Int32),
        text=pl.col("annotations").list.eval(of_group("en_answers")),
        votes=pl.col("annotations").list.eval(of_group("count")),
    )
    single = rows.explode("text", "votes").explode("text").drop_nulls("text")
    texts = single["text"].unique().sort()
    number = {"text": texts, "number": np.arange(len(texts), dtype=np.int32)}
    coded = single.join(pl.DataFrame(number), on="text").drop("text")
    keys = ("template_id", "locale", "number")
    summed = coded.group_by(keys).agg(pl.col("votes").sum()).sort(keys)
    columns = (summed[name].cast(pl.Int64).to_numpy() for name in (*keys, "votes"))
    return SaidTexts(templates, locales, tuple(texts), *columns)


def codes(names: Iterable[Name]) -> dict[Name, int]:
    """Every name with its place."""
    return {name: code for code, name in enumerate(names)}


class Lists:
    """Lists of numbers by key.

    Args:
        keys: A key for every entry.
        columns: Numbers of every entry.
    """

    def __init__(self, keys: Codes, *columns: Codes) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._columns = keys[order], [column[order] for column in columns]

    def at(self, keys: Codes) -> tuple[Codes, ...]:
        """The lists of some keys, one after the other: for each entry the place of its key, and its numbers."""
        starts, ends = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        place, within = spread(ends - starts)
        return place, *(column[starts[place] + within] for column in self._columns)


def spread(lengths: Codes) -> tuple[Codes, Codes]:
    """For lists of some lengths, one after the other: the list of every entry, and its place there."""
    which = np.repeat(np.arange(len(lengths)), lengths)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
