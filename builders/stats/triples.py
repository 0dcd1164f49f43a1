"""Statistics of the rows made from Wikidata: how many, where from, made of what."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from blend.builders.triples.rows import NUMBER
from blend.schemas.errors import InputError

_COMMON = 10
"""Most common parts shown per language."""

_COUNTS = ("dishes", "triples", "parts", "part_labels", "one_part", "origins", "materials", "images")


@dataclass(frozen=True, slots=True)
class TripleStats:
    """The figures of a dataset, one frame each; all are counts."""

    languages: pl.DataFrame
    """One row per language: ``dishes``, ``triples`` (pairs of dish and part), ``parts`` (different items),
    ``part_labels`` (different labels: the candidates of probing), ``one_part`` (dishes with a single part),
    ``origins``, ``materials`` and ``images`` (dishes with any). Most dishes first."""
    origins: pl.DataFrame
    """One row per language and origin: ``origin_qid``, ``origin_en``, ``dishes``. By language, most dishes
    first."""
    common_parts: pl.DataFrame
    """One row per language and rank: ``rank`` (from 1), ``qid``, ``label``, ``dishes``. Equal counts are
    ordered by item number."""


def build_triple_stats(triples: Iterable[pl.DataFrame], *, common: int = _COMMON) -> TripleStats:
    """The statistics of rows, one language after the other.

    Args:
        triples: `triple_rows.TRIPLES`, one frame per language.
        common: How many of the most common parts to list per language.

    Raises:
        InputError: If there are no rows.

    References:
        Zhou et al. (2025), Table 2 (dishes per cultural group) and Table 4 (most common ingredients).
    """
    frames = [frame for frame in triples if len(frame)]
    if not frames:
        raise InputError("there are no rows to count; build a language that has some")
    pairs = [_pairs(frame) for frame in frames]
    return TripleStats(
        languages=pl.concat(_counts(frame, made) for frame, made in zip(frames, pairs, strict=True)).sort(
            "dishes", "language", descending=[True, False]
        ),
        origins=pl.concat(_origins(frame) for frame in frames),
        common_parts=pl.concat(_common(made, common) for made in pairs),
    )


def _pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """``language``, ``dish``, ``qid`` and ``label``: one row per dish and part."""
    exploded = frame.select("language", dish="qid", part="parts").explode("part")
    return exploded.select("language", "dish", pl.col("part").struct.unnest())


def _counts(frame: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    return frame.select(
        language=pl.col("language").first(),
        dishes=pl.col("qid").n_unique(),
        triples=pl.lit(len(pairs)),
        parts=pl.lit(pairs["qid"].n_unique()),
        part_labels=pl.lit(pairs["label"].n_unique()),
        one_part=(pl.col("parts").list.len() == 1).sum(),
        origins=pl.col("origin_qid").n_unique(),
        materials=(pl.col("materials").list.len() > 0).sum(),
        images=(pl.col("image").list.len() > 0).sum(),
    ).cast(dict.fromkeys(_COUNTS, pl.Int64))


def _origins(frame: pl.DataFrame) -> pl.DataFrame:
    number = pl.col("origin_qid").str.slice(1).cast(pl.Int64)
    return (
        frame.group_by("language", "origin_qid", "origin_en")
        .agg(dishes=pl.col("qid").n_unique().cast(pl.Int64))
        .sort("language", "dishes", number, descending=[False, True, False])
    )


def _common(pairs: pl.DataFrame, common: int) -> pl.DataFrame:
    return (
        pairs.group_by("language", "qid", "label")
        .agg(dishes=pl.col("dish").n_unique().cast(pl.Int64))
        .sort("dishes", NUMBER, descending=[True, False])
        .head(common)
        .with_row_index("rank", offset=1)
        .select("language", pl.col("rank").cast(pl.Int64), "qid", "label", "dishes")
    )
