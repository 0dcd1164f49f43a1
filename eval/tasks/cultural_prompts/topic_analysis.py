"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.edits_side_by_side import IntArray
from blend.eval.tasks.cultural_prompts.lexical_variance import (
    Variances,
    published_variances,
    unbiased_variances,
)
from blend.eval.tasks.cultural_prompts.survey_agreement import CulturalDistances, agreement
from blend.eval.tasks.cultural_prompts.text_measures import (
    Definition,
    code_topic,
    directed_bleu,
    pair_sums,
    undirected,
    wed,
)
from blend.eval.tasks.cultural_prompts.topic_words import odd_texts, word_counts
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
        **dict.fromkeys(("split", "category", "topic", "survey", "measure", "anchor"), pl.String()),
        **dict.fromkeys(("tau", "p"), pl.Float64()),
        "n": pl.Int64(),
    }
)
"""One row per topic, survey, measure and anchor; ``topic`` is null for the mean over the topics of a category.
``tau`` and ``p`` are null where they are not defined."""


class TopicKey(NamedTuple):
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
        return "/".join(part for part in self if part)


class TopicTexts(NamedTuple):
    """The texts of a topic as they were written."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number in the order of the data set."""
    rows: pl.DataFrame
    """A row per text: ``group_number``, ``text``, empty where a model wrote nothing, and any other columns;
    texts of one group in the order of their samples."""
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
    tokenise: Callable[[str], Sequence[str]] = field(default=nltk_tokens)
    """Parts a text into tokens."""


class TopicFigures(NamedTuple):
    """Figures of a topic."""

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
    matrices: Matrices
    """How alike groups' texts are."""
    words: pl.DataFrame
    """How often every group's texts hold each word, `topic_words.word_counts`."""
    texts: pl.DataFrame
    """The rows of the texts without these: ``tokens`` and a column per name of `topic_words.ODDITIES`."""


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
    groups, texts = topic.rows["group_number"].to_list(), topic.rows["text"].to_list()
    tokens = [settings.tokenise(text) for text in texts]
    coded = code_topic(tokens, groups, len(settings.groups))
    pairs = pair_sums(coded)
    directed = directed_bleu(coded, kind=settings.bleu)
    matrices = {
        "bleu": undirected(directed, definition=settings.definition),
        "wed": np.negative(wed(pairs, definition=settings.definition)),
        "directed": directed,
    }
    odd = odd_texts(texts, tokens, groups, is_english=topic.is_english)
    return TopicFigures(
        topic.key,
        coded.samples,
        published_variances(pairs, definition=settings.definition, seed=settings.seed),
        unbiased_variances(pairs, seed=settings.seed),
        agreements_of(matrices, settings, *topic.key),
        {name: int(odd[name].sum()) for name in odd.columns},
        matrices,
        word_counts(coded, settings.stop_words, position=topic.number),
        topic.rows.drop("group_number", "text").with_columns(
            pl.Series("tokens", map(len, tokens), pl.Int64), *odd
        ),
    )


def agreements_of(
    matrices: Matrices, settings: Settings, split: str, category: str, topic: str | None
) -> pl.DataFrame:
    """The correlations of every measure with every survey, `AGREEMENTS`."""
    tables = [pl.DataFrame(schema=AGREEMENTS)]
    for measure in MEASURES:
        for culture in settings.cultures:
            found = agreement(
                matrices[measure],
                settings.groups,
                culture,
                definition=settings.definition,
                least_first=measure == "bleu",
            )
            named = {"split": split, "category": category, "topic": topic}
            named |= {"survey": culture.survey, "measure": measure}
            rows = pl.DataFrame({"anchor": culture.groups, **found._asdict()})
            constants = [pl.lit(value, pl.String).alias(name) for name, value in named.items()]
            tables.append(rows.with_columns(*constants).select(AGREEMENTS.names()).cast(AGREEMENTS))
    return pl.concat(tables).with_columns(pl.col("tau", "p").fill_nan(None))
