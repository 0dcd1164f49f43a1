"""Chinese script: labels in traditional, simplified or mixed characters as simplified ones."""

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from blend.schemas.errors import MissingExtraError

if TYPE_CHECKING:
    from opencc import OpenCC

VARIANTS = ("zh", "zh-hans", "zh-cn", "zh-sg", "zh-my", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""The tags under which Wikidata keeps Chinese labels, in the order in which they stand in for ``zh``."""

CONVERSION = "t2s"
"""OpenCC's configuration: characters by phrase. Those that exchange regional words too would rename dishes."""


def simplified(text: str) -> str:
    """The text in simplified characters; text that is so already stays as it is.

    Raises:
        MissingExtraError: If OpenCC is not installed.
    """
    converted: str = _converter().convert(text)
    return converted


def simplified_texts(texts: pl.Series) -> pl.Series:
    """The same for a column; each different text is converted once."""
    distinct = texts.drop_nulls().unique().to_list()
    return texts.replace(distinct, [simplified(text) for text in distinct]) if distinct else texts


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
    return OpenCC(CONVERSION)
