"""Totals: what the topics add up to, one topic after the other, so that memory does not grow with texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts.coded_topics import IntArray
from blend.eval.tasks.cultural_prompts.lexical_variance import Variances
from blend.eval.tasks.cultural_prompts.survey_agreement import Agreement, agreement
from blend.eval.tasks.cultural_prompts.tfidf_words import WORDS, WordTotals
from blend.eval.tasks.cultural_prompts.topic_analysis import MEASURES, Measure, Settings, TopicFigures, TopicKey

AGREEMENTS = pl.Schema(
    {
        "split": pl.String(),
        "category": pl.String(),
        "topic": pl.String(),
        "survey": pl.String(),
        "measure": pl.String(),
        "anchor": pl.String(),
        "tau": pl.Float64(),
        "p": pl.Float64(),
        "n": pl.Int64(),
    }
)
"""One row per topic, survey, measure and anchor; ``topic`` is null for the mean over the topics of a category.
``tau`` and ``p`` are null where they are not defined."""

TOP_WORDS = pl.Schema({"split": pl.String(), "category": pl.String(), **WORDS, "group": pl.String()})
"""Words of every group, by score; ``category`` is null for all topics of a split, ``split`` for all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicSummary:
    """The figures of a topic that are kept when the next one comes."""

    key: TopicKey
    """Which topic."""
    samples: IntArray
    """Texts of every group."""
    published: Variances
    """Lexical variance as the definitions have it."""
    unbiased: Variances
    """Lexical variance without their bias."""
    agreements: dict[tuple[Measure, str], Agreement]
    """Rank correlations."""
    odd: dict[str, int]
    """Texts by what they are counted as."""
    n_texts: int
    """Texts."""


class _Mean:
    """The mean of matrices, cell by cell over those that have a value there."""

    def __init__(self, n_groups: int) -> None:
        self._sum = np.zeros((n_groups, n_groups))
        self._count = np.zeros((n_groups, n_groups))

    def add(self, matrix: FloatArray) -> None:
        known = ~np.isnan(matrix)
        self._sum += np.where(known, matrix, 0.0)
        self._count += known

    @property
    def value(self) -> FloatArray:
        return divide(self._sum, self._count)


@dataclass(slots=True)
class Totals:
    """The figures of all topics so far."""

    settings: Settings
    """What decides them."""
    topics: list[TopicSummary] = field(default_factory=list)
    """The topics, in order."""
    _means: dict[tuple[str, str], dict[Measure, _Mean]] = field(default_factory=dict)
    _directed: dict[tuple[str, str], _Mean] = field(default_factory=dict)
    _words: WordTotals = field(default_factory=WordTotals)

    def add(self, figures: TopicFigures) -> None:
        """Add a topic; topics come in the order of the data set."""
        odd = {name: int(figures.texts[name].sum()) for name in figures.texts.columns if name != "tokens"}
        self.topics.append(
            TopicSummary(
                figures.key,
                figures.samples,
                figures.published,
                figures.unbiased,
                figures.agreements,
                odd,
                figures.texts.height,
            )
        )
        where = (figures.key.split, figures.key.category)
        means = self._means.setdefault(where, {name: _Mean(len(self.settings.groups)) for name in MEASURES})
        for measure in MEASURES:
            means[measure].add(figures.likeness[measure])
        self._directed.setdefault(where, _Mean(len(self.settings.groups))).add(figures.directed_bleu)
        self._words.add(where, figures.words)

    @property
    def splits(self) -> tuple[str, ...]:
        """The kinds of texts, in order."""
        return tuple(dict.fromkeys(topic.key.split for topic in self.topics))

    @property
    def categories(self) -> tuple[tuple[str, str], ...]:
        """Split and category of the topics, in order."""
        return tuple(self._means)

    def likeness(self, split: str, category: str, measure: Measure) -> FloatArray:
        """The mean over the topics of a category, entry by entry; NaN where no topic has a value."""
        return self._means[split, category][measure].value

    def directed_bleu(self, split: str, category: str) -> FloatArray:
        """The mean of `TopicFigures.directed_bleu` over a category; NaN where no topic has a value."""
        return self._directed[split, category].value

    def agreements(self) -> pl.DataFrame:
        """The rank correlations of topics and of categories; `AGREEMENTS`."""
        settings = self.settings
        found: list[_Found] = [
            ((topic.key.split, topic.key.category, topic.key.topic), of, one)
            for topic in self.topics
            for of, one in topic.agreements.items()
        ]
        for split, category in self.categories:
            for measure in MEASURES:
                likeness = self.likeness(split, category, measure)
                for culture in settings.cultures:
                    one = agreement(
                        likeness,
                        settings.groups,
                        culture,
                        definition=settings.definition,
                        least_first=measure == "bleu",
                    )
                    found.append(((split, category, None), (measure, culture.survey), one))
        return _agreement_rows(found, {culture.survey: culture.groups for culture in settings.cultures})

    def words(self, *, top: int) -> pl.DataFrame:
        """The words of every group, by category, by split and over all; `TOP_WORDS`."""
        parts = [self._words_of(split, category, top) for split, category in self.categories]
        if len(self.categories) > 1 or not all(category for _, category in self.categories):
            parts += [self._words_of(split, None, top) for split in self.splits]
        if len(self.splits) > 1:
            parts.append(self._words_of(None, None, top))
        return pl.concat([pl.DataFrame(schema=TOP_WORDS), *parts]).unique(maintain_order=True)

    def _words_of(self, split: str | None, category: str | None, top: int) -> pl.DataFrame:
        places = [
            counted_for
            for counted_for in self.categories
            if split in (None, counted_for[0]) and category in (None, counted_for[1])
        ]
        written = [topic.samples for topic in self.topics if (topic.key.split, topic.key.category) in places]
        n_groups = int((np.sum(written, axis=0) > 0).sum())
        names = dict(enumerate(self.settings.groups))
        return (
            self._words.top(places, n_groups, top=top)
            .with_columns(
                pl.lit(split, pl.String).alias("split"),
                pl.lit(category, pl.String).alias("category"),
                pl.col("group").replace_strict(names, return_dtype=pl.String),
            )
            .select(list(TOP_WORDS))
            .cast(TOP_WORDS)
        )


_Found = tuple[tuple[str, str, str | None], tuple[Measure, str], Agreement]
"""Split, category and perhaps topic; measure and survey; the correlations of all anchors."""


def _agreement_rows(found: Sequence[_Found], anchors: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Correlations as `AGREEMENTS`; ``anchors`` are the groups of each survey."""
    heads = [
        (*where, survey, measure, anchor) for where, (measure, survey), _ in found for anchor in anchors[survey]
    ]
    columns: dict[str, Any] = {
        name: np.concatenate([np.zeros(0), *(getattr(one, name) for _, _, one in found)])
        for name in ("tau", "p", "n")
    }
    names = [name for name in AGREEMENTS if name not in columns]
    return (
        pl.DataFrame(heads, schema=dict.fromkeys(names, pl.String()), orient="row")
        .with_columns(**{name: pl.Series(values) for name, values in columns.items()})
        .cast(AGREEMENTS)
        .with_columns(pl.col("tau", "p").fill_nan(None))
    )
