"""Items of free listing: a prompt that asks what a dish is made of, and the names that are accepted."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from blend.eval.items import ITEMS, TaskItems
from blend.eval.triples import TripleTaskOptions
from blend.eval.triples.triple_prompts import (
    ABOUT_A_DISH,
    asked_dishes,
    asked_languages,
    check_languages,
    chosen_dishes,
    dishes_of,
    probed_config,
    template_texts,
)
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.prompts import ENGLISH, domain_prompts, listing_prompts
from blend.schemas.rows import FOOD_TRIPLES, language_of_split

GOLD = pl.Schema({**ABOUT_A_DISH, "accepted": pl.List(pl.List(pl.String()))})
"""One row per item, in the order of the items: the dish, and for every part the names that are accepted: its
label in the language first, then as Wikidata writes it where the script was converted, and its labels in
variants of the language (``zh-hans``, ``zh-tw`` for ``zh``)."""

_RELATIONS = ("hasParts", "country")
"""Names of the prompts: without and with the country."""


def settle_listing(
    options: TripleTaskOptions, manifest: ReleaseManifest
) -> tuple[TripleTaskOptions, tuple[str, ...]]:
    """The options with what the release decides, and the configurations to read."""
    config = probed_config(options.config, manifest)
    held = [language_of_split(table.split) for table in manifest.tables if table.config == config]
    check_languages(config, options.languages or (), held)
    known = _languages_with_prompts(config)
    for language in options.languages or ():
        if language not in known:
            raise InputError(
                f"language {language!r}: there is no prompt that asks for a list about {config} in it; "
                f"choose one of {', '.join(sorted(set(known) & set(held)))}"
            )
    return replace(options, config=config), (config,)


def listing_items(tables: Mapping[str, pl.DataFrame], options: TripleTaskOptions) -> TaskItems:
    """The items of free listing.

    Args:
        tables: The configuration (`triple_rows.TRIPLES`).
        options: Which of it, in which languages; settled.

    Returns:
        One item per language, dish and prompt, ``en/Q396184/hasParts``, as for probing.

    Raises:
        UnknownNameError: If there is no such prompt or country; lists those there are.
    """
    config = options.config or ""
    triples = dishes_of(tables[config]).with_columns(name=pl.col("label"))
    known = _languages_with_prompts(config, options.words)
    languages, warnings = asked_languages(triples, options.languages, known, what="a prompt")
    prompts = _prompts(known, languages, options.prompts)
    dishes = chosen_dishes(triples, languages, options).with_columns(accepted=_accepted(triples))
    items, left_out = asked_dishes(dishes, prompts)
    return TaskItems(
        items.select(list(ITEMS)).cast(ITEMS),
        items.select(list(GOLD)).cast(GOLD),
        template_texts(prompts),
        "text",
        warnings=(*warnings, *left_out),
    )


def _languages_with_prompts(
    config: str, words: Mapping[str, str] | None = None
) -> dict[str, Mapping[str, str]]:
    """The prompts by language; of other domains than food there are English ones only, in their words."""
    food = FOOD_TRIPLES.removesuffix("-triples")
    if config.startswith(f"{food}-"):
        return {language: known.prompts for language, known in listing_prompts().items()}
    return {ENGLISH: domain_prompts(words["parts"] if words else "parts")}


def _prompts(
    known: Mapping[str, Mapping[str, str]], languages: tuple[str, ...], names: tuple[str, ...] | None
) -> pl.DataFrame:
    for name in names or ():
        if name not in _RELATIONS:
            raise UnknownNameError("prompt", name, _RELATIONS)
    asked = [(language, relation) for language in languages for relation in names or _RELATIONS]
    rows = [(*one, known[one[0]][one[1]]) for one in asked]
    prompts = pl.DataFrame(rows, ["language", "relation", "template"], orient="row")
    return prompts.with_columns(with_country=pl.col("relation") == "country", published=False)


def _accepted(triples: pl.DataFrame) -> pl.Expr:
    """The names that are accepted for every part of every dish."""
    variants: dict[tuple[str, str], dict[str, None]] = {}
    for language, parts, original in triples.select("language", "parts", "original_parts").iter_rows():
        primary = language.partition("-")[0]
        for part in (*parts, *original):
            variants.setdefault((primary, part["qid"]), {})[part["label"]] = None

    def names(row: Mapping[str, object]) -> list[list[str]]:
        primary = str(row["language"]).partition("-")[0]
        parts = row["parts"]
        assert isinstance(parts, list)
        return [
            list(dict.fromkeys([part["label"], *variants.get((primary, part["qid"]), ())])) for part in parts
        ]

    return pl.struct("language", "parts").map_elements(names, return_dtype=pl.List(pl.List(pl.String)))
