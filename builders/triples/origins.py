"""Origins: which country an item comes from, by its own statement or by what it belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from blend.loaders.wikidata.facts import INSTANCE_OF
from blend.schemas.recipe import Domain, TripleOptions


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
