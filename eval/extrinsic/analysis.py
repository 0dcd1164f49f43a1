"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl

from blend.eval.extrinsic.agreement import Agreement, agreement
from blend.eval.extrinsic.bleu import directed_bleu, undirected
from blend.eval.extrinsic.culture import CulturalDistances
from blend.eval.extrinsic.definitions import Bleu, Definition
from blend.eval.extrinsic.edit_distance import pair_sums, wed
from blend.eval.extrinsic.oddities import ODDITIES, oddities
from blend.eval.extrinsic.topics import IntArray, Tokenise, code_topic
from blend.eval.extrinsic.variance import Variances, published_variances, unbiased_variances
from blend.eval.extrinsic.words import WordCounts, word_counts
from blend.eval.statistics.clusters import FloatArray
from blend.eval.text.nltk_tokens import nltk_tokens

Measure = Literal["bleu", "wed"]
"""What says how alike two groups' texts are: BLEU, or the word edit distance with its sign turned."""

MEASURES: tuple[Measure, ...] = ("bleu", "wed")


@dataclass(frozen=True, slots=True)
class TopicKey:
    """Where a topic belongs."""

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
    """What decides the figures of every topic."""

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
class TopicFigures:
    """What a topic adds to the figures."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number."""
    samples: IntArray
    """Texts of every group."""
    published: Variances
    """Lexical variance as the definitions have it."""
    unbiased: Variances
    """Lexical variance without their bias."""
    likeness: dict[Measure, FloatArray]
    """How alike two groups' texts are, higher for more; shape ``(n_groups, n_groups)``."""
    directed_bleu: FloatArray
    """BLEU of the row's texts measured against the column's; shape ``(n_groups, n_groups)``."""
    agreements: dict[tuple[Measure, str], Agreement]
    """Rank correlation of each likeness with each survey's closeness."""
    words: WordCounts
    """How often every group's texts hold each word."""
    texts: pl.DataFrame
    """One row per text, in the order given: ``tokens`` and a column per name of `oddities.ODDITIES`."""


def analyse_topic(topic: TopicTexts, settings: Settings) -> TopicFigures:
    """Every figure of a topic; each text is parted into tokens once.

    Raises:
        MissingExtraError: If there is a survey and SciPy is not installed.
    """
    tokens = [settings.tokenise(text) for text in topic.texts]
    coded = code_topic(tokens, topic.groups, len(settings.groups))
    pairs = pair_sums(coded)
    directed = directed_bleu(coded, kind=settings.bleu)
    likeness: dict[Measure, FloatArray] = {
        "bleu": undirected(directed, definition=settings.definition),
        "wed": np.negative(wed(pairs, definition=settings.definition)),
    }
    odd = [
        oddities(text, of, is_english=topic.is_english) for text, of in zip(topic.texts, tokens, strict=True)
    ]
    return TopicFigures(
        topic.key,
        topic.number,
        coded.samples,
        published_variances(pairs, definition=settings.definition, seed=settings.seed),
        unbiased_variances(pairs, seed=settings.seed),
        likeness,
        directed,
        {
            (measure, culture.survey): agreement(
                likeness[measure],
                settings.groups,
                culture,
                definition=settings.definition,
                least_first=measure == "bleu",
            )
            for measure in MEASURES
            for culture in settings.cultures
        },
        word_counts(coded, settings.stop_words, place=topic.number),
        pl.DataFrame(
            {"tokens": [len(of) for of in tokens], **{name: [name in one for one in odd] for name in ODDITIES}},
            schema={"tokens": pl.Int64, **dict.fromkeys(ODDITIES, pl.Boolean)},
        ),
    )
