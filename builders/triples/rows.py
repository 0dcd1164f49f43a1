"""Rows of one language: items with the labels of their origin, parts and materials, as published.

Last stands how Chinese labels are converted.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from blend.schemas.errors import MissingExtraError
from blend.schemas.languages import in_a_sentence
from blend.schemas.recipe import TripleOptions
from blend.schemas.rows import TRIPLES

NUMBER = pl.col("qid").str.slice(1).cast(pl.Int64)
"""Number of an item, by which rows and lists are ordered."""


@dataclass(frozen=True, slots=True)
class Ingredients:
    """Parts and images of items, one row each; ``item`` and ``value``."""

    parts: pl.DataFrame
    materials: pl.DataFrame
    images: pl.DataFrame


def language_rows(
    language: str,
    dishes: pl.DataFrame,
    ingredients: Ingredients,
    names: pl.DataFrame,
    descriptions: pl.DataFrame,
    options: TripleOptions,
) -> pl.DataFrame:
    """The rows of one language.

    Args:
        language: Tag of the language.
        dishes: One row per dish and origin, of those that have a row in the language: ``item``, ``origin``,
            ``stated``, ``via``, ``historical``, ``origin_en``, ``continents``.
        ingredients: Parts, materials and images of all dishes.
        names: ``item``, ``label`` in the language.
        descriptions: ``item``, ``description`` in the language.
        options: ``images`` and ``chinese``.

    Returns:
        `triple_rows.TRIPLES`, ordered by item number and origin.
    """
    converted = language == "zh" and options.chinese != "keep"
    shown = names.with_columns(original="label")
    if converted:
        shown = shown.with_columns(label=_simplified_texts(shown["label"]))
    here = dishes.select("item").unique()
    parts = _entities(ingredients.parts.join(here, on="item", how="semi"), shown)
    materials = _entities(ingredients.materials.join(here, on="item", how="semi"), shown)
    own = shown.select("item", "label", "original")
    origin = shown.select(origin="item", origin_label="label", original_origin="original")
    rows = (
        dishes.join(own, on="item")
        .join(origin, on="origin")
        .join(descriptions, on="item", how="left")
        .join(
            parts.select("item", parts="labelled", original_parts="changed", unlabelled_parts="unlabelled"),
            on="item",
        )
        .join(materials.select("item", materials="labelled"), on="item", how="left")
        .join(_images(ingredients.images), on="item", how="left")
    )
    if options.images == "with-material":
        rows = _images_beside_materials(rows)
    return _published(rows, language)


def _entities(values: pl.DataFrame, shown: pl.DataFrame) -> pl.DataFrame:
    """``item``, ``labelled`` and ``changed`` (``qid`` and ``label`` each), ``unlabelled`` (``qid`` each)."""
    rows = (
        values.select("item", qid="value")
        .unique()
        .join(shown.rename({"item": "qid"}), on="qid", how="left")
        .sort("item", NUMBER)
    )
    named = pl.col("label").is_not_null()
    return rows.group_by("item", maintain_order=True).agg(
        labelled=pl.struct("qid", "label").filter(named),
        changed=pl.struct("qid", label="original").filter(named & (pl.col("label") != pl.col("original"))),
        unlabelled=pl.col("qid").filter(~named),
    )


def _images(images: pl.DataFrame) -> pl.DataFrame:
    return images.group_by("item").agg(image=pl.col("value").unique().sort())


def _images_beside_materials(rows: pl.DataFrame) -> pl.DataFrame:
    """The published defect: an image and a material with a label, or neither."""
    both = (pl.col("materials").list.len() > 0) & (pl.col("image").list.len() > 0)
    return rows.with_columns(
        pl.when(both.fill_null(False)).then(name).alias(name) for name in ("materials", "image")
    )


def _published(rows: pl.DataFrame, language: str) -> pl.DataFrame:
    none = {name: pl.lit([], TRIPLES[name]) for name in ("materials", "image")}
    in_sentences = {name: in_a_sentence(name, language) for name in rows["origin_label"].unique()}
    return (
        rows.with_columns(pl.col(name).fill_null(value) for name, value in none.items())
        .select(
            "label",
            "description",
            "origin_en",
            "continents",
            "parts",
            "materials",
            "image",
            "original_parts",
            "unlabelled_parts",
            qid="item",
            language=pl.lit(language),
            origin_qid="origin",
            origin="origin_label",
            origin_prompt_name=pl.col("origin_label").replace(in_sentences),
            origin_via="via",
            origin_is_historical="historical",
            stated_origin_qid="stated",
            original_label=_before("original", "label"),
            original_origin=_before("original_origin", "origin_label"),
        )
        .select(TRIPLES.names())
        .cast(TRIPLES)
        .sort(NUMBER, "origin_qid")
    )


def _before(original: str, label: str) -> pl.Expr:
    """The original text where the label is another."""
    return pl.when(pl.col(original) != pl.col(label)).then(original)


if TYPE_CHECKING:
    from opencc import OpenCC

VARIANTS = ("zh", "zh-hans", "zh-cn", "zh-sg", "zh-my", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""The tags under which Wikidata keeps Chinese labels, in the order in which they stand in for ``zh``."""

_CONVERSION = "t2s"
"""OpenCC's configuration: characters by phrase. Those that exchange regional words too would rename dishes."""


def _simplified(text: str) -> str:
    """The text in simplified characters; text that is so already stays as it is.

    Raises:
        MissingExtraError: If OpenCC is not installed.
    """
    converted: str = _converter().convert(text)
    return converted


def _simplified_texts(texts: pl.Series) -> pl.Series:
    """The same for a column; each different text is converted once."""
    distinct = texts.drop_nulls().unique().to_list()
    return texts.replace(distinct, [_simplified(text) for text in distinct]) if distinct else texts


def merged_variants(texts: pl.DataFrame) -> pl.DataFrame:
    """The texts with those of every Chinese variant under ``zh`` where ``zh`` itself is missing.

    Args:
        texts: ``item``, ``language`` and one more column.

    Returns:
        The same columns without the variants' own tags, ordered by item and language.
    """
    rank = {tag: rank for rank, tag in enumerate(VARIANTS)}
    chinese = pl.col("language").is_in(list(VARIANTS))
    merged = (
        texts.filter(chinese)
        .with_columns(rank=pl.col("language").replace_strict(rank, return_dtype=pl.Int64))
        .sort("item", "rank")
        .unique("item", keep="first", maintain_order=True)
        .drop("rank")
        .with_columns(language=pl.lit("zh"))
    )
    return pl.concat([texts.filter(~chinese), merged]).sort("item", "language")


@lru_cache(maxsize=1)
def _converter() -> "OpenCC":
    try:
        from opencc import OpenCC
    except ImportError:
        raise MissingExtraError("converting Chinese script", extra="wikidata") from None
    return OpenCC(_CONVERSION)
