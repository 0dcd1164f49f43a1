"""Tables beside the scores: likeness of two groups' texts, correlations by anchor, words, samples."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from blend.eval.runs.run_tables import write_frame
from blend.eval.statistics.clusters import FloatArray
from blend.eval.tasks.cultural_prompts.topic_analysis import MEASURES, Measure, TopicKey
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
    folder.mkdir(exist_ok=True)
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
    groups = list(totals.settings.groups)
    parts = [
        pl.DataFrame(
            {
                "group": groups,
                "samples": topic.samples,
                "within": topic.published.per_group,
                "within_unbiased": topic.unbiased.per_group,
            }
        ).select(
            pl.lit(topic.key.split).alias("split"),
            pl.lit(topic.key.category).alias("category"),
            pl.lit(topic.key.topic).alias("topic"),
            "group",
            "samples",
            pl.col("within", "within_unbiased").fill_nan(None),
        )
        for topic in totals.topics
    ]
    return pl.concat(parts)


class SimilarityFile:
    """The table of similarities, written topic by topic; it appears whole when the block ends well."""

    def __init__(self, directory: Path, groups: tuple[str, ...]) -> None:
        self._path = analysis_folder(directory) / SIMILARITY_NAME
        self._rows, self._columns = np.triu_indices(len(groups))
        self._names = pl.DataFrame(
            {
                "group": [groups[row] for row in self._rows],
                "other": [groups[column] for column in self._columns],
            }
        )
        self._schema = pl.DataFrame(schema=SIMILARITY).to_arrow().schema
        self._open = ExitStack()
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(exist_ok=True)
        with ExitStack() as opening:
            beside = opening.enter_context(atomic_file(self._path))
            writer = pq.ParquetWriter(beside, self._schema, compression="zstd")
            self._writer = opening.enter_context(writer)
            self._open = opening.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def add(self, key: TopicKey, likeness: Mapping[Measure, FloatArray], directed: FloatArray) -> None:
        """Add a topic; see `topic_analysis.TopicFigures` for its matrices."""
        self._add((key.split, key.category, key.topic), likeness, directed)

    def add_mean(self, split: str, category: str, totals: Totals) -> None:
        """Add the mean over the topics of a category."""
        means = {measure: totals.likeness(split, category, measure) for measure in MEASURES}
        self._add((split, category, None), means, totals.directed_bleu(split, category))

    def _add(
        self, where: tuple[str, str, str | None], likeness: Mapping[Measure, FloatArray], directed: FloatArray
    ) -> None:
        assert self._writer is not None
        values = {measure: matrix[self._rows, self._columns] for measure, matrix in likeness.items()}
        rows = self._names.with_columns(
            *(
                pl.lit(value, pl.String).alias(name)
                for name, value in zip(list(SIMILARITY)[:3], where, strict=True)
            ),
            bleu=pl.Series(values["bleu"]),
            bleu_of_group=pl.Series(directed[self._rows, self._columns]),
            bleu_of_other=pl.Series(directed[self._columns, self._rows]),
            wed=pl.Series(-values["wed"]),
        ).with_columns(pl.col("^bleu.*$", "wed").fill_nan(None))
        table: pa.Table = rows.select(list(SIMILARITY)).to_arrow().cast(self._schema)
        self._writer.write_table(table)
