"""Repeated columns: whether letter, choices, prompt and countries say of a row what its other columns say.

They are the longest columns of multiple-choice questions. Of nearly all rows it can be told at once that they
are what a build writes; the others are looked at one by one, by the checks that know what can be wrong.
"""

from collections.abc import Mapping

import polars as pl

from blend.builders.mcq.published_mcqs import json_by_letter, published_prompt
from blend.schemas.language.locales import Registry
from blend.schemas.rows.published_rows import LETTERS

REPEATED = frozenset({"choices", "prompt", "choice_countries"})
"""The longest of them; nothing stands in them but what a build puts around the texts of other columns."""


def texts_agree(rows: pl.DataFrame) -> pl.Series:
    """Whether letter, choices and prompt of every row are what a build writes; all is well with such a row.

    The same can be said in other words, in JSON for one: other rows are doubtful.
    """
    texts = rows["options"].explode().drop_nulls().unique()
    letter = pl.col("answer").replace_strict(dict(enumerate(LETTERS)), default=None, return_dtype=pl.String)
    agree = (
        (pl.col("answer_idx") == letter)
        & (pl.col("choices") == json_by_letter("options", {text: text for text in texts}))
        & (pl.col("prompt") == published_prompt())
    )
    return rows.select(agree.fill_null(value=False)).to_series()


def regions_agree(rows: pl.DataFrame, locales: Registry) -> pl.Series:
    """Whether country, locale, regions and the JSON that a build writes of their names agree.

    Rows of which that cannot be said are doubtful: those of a region with several names, or with a name in
    letters that need a look of their own, too.
    """
    only = {region: next(iter(of)) for region, of in upstream_names(locales).items() if len(of) == 1}
    names = {region: name for region, name in only.items() if name.isascii()}
    regions = {locale.tag: locale.region for locale in locales}
    correct = pl.col("option_regions").list.get(pl.col("answer"), null_on_oob=True)
    own = pl.col("locale").replace_strict(regions, default=None, return_dtype=pl.String)
    agree = (
        (pl.col("option_regions").list.len() == len(LETTERS))
        & pl.col("answer").is_between(0, len(LETTERS) - 1)
        & (pl.col("choice_countries") == json_by_letter("option_regions", names))
        & (correct == own)
        & (pl.col("country") == own.replace_strict(names, default=None, return_dtype=pl.String))
    )
    return rows.select(agree.fill_null(value=False)).to_series()


def upstream_names(locales: Registry) -> Mapping[str, set[str]]:
    """Region code to the names that upstream files give it."""
    names: dict[str, set[str]] = {}
    for locale in locales:
        names.setdefault(locale.region, set()).add(locale.upstream)
    return names
