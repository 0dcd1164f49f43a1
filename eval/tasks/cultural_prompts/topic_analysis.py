"""Analysis of one topic: everything that needs all of its texts, and nothing that needs another topic.

A topic is the unit that is sent to a worker. What comes back is small beside the texts: a few matrices of
groups and the counts of words. A group's own words are those of the highest TF-IDF. Odd texts are empty ones,
refusals, texts in another language, without blanks or there twice; they are counted and kept.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from blend.eval.runs.run_directory import write_frame
from blend.eval.statistics.clusters import FloatArray, divide
from blend.eval.tasks.cultural_prompts import Bleu
from blend.eval.tasks.cultural_prompts.edits_side_by_side import IntArray
from blend.eval.tasks.cultural_prompts.group_statistics import (
    CulturalDistances,
    Variances,
    agreement,
    published_variances,
    unbiased_variances,
)
from blend.eval.tasks.cultural_prompts.nltk_tokens import nltk_tokens
from blend.eval.tasks.cultural_prompts.text_measures import (
    CodedTopic,
    Definition,
    code_topic,
    directed_bleu,
    pair_sums,
    undirected,
    wed,
)
from blend.loaders.files.atomic import atomic_file
from blend.loaders.servers.cluster import on_cluster

STOP_WORDS_NAME = "stop_words_en.txt"

WORDS = pl.Schema({"group": pl.Int64(), "word": pl.String(), "score": pl.Float64(), "rank": pl.Int64()})
"""Words of groups, each group's highest score first (rank 1), equal ones by where they come first."""

_MARKS = frozenset(["'", "''", "``", "`", "’"])
_SHORTEST = 2
_PLACES = 1 << 36
"""Tokens that the texts of a topic can have."""


@cache
def stop_words() -> frozenset[str]:
    """The packaged English stop words: the 179 that NLTK had when the paper was written."""
    text = files(__package__).joinpath(STOP_WORDS_NAME).read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


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
    counts = counts.group_by("group", "word").agg(pl.col("count").sum(), pl.col("first").min())
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


ODDITIES = ("empty", "refusal", "other-language", "unparted", "repeated")
"""What a text can be counted as."""

REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:very |so |truly )?sorry,? (?:but|as|i)\b"
    r"|i(?:['’]m| am) (?:unable|not able) to\b"
    r"|i (?:can(?:no|['’])t|can not|won['’]t|will not|am not going to|must decline to|decline to)"
    r" (?:help|assist|fulfil|fulfill|comply|provide|write|create|generate|answer|do|continue|engage|discuss)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b)",
    re.IGNORECASE,
)
"""What a refusal says at its beginning: an apology, that the writer cannot or will not, or that it is a
machine."""

REFUSAL_WITHIN = 200
"""Characters at the beginning of a text in which a refusal is looked for."""

_FEWEST_TOKENS = 20
"""Tokens from which on the share of stop words says something."""

_STOP_WORD_SHARE = 0.15
"""Share of tokens that are English stop words below which a text is not English: English prose has 0.3 to 0.5,
texts in other languages hardly any."""

_LATIN_END = "\u024f"

# Thai, Lao, Tibetan, Burmese, Khmer, kana and ideographs.
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Characters of scripts that write no blanks between words."""

_LONGEST_WORD = 6
"""Letters per token above which tokens are more than words, in scripts without blanks: a word has two of them
on average in Chinese, and four in Thai."""


def odd_texts(
    texts: Sequence[str], tokens: Sequence[Sequence[str]], groups: Sequence[int], *, is_english: bool = True
) -> pl.DataFrame:
    """What the texts of a topic are counted as.

    Args:
        texts: As they were written.
        tokens: Their tokens.
        groups: The number of each text's group.
        is_english: Whether they should be English; texts that should be in another language are not judged.

    Returns:
        One row per text with a column per name of `ODDITIES`; what is empty is nothing else.
    """
    seen: set[tuple[int, str]] = set()
    rows = []
    for text, parts, group in zip(texts, tokens, groups, strict=True):
        is_empty = not text.strip()
        found = {
            "empty": is_empty,
            "refusal": bool(REFUSAL.search(text, 0, REFUSAL_WITHIN)),
            "other-language": is_english and _is_other_language(text, parts),
            "unparted": _is_unparted(text, parts),
            "repeated": (group, text) in seen,
        }
        rows.append([is_empty == (name == "empty") and holds for name, holds in found.items()])
        seen.add((group, text))
    return pl.DataFrame(rows, schema=dict.fromkeys(ODDITIES, pl.Boolean), orient="row")


def _is_unparted(text: str, tokens: Sequence[str]) -> bool:
    """Whether tokens are more than words, in a script that writes no blanks between them."""
    if text.isascii():
        return False
    return sum(map(str.isalpha, "".join(_WITHOUT_BLANKS.findall(text)))) > _LONGEST_WORD * len(tokens)


def _is_other_language(text: str, tokens: Sequence[str]) -> bool:
    """Whether most letters are not Latin, or too few words are those that no English text goes without."""
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        if sum(character > _LATIN_END for character in letters) * 2 > len(letters):
            return True
    words = [token for token in tokens if token[:1].isalpha()]
    if len(words) < _FEWEST_TOKENS:
        return False
    known = stop_words()
    return sum(word in known for word in words) < _STOP_WORD_SHARE * len(words)


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
    """How often every group's texts hold each word, `topic_analysis.word_counts`."""
    texts: pl.DataFrame
    """The rows of the texts without these: ``tokens`` and a column per name of `topic_analysis.ODDITIES`."""


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
    return on_cluster(_analyse_topic, topics, settings, dask=dask, about="topic")


def _analyse_topic(topic: TopicTexts, settings: Settings) -> TopicFigures:
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
        _agreements_of(matrices, settings, *topic.key),
        {name: int(odd[name].sum()) for name in odd.columns},
        matrices,
        word_counts(coded, settings.stop_words, position=topic.number),
        topic.rows.drop("group_number", "text").with_columns(
            pl.Series("tokens", map(len, tokens), pl.Int64), *odd
        ),
    )


def _agreements_of(
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


FOLDER = "analysis"
SIMILARITY_NAME = "similarity.parquet"
AGREEMENT_NAME = "agreement.parquet"
WORDS_NAME = "words.parquet"
SAMPLES_NAME = "groups.parquet"

SIMILARITY = pl.Schema(
    {
        **dict.fromkeys(("split", "category", "topic", "group", "other"), pl.String()),
        **dict.fromkeys(("bleu", "bleu_of_group", "bleu_of_other", "wed"), pl.Float64()),
    }
)
"""One row per topic and pair of groups, the first being the earlier one of the data, a group with itself
among them; ``topic`` is null for the mean over a category. ``bleu_of_group`` measures the group's texts against
the other's, ``bleu_of_other`` the other's against the group's, ``bleu`` is both in one. ``wed`` is the
distance, 0 for texts that are alike."""

TOP_WORDS = pl.Schema({"split": pl.String(), "category": pl.String(), **WORDS, "group": pl.String()})
"""Words of every group, by score; ``category`` is null for all topics of a split, ``split`` for all of them."""

_ROWS = 1_000_000
"""Counts of words after which they are added to those of the topics before."""


class Totals:
    """The figures of all topics so far."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """What decides them."""
        self.topics: list[TopicFigures] = []
        """The topics, in order, without their matrices, words and texts."""
        # By split and category, the sums of matrices and of the topics that have a value in a cell.
        self._sums: dict[tuple[str, str], Matrices] = {}
        self._counts: dict[tuple[str, str], Matrices] = {}
        self._words: list[pl.DataFrame] = []

    def add(self, figures: TopicFigures) -> None:
        """Add a topic; topics come in the order of the data set."""
        nothing = pl.DataFrame()
        self.topics.append(figures._replace(matrices={}, words=nothing, texts=nothing))
        split, category, _ = figures.key
        sums = self._sums.setdefault((split, category), {})
        counts = self._counts.setdefault((split, category), {})
        for name, matrix in figures.matrices.items():
            known = ~np.isnan(matrix)
            sums[name] = sums.get(name, 0.0) + np.where(known, matrix, 0.0)
            counts[name] = counts.get(name, 0.0) + known.astype(np.float64)
        where = pl.lit(split).alias("split"), pl.lit(category).alias("category")
        self._words.append(figures.words.select(*where, "group", "word", "count", "first"))
        # Not at every topic: what is added up already is gone through again each time.
        if sum(part.height for part in self._words[1:]) > max(_ROWS, self._words[0].height):
            self._words = [self._counted_words()]

    def _counted_words(self) -> pl.DataFrame:
        by = ("split", "category", "group", "word")
        return pl.concat(self._words).group_by(by).agg(pl.col("count").sum(), pl.col("first").min())

    @property
    def splits(self) -> tuple[str, ...]:
        """The kinds of texts, in order."""
        return tuple(dict.fromkeys(topic.key.split for topic in self.topics))

    @property
    def means(self) -> dict[tuple[str, str], Matrices]:
        """By split and category, in order, the means over its topics; NaN where no topic has a value."""
        return {
            where: {name: divide(total, self._counts[where][name]) for name, total in sums.items()}
            for where, sums in self._sums.items()
        }

    def agreements(self) -> pl.DataFrame:
        """The rank correlations of topics and of categories; `AGREEMENTS`."""
        of_topics = [topic.agreements for topic in self.topics]
        of_means = [
            _agreements_of(matrices, self.settings, *where, None) for where, matrices in self.means.items()
        ]
        return pl.concat([pl.DataFrame(schema=AGREEMENTS), *of_topics, *of_means])

    def words(self, *, top: int) -> pl.DataFrame:
        """The words of every group, by category, by split and over all; `TOP_WORDS`."""
        counts = self._counted_words()
        scopes: list[tuple[str | None, str | None]] = [*self._sums]
        if len(self._sums) > 1 or not all(category for _, category in self._sums):
            scopes += [(split, None) for split in self.splits]
        if len(self.splits) > 1:
            scopes.append((None, None))
        names = dict(enumerate(self.settings.groups))
        tables = [pl.DataFrame(schema=TOP_WORDS)]
        for split, category in scopes:
            written = [
                topic.samples
                for topic in self.topics
                if split in (None, topic.key.split) and category in (None, topic.key.category)
            ]
            named = {"split": split, "category": category}
            here = [pl.col(name) == value for name, value in named.items() if value is not None]
            n_groups = int((np.sum(written, axis=0) > 0).sum())
            words = top_words(counts.filter(*here), n_groups, top=top).with_columns(
                *(pl.lit(value, pl.String).alias(name) for name, value in named.items()),
                pl.col("group").replace_strict(names, return_dtype=pl.String),
            )
            tables.append(words.select(TOP_WORDS.names()).cast(TOP_WORDS))
        return pl.concat(tables).unique(maintain_order=True)


def analysis_folder(directory: Path) -> Path:
    """Find the folder of a run's tables."""
    return directory / FOLDER


def write_tables(folder: Path, totals: Totals, agreements: pl.DataFrame, *, top: int) -> None:
    """Write the tables that are known when all topics are; ``agreements`` are their correlations."""
    write_frame(folder / AGREEMENT_NAME, agreements)
    write_frame(folder / WORDS_NAME, totals.words(top=top))
    write_frame(folder / SAMPLES_NAME, samples_of(totals))


def samples_of(totals: Totals) -> pl.DataFrame:
    """Samples and variance of every topic and group.

    Returns:
        ``split``, ``category``, ``topic``, ``group``, ``samples`` (count), ``within`` (variance by the
        definition) and ``within_unbiased``, null where it is not defined.
    """
    parts = [
        pl.DataFrame(
            {
                "group": totals.settings.groups,
                "samples": topic.samples,
                "within": topic.published.per_group,
                "within_unbiased": topic.unbiased.per_group,
            }
        ).select(*(pl.lit(part).alias(name) for name, part in topic.key._asdict().items()), pl.all())
        for topic in totals.topics
    ]
    return pl.concat(parts).with_columns(pl.col("within", "within_unbiased").fill_nan(None))


@contextmanager
def similarity_file(
    folder: Path, groups: tuple[str, ...]
) -> Iterator[Callable[[str, str, str | None, Matrices], None]]:
    """A function that adds a topic to `SIMILARITY`, by split, category and topic; null for the mean.

    It is written topic by topic, and appears whole when the block ends well.
    """
    rows, columns = np.triu_indices(len(groups))
    names = pl.DataFrame({"group": [groups[row] for row in rows], "other": [groups[col] for col in columns]})
    schema = pl.DataFrame(schema=SIMILARITY).to_arrow().schema
    folder.mkdir(exist_ok=True)
    with (
        atomic_file(folder / SIMILARITY_NAME) as beside,
        pq.ParquetWriter(beside, schema, compression="zstd") as writer,
    ):

        def add(split: str, category: str, topic: str | None, matrices: Matrices) -> None:
            table = names.select(
                pl.lit(split).alias("split"),
                pl.lit(category).alias("category"),
                pl.lit(topic, pl.String).alias("topic"),
                "group",
                "other",
                bleu=pl.Series(matrices["bleu"][rows, columns]),
                bleu_of_group=pl.Series(matrices["directed"][rows, columns]),
                bleu_of_other=pl.Series(matrices["directed"][columns, rows]),
                wed=pl.Series(-matrices["wed"][rows, columns]),
            ).with_columns(pl.col(pl.Float64).fill_nan(None))
            writer.write_table(table.to_arrow().cast(schema))

        yield add
