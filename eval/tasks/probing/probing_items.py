"""Probing: does a model know what a dish is made of, and from whose kitchen? Candidates in the gap of a prompt.

The question of FmLAMA (Zhou et al. 2025), asked of any ``…-triples`` configuration of a release, about dishes
or anything else that has an origin and parts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import polars as pl

from blend.eval.items import ITEMS, TaskItems
from blend.eval.tasks.probing import ProbingOptions
from blend.eval.triples.triple_prompts import (
    ABOUT_A_DISH,
    ALIGNED,
    TEMPLATES,
    TRIPLES,
    asked_dishes,
    asked_languages,
    chosen_dishes,
    dishes_of,
    probed_config,
    template_texts,
)
from blend.loaders.wikidata.prompts import check_templates
from blend.schemas.errors import InputError, RowError, check_names, raise_all
from blend.schemas.manifest import ReleaseManifest
from blend.schemas.recipe import in_words
from blend.schemas.rows import language_of_split
from blend.schemas.texts import pluralise

GOLD = pl.Schema({**ABOUT_A_DISH, "gold": pl.List(pl.String()), "candidate_set": pl.String()})
"""One row per item, in the order of the items: the dish, with its name as it stands in the prompt, the names of
its parts, and the set of candidates."""

CANDIDATES = pl.Schema({"candidate_set": pl.String(), "candidate": pl.String()})
"""One row per set and candidate, by set, candidates in code-point order."""


def settle_probing(
    options: ProbingOptions, manifest: ReleaseManifest
) -> tuple[ProbingOptions, tuple[str, ...]]:
    """The options with what the release decides, and the configurations to read.

    Raises:
        UnknownNameError: If there is no such configuration or language; lists those there are.
        InputError: If the release has no triples, or several configurations of them and none is named.
    """
    config, held = probed_config(options, manifest, options.names)
    templates = _templates_of(config)
    known = [language_of_split(table.split) for table in manifest.tables if table.config == templates]
    if not known:
        raise InputError(
            f"{manifest.label}: the release has no configuration {templates}, so nothing can be asked about "
            f"{config}; build it with prompt templates of the domain (docs/wikidata.md)"
        )
    for language in options.languages or ():
        if language not in known:
            raise InputError(
                f"language {language!r}: {templates} has no templates in it; choose one of "
                f"{', '.join(sorted(set(known) & set(held)))}, or build the release with "
                "templates of your own (docs/wikidata.md)"
            )
    return replace(options, config=config), (config, templates)


def probing_items(tables: Mapping[str, pl.DataFrame], options: ProbingOptions) -> TaskItems:
    """The items of probing.

    Args:
        tables: The configuration (`rows.TRIPLES`) and its templates (`rows.TEMPLATES`).
        options: Which of them, in which languages, with which candidates; settled.

    Returns:
        One item per language, dish and template, ``en/Q396184/hasParts_1``, or with names of another language
        ``en~ko/…``: by language, dish and template as in the release. ``locale`` and ``language`` are the
        template's, ``region`` is the country, ``template_id`` the dish.

    Raises:
        RowErrors: If a template cannot be asked; names each.
        UnknownNameError: If no template or no country is called so; lists the names.
    """
    config = options.config or ""
    triples = dishes_of(tables[config])
    templates = _chosen_templates(tables[_templates_of(config)], options.prompts)
    known = set(templates["language"])
    languages, warnings = asked_languages(triples, options.languages, known, what="templates")
    sets, candidates = _candidates(triples, languages, options)
    chosen = chosen_dishes(triples, languages, options)
    asked = chosen.join(sets, on=["language", "country"], how="left", maintain_order="left")
    named, lost = _named(asked, triples, options)
    order = {language: number for number, language in enumerate(languages)}
    number = pl.col("language").replace_strict(order, return_dtype=pl.Int64)
    # Every dish with all templates of its language, both in the release's order.
    in_order = named.sort(number, maintain_order=True)
    rows, left_out = asked_dishes(in_order, templates, prefix=_prefix(options.names))
    # Two parts can have one label.
    labels = pl.col("parts").list.eval(pl.element().struct.field("label")).list.unique(maintain_order=True)
    items = rows.with_columns(gold=labels)
    return TaskItems(
        items.select(list(ITEMS)).cast(ITEMS),
        items.with_columns(label=pl.col("name")).select(list(GOLD)).cast(GOLD),
        template_texts(templates.filter(pl.col("language").is_in(languages))),
        "candidates",
        candidates=candidates,
        warnings=(*warnings, *lost, *left_out),
    )


def _templates_of(config: str) -> str:
    # Aligned triples are asked with the templates of the others.
    return config.removesuffix(TRIPLES).removesuffix(ALIGNED) + TEMPLATES


def _chosen_templates(templates: pl.DataFrame, names: Collection[str] | None) -> pl.DataFrame:
    """The templates of these names, each of which has the placeholders that it needs."""
    check_names("template", names, set(templates["relation"]))
    chosen = templates if names is None else templates.filter(pl.col("relation").is_in(list(names)))
    fix = "correct the template and build the release again"
    faults = check_templates(chosen).select("source", "detail").iter_rows()
    raise_all([RowError(detail, where=f"template {source}", fix=fix) for source, detail in faults])
    return chosen


def _candidates(
    triples: pl.DataFrame, languages: Sequence[str], options: ProbingOptions
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The set of each language and country, and the candidates of the sets."""
    asked = triples.filter(pl.col("language").is_in(languages))
    by_country = options.candidates == "country"
    name = pl.concat_str("language", "country", separator="/") if by_country else pl.col("language")
    labels = (
        asked.select(candidate_set=name, candidate=pl.col("parts"))
        .explode("candidate")
        .select("candidate_set", candidate=pl.col("candidate").struct.field("label"))
        .unique()
        .sort("candidate_set", "candidate")
    )
    sets = asked.select("language", "country").unique().with_columns(candidate_set=name)
    return sets, labels.cast(CANDIDATES)


def _named(
    asked: pl.DataFrame, triples: pl.DataFrame, options: ProbingOptions
) -> tuple[pl.DataFrame, list[str]]:
    """Every dish with the name that the prompt has, and what was lost for want of one."""
    names = options.names
    if names is None:
        return asked.with_columns(name=pl.col("label")), []
    others = triples.filter(pl.col("language") == names).select("qid", name="label")
    found = asked.join(others, on="qid", how="inner", maintain_order="left")
    lost = asked.height - found.height
    what = in_words(pluralise(lost, "dish"), options.words)
    return found, [f"{what} without a name in {names!r}, not asked"] if lost else []


def _prefix(names: str | None) -> pl.Expr:
    return pl.col("language") if names is None else pl.format("{}~{}", "language", pl.lit(names))
