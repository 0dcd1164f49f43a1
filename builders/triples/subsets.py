"""Subsets of the rows made from Wikidata: by cultural group, and with dish and prompt in two languages."""

from collections.abc import Mapping

import polars as pl

from blend.builders.triples.rows import NUMBER
from blend.schemas.errors import UnknownNameError
from blend.schemas.recipe import Domain


def with_groups(triples: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The rows with ``group``: the cultural group that their origin belongs to, null for other origins.

    References:
        Zhou et al. (2025), Table 2: the 14 groups of the domain ``dish``.
    """
    groups = {origin: group.name for group in domain.groups for origin in group.origins}
    group = pl.col("origin_qid").replace_strict(groups, default=None, return_dtype=pl.String)
    return triples.with_columns(group=group)


def in_groups(triples: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The rows of the domain's cultural groups, with ``group``."""
    return with_groups(triples, domain).filter(pl.col("group").is_not_null())


def by_continent(triples: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``continent``, once for each continent of their origin.

    The published version keeps the last continent that it reads. A country on two, for example Turkey, is in
    two groups here. ``continent`` is null where Wikidata names none.
    """
    return (
        triples.with_columns(continent="continents")
        .explode("continent", empty_as_null=True)
        .sort("continent", NUMBER)
    )


def code_switched(triples: Mapping[str, pl.DataFrame], *, subject: str, prompt: str) -> pl.DataFrame:
    """Dishes named in one language, to be asked about in another: ``subject="en", prompt="zh"`` is ``EN_zh``.

    Args:
        triples: Rows by language, for example `TripleBuild.aligned`.
        subject: Language of the dish's name.
        prompt: Language of the prompt, the country and the ingredients; may be the same.

    Returns:
        One row per dish that has a row in both: ``qid``, ``setting`` (``EN_zh``), ``label`` in the subject's
        language, and ``language``, ``origin_qid``, ``origin`` and ``parts`` as in the prompt's rows; ordered by
        item number.

    Raises:
        UnknownNameError: If there are no rows in one of the languages.
    """
    for language in (subject, prompt):
        if language not in triples:
            raise UnknownNameError("language", language, triples)
    asked = triples[prompt].select("qid", "language", "origin_qid", "origin", "parts")
    names = triples[subject].select("qid", "label").unique("qid", keep="first", maintain_order=True)
    return (
        asked.join(names, on="qid", how="inner")
        .with_columns(setting=pl.lit(f"{subject.upper()}_{prompt}"))
        .select("qid", "setting", "label", "language", "origin_qid", "origin", "parts")
        .sort(NUMBER, "origin_qid")
    )
