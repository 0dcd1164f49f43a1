"""Rows of one language: items with the labels of their origin, parts and materials, as published.

Behind them stand how Chinese labels are converted, and which country an item comes from, by its own statement
or by what it belongs to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from blend.loaders.wikidata.facts import INSTANCE_OF
from blend.schemas.errors import MissingExtraError
from blend.schemas.languages import in_a_sentence
from blend.schemas.recipe import Domain, TripleOptions
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
        `rows.TRIPLES`, ordered by item number and origin.
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


@dataclass(frozen=True, slots=True)
class _Origins:
    """The origins of a domain's items."""

    kept: pl.DataFrame
    """``item``, ``origin``, ``stated`` (as Wikidata has it), ``via`` (properties, sorted), ``historical``; one
    row per item and origin, ordered by both."""
    dropped: pl.DataFrame
    """``item``, ``reason``, ``detail``: the items without an origin, ordered by item."""


def find_origins(
    items: pl.DataFrame,
    claims: pl.DataFrame,
    english: pl.DataFrame,
    *,
    domain: Domain,
    options: TripleOptions,
) -> _Origins:
    """The countries that items come from.

    An item's own statement decides: one country is its origin, two or an unknown one exclude the item. Without
    such a statement the countries of its routes (cuisine, meal) are its origins. Only countries count.

    Args:
        items: ``item``.
        claims: `loaders.wikidata.facts.Facts.claims`.
        english: ``item``, ``label``: English labels.
        domain: Names the properties, and the classes of countries.
        options: ``historical``, ``excluded_origins``, ``named_in_english``, ``single_origin``.

    References:
        Zhou et al. (2025), section 3.2, https://arxiv.org/abs/2404.06833, and the query published with it.
    """
    countries = _countries(claims, english, domain, options)
    successors = _successors(claims, domain) if options.historical == "map" else {}
    stated = _mapped(_stated(items, claims, domain), successors)
    routed = _mapped(_routed(items, claims, domain), successors)
    n_stated = stated.group_by("item").agg(n_stated=pl.col("origin").n_unique(), sole=pl.col("origin").first())
    candidates = (
        pl.concat([stated, routed])
        .join(n_stated, on="item", how="left")
        .filter(
            # Routes to the stated country stay, for `via`. An unknown one is null, equals nothing, and leaves
            # no candidate.
            pl.col("n_stated").is_null() | ((pl.col("n_stated") == 1) & (pl.col("origin") == pl.col("sole")))
        )
    )
    kept = (
        candidates.join(countries.filter(pl.col("refusal").is_null()), on="origin", how="inner")
        .group_by("item", "origin")
        .agg(
            # Several historical countries can have one successor; then the first by text.
            stated=pl.col("stated").min(),
            via=pl.col("property").unique().sort(),
            historical=pl.col("historical").first(),
        )
        .sort("item", "origin")
    )
    several = pl.len().over("item") > 1 if options.single_origin == "item" else pl.lit(False)
    marked = kept.with_columns(several=several)
    single = marked.filter(~pl.col("several")).drop("several")
    return _Origins(single, _dropped(items, marked, stated, routed, countries))


def _countries(
    claims: pl.DataFrame, english: pl.DataFrame, domain: Domain, options: TripleOptions
) -> pl.DataFrame:
    """``origin``, ``historical``, ``refusal``: what is called a country, and why it does not count, or null."""
    classes = claims.filter(pl.col("property") == INSTANCE_OF).group_by("item").agg("value")
    any_of = pl.col("value").list.set_intersection
    known = classes.select(
        origin="item",
        country=any_of(list(domain.country_classes)).list.len() > 0,
        historical=any_of(list(domain.historical_classes)).list.len() > 0,
    ).filter(pl.col("country") | pl.col("historical"))
    unnamed = ~pl.col("origin").is_in(english["item"].implode())
    return known.select(
        "origin",
        "historical",
        refusal=pl.when(pl.col("origin").is_in(list(options.excluded_origins)))
        .then(pl.lit("excluded-origin"))
        .when(pl.col("historical") & (options.historical == "exclude"))
        .then(pl.lit("historical-origin"))
        .when(~pl.col("country"))
        .then(pl.lit("origin-is-no-country"))
        .when(unnamed & options.named_in_english)
        .then(pl.lit("origin-without-english-name")),
    )


def _successors(claims: pl.DataFrame, domain: Domain) -> dict[str, str]:
    """Historical country to the one country that followed it, over as many steps as it takes."""
    historical = set(
        claims.filter(
            pl.col("property") == INSTANCE_OF, pl.col("value").is_in(list(domain.historical_classes))
        )["item"]
    )
    followed = (
        claims.filter(pl.col("property") == domain.successor_property)
        .group_by("item")
        .agg("value")
        .filter(pl.col("value").list.len() == 1, pl.col("item").is_in(list(historical)))
    )
    step = {item: values[0] for item, values in followed.iter_rows() if values[0] is not None}
    # A chain that ends at a historical country, or goes round among such, leads to none of today.
    return {item: end for item, end in _ends(step).items() if end not in historical}


def _ends(step: Mapping[str, str]) -> dict[str, str]:
    """Follow every chain of steps to its end; on a circle, somewhere on it. Every step is taken once."""
    ends: dict[str, str] = {}
    for start in step:
        path: dict[str, None] = {}
        here = start
        while here in step and here not in ends and here not in path:
            path[here] = None
            here = step[here]
        ends |= dict.fromkeys(path, ends.get(here, here))
    return ends


def _stated(items: pl.DataFrame, claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """``item``, ``property``, ``stated`` (null if unknown)."""
    here = claims.filter(pl.col("property").is_in(list(domain.origin_properties)))
    return here.join(items, on="item", how="semi").select("item", "property", stated="value")


def _routed(items: pl.DataFrame, claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """``item``, ``property`` (the first step of the route), ``stated``."""
    routes = claims.filter(
        pl.col("property").is_in(list(domain.route_properties)), pl.col("value").is_not_null()
    ).join(items, on="item", how="semi")
    ends = claims.filter(
        pl.col("property").is_in(list(domain.route_origin_properties)), pl.col("value").is_not_null()
    ).select(through="item", stated="value")
    return routes.join(ends, left_on="value", right_on="through", how="inner").select(
        "item", "property", "stated"
    )


def _mapped(rows: pl.DataFrame, successors: dict[str, str]) -> pl.DataFrame:
    """The rows with ``origin``: the stated one, or its successor."""
    # Not `replace_strict`: what has no successor stays as it is.
    origin = pl.col("stated").replace(successors) if successors else pl.col("stated")
    return rows.with_columns(origin=origin)


def _dropped(
    items: pl.DataFrame,
    marked: pl.DataFrame,
    stated: pl.DataFrame,
    routed: pl.DataFrame,
    countries: pl.DataFrame,
) -> pl.DataFrame:
    """``item``, ``reason``, ``detail`` for every item that has no origin, or several."""
    listed = pl.col("origin").fill_null("unknown").unique().sort()
    own = stated.group_by("item").agg(own=listed)
    others = routed.group_by("item").agg(others=listed)
    final = marked.group_by("item").agg(final=pl.col("origin").sort(), several=pl.col("several").any())
    refusal = countries.select("origin", "refusal")
    joined = (
        items.select("item")
        .join(own, on="item", how="left")
        .join(others, on="item", how="left")
        .join(final, on="item", how="left")
        .filter(pl.col("final").is_null() | pl.col("several"))
        # The detail names the origins that count, else those stated, else those of routes.
        .with_columns(named=pl.coalesce("final", "own", "others"))
        .with_columns(first=pl.col("named").list.first())
        .join(refusal, left_on="first", right_on="origin", how="left")
    )
    return joined.select(
        "item",
        reason=pl.when(pl.col("several") | (pl.col("own").list.len() > 1))
        .then(pl.lit("several-origins"))
        .when(pl.col("named").is_null())
        .then(pl.lit("no-origin"))
        .when(pl.col("first") == "unknown")
        .then(pl.lit("unknown-origin"))
        .otherwise(pl.col("refusal").fill_null("origin-is-no-country")),
        detail=pl.format("origins {}", pl.col("named").list.join(", ")).fill_null(
            "no origin of its own, and none of what it belongs to"
        ),
    ).sort("item")
