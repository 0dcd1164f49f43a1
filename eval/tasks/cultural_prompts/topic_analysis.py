"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.bleu import directed_bleu, undirected
from blend.eval.tasks.cultural_prompts.coded_topics import Definition, IntArray, Tokenise, code_topic
from blend.eval.tasks.cultural_prompts.lexical_variance import (
    Variances,
    published_variances,
    unbiased_variances,
)
from blend.eval.tasks.cultural_prompts.odd_texts import odd_texts
from blend.eval.tasks.cultural_prompts.survey_agreement import CulturalDistances, agreement
from blend.eval.tasks.cultural_prompts.tfidf_words import word_counts
from blend.eval.tasks.cultural_prompts.word_edit_distance import pair_sums, wed
from blend.eval.text.nltk_tokens import nltk_tokens
from blend.loaders.servers.cluster import on_cluster

Measure = Literal["bleu", "wed"]
"""What says how alike two groups' texts are: BLEU, or the word edit distance with its sign turned."""

MEASURES: tuple[Measure, ...] = ("bleu", "wed")

Matrices = dict[str, FloatArray]
"""Shape ``(n_groups, n_groups)`` each: how alike two groups' texts are by every measure, higher for more, and
``directed``, the BLEU of the row's texts measured against the column's."""

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


@dataclass(frozen=True, slots=True)
class TopicKey:
    """Place of a topic in the data set."""

    split: str
    """Kind of text, for example ``qa``; empty where there are no kinds."""
    category: str
    """Category of topics; empty where there are none."""
    topic: str
    """Name of the topic."""

    @property
    def path(self) -> str:
        """The parts that there are, joined by ``/``."""
        return "/".join(part for part in (self.split, self.category, self.topic) if part)


@dataclass(frozen=True, slots=True)
class TopicTexts:
    """The texts of a topic as they were written."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number in the order of the data set."""
    groups: Sequence[int]
    """Number of every text's group; texts of one group in the order of their samples."""
    texts: Sequence[str]
    """The texts; empty where a model wrote nothing."""
    is_english: bool = True
    """Whether the texts should be English, so that those that are not can be counted."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that decide the figures of every topic."""

    groups: tuple[str, ...]
    """Names of the groups, in the order of the data set."""
    cultures: tuple[CulturalDistances, ...] = ()
    """Their distances in each survey."""
    definition: Definition = "paper"
    """Whose definitions."""
    bleu: Bleu = "multi-reference"
    """How the samples of a group are combined in BLEU."""
    stop_words: frozenset[str] = frozenset()
    """Words that are not counted."""
    seed: int = 0
    """Seed of the intervals."""
    tokenise: Tokenise = field(default=nltk_tokens)
    """Parts a text into tokens."""


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
    agreements: pl.DataFrame
    """Rank correlation of each likeness with each survey's closeness, `AGREEMENTS`."""
    odd: dict[str, int]
    """Texts by what they are counted as."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicFigures:
    """Figures that a topic adds."""

    summary: TopicSummary
    matrices: Matrices
    words: pl.DataFrame
    """How often every group's texts hold each word, `tfidf_words.word_counts`."""
    texts: pl.DataFrame
    """One row per text, in the order given: ``tokens`` and a column per name of `odd_texts.ODDITIES`."""


def analyse_topics(
    topics: Iterable[TopicTexts], settings: Settings, *, dask: str | None = None
) -> Iterator[TopicFigures]:
    """The figures of topics, in their order: one after the other, or side by side on a Dask cluster.

    Args:
        topics: The topics; taken one by one, and on a cluster a few ahead.
        settings: What decides the figures.
        dask: Address of a Dask scheduler, ``tcp://host:8786``, or ``local``; this process alone when absent.

    Raises:
        MissingExtraError, ServerError, InputError: As from `on_cluster`.
    """
    if dask is None:
        return (analyse_topic(topic, settings) for topic in topics)
    return on_cluster(analyse_topic, topics, settings, dask=dask, about="topic")


def analyse_topic(topic: TopicTexts, settings: Settings) -> TopicFigures:
    """Every figure of a topic; each text is parted into tokens once.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    tokens = [settings.tokenise(text) for text in topic.texts]
    coded = code_topic(tokens, topic.groups, len(settings.groups))
    pairs = pair_sums(coded)
    directed = directed_bleu(coded, kind=settings.bleu)
    matrices = {
        "bleu": undirected(directed, definition=settings.definition),
        "wed": np.negative(wed(pairs, definition=settings.definition)),
        "directed": directed,
    }
    odd = odd_texts(topic.texts, tokens, topic.groups, is_english=topic.is_english)
    key = topic.key
    summary = TopicSummary(
        key,
        coded.samples,
        published_variances(pairs, definition=settings.definition, seed=settings.seed),
        unbiased_variances(pairs, seed=settings.seed),
        agreements_of(matrices, settings, key.split, key.category, key.topic),
        {name: int(odd[name].sum()) for name in odd.columns},
    )
    texts = odd.select(pl.Series("tokens", map(len, tokens), pl.Int64), *odd.columns)
    return TopicFigures(
        summary, matrices, word_counts(coded, settings.stop_words, position=topic.number), texts
    )


def agreements_of(
    matrices: Matrices, settings: Settings, split: str, category: str, topic: str | None
) -> pl.DataFrame:
    """The correlations of every measure with every survey, `AGREEMENTS`."""
    rows = [pl.DataFrame(schema=AGREEMENTS)]
    for measure in MEASURES:
        for culture in settings.cultures:
            found = agreement(
                matrices[measure],
                settings.groups,
                culture,
                definition=settings.definition,
                least_first=measure == "bleu",
            )
            columns: dict[str, Any] = {
                "split": pl.lit(split),
                "category": pl.lit(category),
                "topic": pl.lit(topic),
                "survey": pl.lit(culture.survey),
                "measure": pl.lit(measure),
                "anchor": pl.Series(culture.groups, dtype=pl.String),
                **{name: pl.Series(values) for name, values in found._asdict().items()},
            }
            rows.append(pl.select(**columns).cast(AGREEMENTS))
    return pl.concat(rows).with_columns(pl.col("tau", "p").fill_nan(None))
