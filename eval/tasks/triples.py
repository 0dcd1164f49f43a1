"""Triples: what the tasks about dishes and their parts have in common, whatever they ask.

A dish is anything that has an origin and parts, of any ``…-triples`` configuration of a release.
"""

from collections.abc import Collection

import polars as pl

from blend.loaders.datasets.places import named
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.manifest import ReleaseManifest

TRIPLES, ALIGNED, TEMPLATES = "-triples", "-aligned", "-templates"
"""How the names of the configurations end: all items, those that every language has, and the prompts."""

ABOUT_A_DISH = pl.Schema(
    {
        "item_id": pl.String(),
        "qid": pl.String(),
        "relation": pl.String(),
        "with_country": pl.Boolean(),
        "label": pl.String(),
        "country": pl.String(),
        "image": pl.String(),
    }
)
"""What the gold of every item begins with: the dish, the template, the dish's name, the country of origin (in
English) and the address of an image."""


def probed_config(wanted: str | None, manifest: ReleaseManifest) -> str:
    """The configuration of this name, or the only one of triples.

    Raises:
        UnknownNameError: If there is no such configuration; lists those that can be probed.
        InputError: If none is named, and the release has none or several.
    """
    held = dict.fromkeys(table.config for table in manifest.tables)
    probed = [config for config in held if config.endswith((TRIPLES, ALIGNED))]
    triples = [config for config in probed if config.endswith(TRIPLES)]
    if wanted in probed or (wanted is None and len(triples) == 1):
        return wanted or triples[0]
    if probed and wanted is not None:
        raise UnknownNameError("configuration to probe", wanted, probed)
    what = f"several ({', '.join(triples)}); name one with --config" if triples else "none"
    fix = "" if triples else "; choose a release that was built from Wikidata (blend build --food)"
    raise InputError(
        f"{named(manifest)}: this task reads a configuration of triples, and the release has {what}{fix}"
    )


def check_languages(config: str, wanted: Collection[str], held: Collection[str]) -> None:
    """Check that a configuration has items in the languages.

    Raises:
        UnknownNameError: If not; lists those that it has.
    """
    for language in wanted:
        if language not in held:
            raise UnknownNameError(f"language of {config}", language, held)


def check_countries(triples: pl.DataFrame, countries: Collection[str] | None) -> pl.DataFrame:
    """The items from some countries, or all of them.

    Raises:
        UnknownNameError: If nothing comes from a country of that name; lists the names.
    """
    for country in countries or ():
        if country not in set(triples["country"]):
            raise UnknownNameError("country", country, set(triples["country"]))
    return triples if countries is None else triples.filter(pl.col("country").is_in(list(countries)))


def as_templates(triples: pl.DataFrame) -> pl.DataFrame:
    """A configuration of triples as what is asked about: a dish is the template, its language the locale.

    Args:
        triples: `schemas.food.TRIPLES`.

    Returns:
        The rows with ``locale``, ``template_id`` and ``country``, its English name, or its id without one.
    """
    return triples.with_columns(
        locale=pl.col("language"), template_id=pl.col("qid"), country=pl.coalesce("origin_en", "origin_qid")
    )


def as_items(prompts: pl.DataFrame) -> pl.DataFrame:
    """Filled templates with the columns of `tasks.items.ITEMS`, but for ``item_id``.

    Args:
        prompts: Rows of `as_templates` with ``relation`` and ``prompt``.
    """
    return prompts.with_columns(
        region=pl.col("country"),
        topic=pl.lit(""),
        prompt_id=pl.col("relation"),
        options=pl.lit(None, pl.List(pl.String)),
        image=pl.col("image").list.first(),
    )
