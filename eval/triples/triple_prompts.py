"""Triples: what the tasks about dishes and their parts have in common, whatever they ask.

A dish is anything that has an origin and parts, of any ``…-triples`` configuration of a release.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from blend.eval.items import some_templates
from blend.eval.triples import TripleTaskOptions
from blend.schemas.errors import InputError, UnknownNameError, check_names
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.rows import FOOD_TRIPLES, PLACEHOLDERS, language_of_split
from blend.schemas.texts import pluralise

TRIPLES, ALIGNED, TEMPLATES = "-triples", "-aligned", "-templates"
"""How the names of the configurations end: all items, those that every language has, and the prompts."""

ABOUT_A_DISH = pl.Schema(
    {
        **dict.fromkeys(("item_id", "qid", "relation"), pl.String()),
        "with_country": pl.Boolean(),
        **dict.fromkeys(("label", "country", "image"), pl.String()),
    }
)
"""What the gold of every item begins with: the dish, the template, the dish's name, the country of origin (in
English) and the address of an image."""


def probed_config(
    options: TripleTaskOptions, manifest: ReleaseManifest, *names: str | None
) -> tuple[str, list[str]]:
    """The configuration that is named, or the only one of triples, and the languages that it has.

    Args:
        options: The options; the configuration has to have their languages.
        manifest: That of the release.
        names: Further languages that the configuration has to have; null for none.

    Raises:
        UnknownNameError: If there is no such configuration or language; lists those there are.
        InputError: If none is named, and the release has none or several.
    """
    wanted = options.config
    held = dict.fromkeys(table.config for table in manifest.tables)
    probed = [config for config in held if config.endswith((TRIPLES, ALIGNED))]
    triples = [config for config in probed if config.endswith(TRIPLES)]
    if wanted in probed or (wanted is None and len(triples) == 1):
        config = wanted or triples[0]
        languages = [language_of_split(table.split) for table in manifest.tables if table.config == config]
        check_names(f"language of {config}", (*(options.languages or ()), *filter(None, names)), languages)
        return config, languages
    if probed and wanted is not None:
        raise UnknownNameError("configuration to probe", wanted, probed)
    what = f"several ({', '.join(triples)}); name one in `config`" if triples else "none"
    fix = "" if triples else "; choose a release that was built from Wikidata (`blend build --food`)"
    raise InputError(
        f"{manifest.label}: this task reads a configuration of triples, and the release has {what}{fix}"
    )


def is_about_food(config: str) -> bool:
    """Whether a configuration of triples is of dishes, or of another domain."""
    return config.startswith(FOOD_TRIPLES.removesuffix("triples"))


def dishes_of(triples: pl.DataFrame) -> pl.DataFrame:
    """A configuration of triples as what is asked about: a dish is the template, its language the locale.

    Args:
        triples: `rows.TRIPLES`.

    Returns:
        The rows with ``locale``, ``template_id`` and ``country``, its English name, or its id without one.
    """
    return triples.with_columns(
        locale=pl.col("language"), template_id=pl.col("qid"), country=pl.coalesce("origin_en", "origin_qid")
    )


def asked_languages(
    dishes: pl.DataFrame, wanted: tuple[str, ...] | None, known: Collection[str], *, what: str
) -> tuple[tuple[str, ...], list[str]]:
    """The languages to ask in, those that have prompts where none are named, and a warning on the others.

    Args:
        dishes: `dishes_of` a configuration.
        wanted: Languages that are named.
        known: Those with prompts.
        what: What the others lack.
    """
    if wanted is not None:
        return wanted, []
    held = dishes["language"].unique(maintain_order=True).to_list()
    without = [language for language in held if language not in known]
    warning = f"{pluralise(len(without), 'language')} without {what}, not asked: {', '.join(without)}"
    return tuple(language for language in held if language in known), [warning] if without else []


def chosen_dishes(dishes: pl.DataFrame, languages: Collection[str], options: TripleTaskOptions) -> pl.DataFrame:
    """The dishes to ask about in some languages, of the countries and as many as the options say.

    Raises:
        UnknownNameError: If nothing comes from a country of that name; lists the names.
    """
    held = set(dishes["country"])
    check_names("country", options.countries, held)
    if options.countries is not None:
        dishes = dishes.filter(pl.col("country").is_in(options.countries))
    return some_templates(dishes, options).filter(pl.col("language").is_in(languages))


def asked_dishes(
    dishes: pl.DataFrame, templates: pl.DataFrame, *, prefix: str | pl.Expr = "language"
) -> tuple[pl.DataFrame, list[str]]:
    """Every dish with all templates of its language, with the dish's name and its country in place.

    The gap stays. What is filled in is never read as a placeholder itself. A published template takes the
    country's name as Wikidata has it, as its authors did; one of this package's, with its article. Where the
    country has no name in the language, a template that names it is left out.

    Args:
        dishes: Rows of `dishes_of` with ``name``, the name to ask with.
        templates: ``language``, ``relation``, ``template``, ``with_country`` and ``published``.
        prefix: What the ids of items begin with.

    Returns:
        A row of each dish and template of its language, with the columns of `items.ITEMS`; and what was left
        out.
    """
    pairs = dishes.join(templates, on="language", how="inner", maintain_order="left_right")
    country = pl.when(pl.col("published")).then("origin").otherwise("origin_prompt_name")
    placed = pairs.with_columns(place=country.str.strip_chars().replace("", None))
    without = placed.filter(pl.col("with_country") & pl.col("place").is_null())
    warnings: list[str] = []
    if without.height:
        first = "{language}/{qid}/{relation}".format(**without.row(0, named=True))
        warnings.append(
            f"{pluralise(without.height, 'prompt')} left out, since the country has no name in the language "
            f"(first: {first})"
        )
    kept = placed.filter(~pl.col("with_country") | pl.col("place").is_not_null())
    # A dish of several countries is asked about with each of them.
    is_of_several = pl.col("origin_qid").n_unique().over("language", "qid") > 1
    dish = pl.when(is_of_several).then(pl.format("{}-{}", "qid", "origin_qid")).otherwise("qid")
    rows = kept.with_columns(
        item_id=pl.concat_str(prefix, dish, "relation", separator="/"),
        prompt=pl.struct("template", "name", "place").map_elements(_filled, return_dtype=pl.String),
        region=pl.col("country"),
        topic=pl.lit(""),
        prompt_id=pl.col("relation"),
        options=pl.lit(None, pl.List(pl.String)),
        image=pl.col("image").list.first(),
    )
    return rows, warnings


def _filled(row: Mapping[str, Any]) -> str:
    subject, country = PLACEHOLDERS["subject"], PLACEHOLDERS["country"]
    before, _, after = row["template"].partition(subject)
    name, place = str(row["name"]), str(row["place"])
    return name.join(part.replace(country, place) for part in (before, after))


def template_texts(templates: pl.DataFrame) -> dict[str, str]:
    """Every template by its name, one line per language."""
    texts: dict[str, list[str]] = {}
    for row in templates.sort("relation", "language").iter_rows(named=True):
        texts.setdefault(row["relation"], []).append(f"{row['language']}: {row['template']}")
    return {relation: "\n".join(lines) for relation, lines in texts.items()}


MIN_DISHES = 5
"""Dishes that a country needs to count in the mean over countries and in the gap between them: fewer say little
about a cuisine, and many draws of the bootstrap would have none of them."""

SHOWN = 5
"""Best candidates that are kept of every item, or as many as it has gold labels; also predictions of an item
that people judge."""

_DECIDED = ("item_id", "qid", "locale", "region", "template_id", "language", "prompt_id")
DISH_DECIDED = pl.Schema(dict.fromkeys(_DECIDED, pl.String()))
"""What a decision about a dish and its parts begins with, however it was asked: the dish, the country
(``region``), the language and the template."""


def asked_parts(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """Say what of a configuration was asked, where it is not all of it."""
    values = {_KEYS[name]: options[name] for name in names if options[name] is not None}
    return {key: value if isinstance(value, str) else "+".join(value) for key, value in values.items()}


_KEYS = {"languages": "lang", "names": "names", "countries": "country", "prompts": "tmpl"}
