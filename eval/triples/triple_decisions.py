"""Decisions about a dish and its parts: what those of both tasks begin with, and what runs are compared by."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

MIN_DISHES = 5
"""Dishes that a country needs to count in the mean over countries and in the gap between them: fewer say little
about a cuisine, and many draws of the bootstrap would have none of them."""

SHOWN = 5
"""Best candidates that are kept of every item, or as many as it has gold labels."""

OTHER_COUNTRIES = "other countries"
"""What countries of fewer than `MIN_DISHES` dishes are together."""

DISH_DECIDED = pl.Schema(
    {
        "item_id": pl.String(),
        "qid": pl.String(),
        "locale": pl.String(),
        "region": pl.String(),
        "template_id": pl.String(),
        "language": pl.String(),
        "prompt_id": pl.String(),
    }
)
"""What a decision about a dish and its parts begins with, however it was asked: the dish, the country
(``region``), the language and the template."""


def asked_parts(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """Say what of a configuration was asked, where it is not all of it."""
    values = {_KEYS[name]: options[name] for name in names if options[name] is not None}
    return {key: value if isinstance(value, str) else "+".join(value) for key, value in values.items()}


_KEYS = {"languages": "lang", "names": "names", "countries": "country", "prompts": "tmpl"}


def with_small_countries_together(decisions: pl.DataFrame, *, value: str) -> pl.DataFrame:
    """Return what runs are compared by: ``item_id``, ``region`` (country), ``template_id`` (dish), ``value``.

    Countries of a few dishes are one region: by themselves each would weigh as much as any other.
    """
    rows = decisions.select(
        "item_id", "region", "template_id", value=pl.col(value).cast(pl.Float64)
    ).drop_nulls("value")
    is_large = pl.col("template_id").n_unique().over("region") >= MIN_DISHES
    return rows.with_columns(region=pl.when(is_large).then("region").otherwise(pl.lit(OTHER_COUNTRIES)))
