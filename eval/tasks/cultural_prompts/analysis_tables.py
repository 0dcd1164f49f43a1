"""What the topics of a run add up to, one after the other, and the tables of it that stand beside the scores.

Memory does not grow with texts: of a topic's matrices and words only the sums over topics are held.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from blend.eval.runs.run_directory import write_frame
from blend.eval.statistics.clusters import divide
from blend.eval.tasks.cultural_prompts.topic_analysis import (
    AGREEMENTS,
    WORDS,
    Matrices,
    Settings,
    TopicFigures,
    agreements_of,
    top_words,
)
from blend.loaders.files.atomic import atomic_file

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
            agreements_of(matrices, self.settings, *where, None) for where, matrices in self.means.items()
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
