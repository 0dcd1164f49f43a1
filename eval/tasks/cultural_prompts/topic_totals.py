"""Totals: what the topics add up to, one topic after the other, so that memory does not grow with texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts.tfidf_words import WORDS, Where, WordTotals
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    AGREEMENTS,
    Matrices,
    Settings,
    TopicFigures,
    TopicSummary,
    agreements_of,
)

TOP_WORDS = pl.Schema({"split": pl.String(), "category": pl.String(), **WORDS, "group": pl.String()})
"""Words of every group, by score; ``category`` is null for all topics of a split, ``split`` for all of them."""


class _Mean:
    """The mean of matrices, cell by cell over those that have a value there."""

    def __init__(self) -> None:
        self._sums: dict[str, FloatArray] = {}
        self._counts: dict[str, FloatArray] = {}

    def add(self, matrices: Matrices) -> None:
        for name, matrix in matrices.items():
            known = ~np.isnan(matrix)
            self._sums[name] = self._sums.get(name, 0.0) + np.where(known, matrix, 0.0)
            self._counts[name] = self._counts.get(name, 0.0) + known.astype(np.float64)

    @property
    def value(self) -> Matrices:
        return {name: divide(total, self._counts[name]) for name, total in self._sums.items()}


@dataclass(slots=True)
class Totals:
    """The figures of all topics so far."""

    settings: Settings
    """What decides them."""
    topics: list[TopicSummary] = field(default_factory=list)
    """The topics, in order."""
    _means: dict[Where, _Mean] = field(default_factory=dict)
    _words: WordTotals = field(default_factory=WordTotals)

    def add(self, figures: TopicFigures) -> None:
        """Add a topic; topics come in the order of the data set."""
        self.topics.append(figures.summary)
        where = (figures.summary.key.split, figures.summary.key.category)
        self._means.setdefault(where, _Mean()).add(figures.matrices)
        self._words.add(where, figures.words)

    @property
    def splits(self) -> tuple[str, ...]:
        """The kinds of texts, in order."""
        return tuple(dict.fromkeys(topic.key.split for topic in self.topics))

    @property
    def means(self) -> Mapping[Where, Matrices]:
        """By split and category, in order, the means over its topics; NaN where no topic has a value."""
        return {where: mean.value for where, mean in self._means.items()}

    def agreements(self) -> pl.DataFrame:
        """The rank correlations of topics and of categories; `AGREEMENTS`."""
        of_topics = [topic.agreements for topic in self.topics]
        of_means = [
            agreements_of(matrices, self.settings, *where, None) for where, matrices in self.means.items()
        ]
        return pl.concat([pl.DataFrame(schema=AGREEMENTS), *of_topics, *of_means])

    def words(self, *, top: int) -> pl.DataFrame:
        """The words of every group, by category, by split and over all; `TOP_WORDS`."""
        parts = [self._words_of(split, category, top) for split, category in self._means]
        if len(self._means) > 1 or not all(category for _, category in self._means):
            parts += [self._words_of(split, None, top) for split in self.splits]
        if len(self.splits) > 1:
            parts.append(self._words_of(None, None, top))
        return pl.concat([pl.DataFrame(schema=TOP_WORDS), *parts]).unique(maintain_order=True)

    def _words_of(self, split: str | None, category: str | None, top: int) -> pl.DataFrame:
        places = [where for where in self._means if split in (None, where[0]) and category in (None, where[1])]
        written = [topic.samples for topic in self.topics if (topic.key.split, topic.key.category) in places]
        n_groups = int((np.sum(written, axis=0) > 0).sum())
        names = dict(enumerate(self.settings.groups))
        words = self._words.top(places, n_groups, top=top).with_columns(
            pl.lit(split, pl.String).alias("split"),
            pl.lit(category, pl.String).alias("category"),
            pl.col("group").replace_strict(names, return_dtype=pl.String),
        )
        return words.select(TOP_WORDS.names()).cast(TOP_WORDS)
