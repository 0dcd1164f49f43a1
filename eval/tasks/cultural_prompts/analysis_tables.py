"""Tables beside the scores: likeness of two groups' texts, correlations by anchor, words, samples."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from blend.eval.runs.run_directory import write_frame
from blend.eval.tasks.cultural_prompts.topic_analysis import Matrices
from blend.eval.tasks.cultural_prompts.topic_totals import Totals
from blend.loaders.files.atomic import atomic_file

FOLDER = "analysis"
SIMILARITY_NAME = "similarity.parquet"
AGREEMENT_NAME = "agreement.parquet"
DISTANCES_NAME = "distances.parquet"
WORDS_NAME = "words.parquet"
SAMPLES_NAME = "groups.parquet"

SIMILARITY = pl.Schema(
    {
        "split": pl.String(),
        "category": pl.String(),
        "topic": pl.String(),
        "group": pl.String(),
        "other": pl.String(),
        "bleu": pl.Float64(),
        "bleu_of_group": pl.Float64(),
        "bleu_of_other": pl.Float64(),
        "wed": pl.Float64(),
    }
)
"""One row per topic and pair of groups, the first being the earlier one of the data, a group with itself
among them; ``topic`` is null for the mean over a category. ``bleu_of_group`` measures the group's texts against
the other's, ``bleu_of_other`` the other's against the group's, ``bleu`` is both in one. ``wed`` is the
distance, 0 for texts that are alike."""

DISTANCES = pl.Schema(
    {"survey": pl.String(), "group": pl.String(), "other": pl.String(), "distance": pl.Float64()}
)
"""One row per survey and ordered pair of the groups that it knows, that is its matrix of distances;
``distance`` is null where two groups have no dimension in common."""


def analysis_folder(directory: Path) -> Path:
    """Find the folder of a run's tables."""
    return directory / FOLDER


def write_tables(folder: Path, totals: Totals, agreements: pl.DataFrame, *, top: int) -> None:
    """Write the tables that are known when all topics are; ``agreements`` are their correlations."""
    write_frame(folder / AGREEMENT_NAME, agreements)
    write_frame(folder / DISTANCES_NAME, distances_of(totals))
    write_frame(folder / WORDS_NAME, totals.words(top=top))
    write_frame(folder / SAMPLES_NAME, samples_of(totals))


def distances_of(totals: Totals) -> pl.DataFrame:
    """The distances that the groups have in each survey, as `DISTANCES`."""
    parts = [
        pl.DataFrame(
            {
                "survey": [culture.survey] * culture.matrix.size,
                "group": [group for group in culture.groups for _ in culture.groups],
                "other": list(culture.groups) * len(culture.groups),
                "distance": culture.matrix.ravel(),
            },
            schema=DISTANCES,
        )
        for culture in totals.settings.cultures
    ]
    return pl.concat([pl.DataFrame(schema=DISTANCES), *parts]).with_columns(pl.col("distance").fill_nan(None))


def samples_of(totals: Totals) -> pl.DataFrame:
    """Samples and variance of every topic and group.

    Returns:
        ``split``, ``category``, ``topic``, ``group``, ``samples`` (count), ``within`` (variance by the
        definition) and ``within_unbiased``, null where it is not defined.
    """
    parts = [
        pl.select(
            split=pl.lit(topic.key.split),
            category=pl.lit(topic.key.category),
            topic=pl.lit(topic.key.topic),
            group=pl.Series(totals.settings.groups, dtype=pl.String),
            samples=pl.Series(topic.samples),
            within=pl.Series(topic.published.per_group),
            within_unbiased=pl.Series(topic.unbiased.per_group),
        )
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
