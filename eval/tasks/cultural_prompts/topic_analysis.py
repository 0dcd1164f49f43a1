"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words. A group's own words are those of the highest TF-IDF. Odd texts are refusals and
those without blanks between words; they are counted and kept.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from blend.eval.statistics import FloatArray
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.group_statistics import (
    CulturalDistances,
    Variances,
    agreement,
    published_variances,
    unbiased_variances,
)
from blend.eval.tasks.cultural_prompts.text_measures import (
    CodedTopic,
    Definition,
    IntArray,
    code_topic,
    directed_bleu,
    nltk_tokens,
    pair_sums,
    undirected,
    wed,
)
from blend.loaders.servers.cluster import on_cluster
from blend.schemas.models import packaged_text

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""


@cache
def stop_words() -> frozenset[str]:
    """The packaged English stop words: the 179 that NLTK had when the paper was written."""
    lines = packaged_text("stop_words_en.txt", __package__).splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def counts_as_word(token: str, left_out: Collection[str]) -> bool:
    """Whether a token is a word that can be a group's own: no number, no single character, no stop word."""
    token = token.strip()
    if len(token) < _SHORTEST or token.isnumeric() or token in _MARKS or token in left_out:
        return False
    try:
        float(token)
    except ValueError:
        return True
    return False


def word_counts(topic: CodedTopic, left_out: Collection[str], *, position: int = 0) -> pl.DataFrame:
    """Count how often every group's texts about a topic hold each word.

    Args:
        topic: The texts.
        left_out: Stop words.
        position: Number of the topic, for the order of words over several topics.

    Returns:
        ``group``, ``word``, ``count`` and ``first``, any number that orders a group's first places.
    """
    is_word = np.array([counts_as_word(word, left_out) for word in topic.words], dtype=bool)
    kept = np.flatnonzero(is_word[topic.tokens])
    groups = np.repeat(topic.group_of, topic.lengths)
    found = pl.DataFrame(
        {"group": groups[kept], "code": topic.tokens[kept], "first": position * _PLACES + kept}
    )
    counts = found.group_by("group", "code", maintain_order=True).agg(pl.col("first").min(), count=pl.len())
    words = pl.Series(topic.words, dtype=pl.String).gather(counts["code"])
    return counts.select("group", words.alias("word"), pl.col("count").cast(pl.Int64), "first")


def top_words(counts: pl.DataFrame, n_groups: int, *, top: int) -> pl.DataFrame:
    """The words with the highest TF-IDF of every group, all of whose texts are one document.

    Args:
        counts: `word_counts` of any topics.
        n_groups: Groups that have texts about them.
        top: Words per group at most.

    Returns:
        `WORDS`. Words that every group has score 0 and are left out.
    """
    counts = summed_counts([counts], "group", "word")
    # The logarithm of Python, which is the one of C, for a score that no version of a library changes.
    idf = {df: math.log(n_groups / df) for df in range(1, n_groups + 1)}
    weight = pl.len().over("word").replace_strict(idf, default=0.0, return_dtype=pl.Float64)
    return (
        counts.with_columns(score=pl.col("count") * weight)
        .filter(pl.col("score") > 0)
        .sort("group", "score", "first", descending=[False, True, False])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("group"))
        .filter(pl.col("rank") <= top)
        .select(WORDS.names())
    )


def summed_counts(counts: Sequence[pl.DataFrame], *by: str) -> pl.DataFrame:
    """Add up `word_counts` of several topics."""
    return pl.concat(counts).group_by(by).agg(pl.col("count").sum(), pl.col("first").min())


ODDITIES = ("refusal", "unparted")
"""What a text can be counted as."""

_REFUSAL = (
    r"(?i)\b(?:i(?:['’]m| am) (?:very |so |truly )?sorry,? (?:but|as|i)\b"
    r"|i(?:['’]m| am) (?:unable|not able) to\b"
    r"|i (?:can(?:no|['’])t|can not|won['’]t|will not|am not going to|must decline to|decline to)"
    r" (?:help|assist|fulfil|fulfill|comply|provide|write|create|generate|answer|do|continue|engage|discuss)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b)"
)
"""What a refusal says at its beginning: an apology, that the writer cannot or will not, or that it is a
machine."""

_REFUSAL_WITHIN = 200
"""Characters at the beginning of a text in which a refusal is looked for."""

# Thai, Lao, Tibetan, Burmese, Khmer, kana and ideographs.
_WITHOUT_BLANKS = (
    r"[\p{L}&&[\x{e00}-\x{fff}\x{1000}-\x{109f}\x{1780}-\x{17ff}\x{3041}-\x{30ff}\x{3400}-\x{9fff}"
    r"\x{f900}-\x{faff}\x{20000}-\x{3ffff}]]"
)
"""Letters of scripts that write no blanks between words."""

_LONGEST_WORD = 6
"""Letters per token above which tokens are more than words, in scripts without blanks: a word has two of them
on average in Chinese, and four in Thai."""


def _odd_texts() -> dict[str, pl.Expr]:
    """Whether ``text``, of as many ``tokens``, is to be counted as what `ODDITIES` name."""
    text, tokens = pl.col("text"), pl.col("tokens")
    return {
        "refusal": text.str.slice(0, _REFUSAL_WITHIN).str.contains(_REFUSAL),
        "unparted": text.str.count_matches(_WITHOUT_BLANKS) > _LONGEST_WORD * tokens,
    }


_AGREEMENTS = pl.Schema(
    {
        **dict.fromkeys(("split", "category", "topic", "survey", "measure", "anchor"), pl.String()),
        **dict.fromkeys(("tau", "p"), pl.Float64()),
        "n": pl.Int64(),
    }
)
"""One row per topic, survey, measure (``bleu``, or ``wed`` with its sign turned) and anchor. ``tau`` and ``p``
are null where they are not defined."""

SIMILARITY = pl.Schema(
    {
        **dict.fromkeys(("split", "category", "topic", "group", "other"), pl.String()),
        **dict.fromkeys(("bleu", "wed"), pl.Float64()),
    }
)
"""One row per topic and pair of groups, the first being the earlier one of the data, a group with itself
among them. ``wed`` is the distance, 0 for texts that are alike."""


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

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with the place in front, a column for each part."""
        columns = [pl.lit(part).alias(name) for name, part in self._asdict().items()]
        return rows.select(*columns, pl.all())


class TopicTexts(NamedTuple):
    """The texts of a topic as they were written."""

    key: TopicKey
    """Which topic."""
    number: int
    """Its number in the order of the data set."""
    rows: pl.DataFrame
    """A row per text: ``group_number``, ``text``, empty where a model wrote nothing, and any other columns;
    texts of one group in the order of their samples."""


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
    cores: int = -1
    """Cores on which edits are counted; all of the machine by -1."""


class TopicFigures(NamedTuple):
    """Figures of a topic."""

    key: TopicKey
    """Which topic."""
    samples: IntArray
    """Texts of every group."""
    variances: dict[str, Variances]
    """Lexical variance by the end of its figures' names: as the definitions have it, and ``-unbiased``."""
    agreements: pl.DataFrame
    """Rank correlation of each likeness with each survey's closeness, `_AGREEMENTS`."""
    similarity: pl.DataFrame
    """How alike groups' texts are, `SIMILARITY`."""
    words: pl.DataFrame
    """How often every group's texts hold each word, `word_counts`, with the place of the topic."""
    texts: pl.DataFrame
    """The rows of the texts without these: ``tokens`` and a column per name of `ODDITIES`."""


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
        return (_analyse_topic(topic, settings) for topic in topics)
    # A worker of a cluster has its share of the cores.
    return on_cluster(_analyse_topic, topics, replace(settings, cores=1), dask=dask, about="topic")


def _analyse_topic(topic: TopicTexts, settings: Settings) -> TopicFigures:
    """Every figure of a topic; each text is parted into tokens once.

    Raises:
        MissingExtraError: If SciPy is not installed.
    """
    tokens = [nltk_tokens(text) for text in topic.rows["text"]]
    coded = code_topic(tokens, topic.rows["group_number"].to_list(), len(settings.groups))
    pairs = pair_sums(coded, cores=settings.cores)
    apart = wed(pairs, definition=settings.definition)
    alike = undirected(directed_bleu(coded, kind=settings.bleu), definition=settings.definition)
    texts = topic.rows.with_columns(pl.Series("tokens", map(len, tokens), pl.Int64))
    rows, columns = np.triu_indices(len(settings.groups))
    names = pl.Series(settings.groups)
    similarity = pl.DataFrame(
        {
            "group": names.gather(rows),
            "other": names.gather(columns),
            "bleu": alike[rows, columns],
            "wed": apart[rows, columns],
        }
    )
    return TopicFigures(
        topic.key,
        coded.samples,
        {
            "": published_variances(pairs, definition=settings.definition),
            "-unbiased": unbiased_variances(pairs),
        },
        topic.key.named(_agreements_of({"bleu": alike, "wed": -apart}, settings)).cast(_AGREEMENTS),
        topic.key.named(similarity.with_columns(pl.col(pl.Float64).fill_nan(None))),
        topic.key.named(word_counts(coded, stop_words(), position=topic.number)),
        texts.with_columns(**_odd_texts()).drop("group_number", "text"),
    )


def _agreements_of(likeness: dict[str, FloatArray], settings: Settings) -> pl.DataFrame:
    """The correlations of every measure with every survey, `_AGREEMENTS` without the topic."""
    tables = [pl.DataFrame(schema=dict(list(_AGREEMENTS.items())[3:]))]
    for measure, alike in likeness.items():
        how: dict[str, Any] = {"definition": settings.definition, "least_first": measure == "bleu"}
        for culture in settings.cultures:
            found = agreement(alike, settings.groups, culture, **how)
            names = pl.lit(culture.survey).alias("survey"), pl.lit(measure).alias("measure")
            tables.append(found.select(*names, pl.all()))
    return pl.concat(tables)
