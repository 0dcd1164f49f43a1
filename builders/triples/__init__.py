"""Food: dishes with their origin and ingredients in every language, from the facts of a Wikidata snapshot.

Nothing here is about food: the domain says what to look for and what it is called, and *dish* is one of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from blend.builders.triples.rows import Ingredients, find_origins, language_rows, merged_variants
from blend.loaders.wikidata.facts import Facts
from blend.schemas.errors import InputError
from blend.schemas.frames import FINDINGS
from blend.schemas.recipe import Domain, TripleOptions
from blend.schemas.rows import DROPPED

# Classes: which items belong to a class, through any chain of *instance of* and *subclass of*.


def _class_members(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The items of a domain: all that lead to its class in one or more steps, subclasses among them.

    The class itself is an item only if a chain leads back to it. Cycles do no harm.

    Args:
        claims: `loaders.wikidata.facts.Facts.claims`.
        domain: Names the class, the properties to follow, and the classes to leave out.

    Returns:
        ``item`` and ``excluded`` (the excluded class it belongs to, the first by text, or null), ordered by
        ``item``.
    """
    is_class = pl.col("property").is_in(list(domain.class_properties)) & pl.col("value").is_not_null()
    children = dict(claims.filter(is_class).group_by("value").agg("item").iter_rows())
    members = sorted(_below(children, domain.item_class))
    excluded: dict[str, str] = {}
    for root in sorted(set(domain.excluded_classes)):
        for item in {root} | _below(children, root):
            excluded.setdefault(item, root)
    columns = {"item": members, "excluded": [excluded.get(item) for item in members]}
    return pl.DataFrame(columns, schema={"item": pl.String, "excluded": pl.String})


def _below(children: Mapping[str, Sequence[str]], root: str) -> set[str]:
    """Everything from which a path of edges leads to the root."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return found


@dataclass(frozen=True, slots=True)
class TripleBuild:
    """A dataset made from a snapshot; the rows of a language are made when they are asked for."""

    dishes: pl.DataFrame
    """One row per dish and origin: ``item``, ``origin``, ``stated``, ``via``, ``historical``, ``origin_en``,
    ``continents``."""
    index: pl.DataFrame
    """``language``, ``item``, ``origin``: the rows that the languages hold, ordered by all three."""
    dropped: pl.DataFrame
    """`DROPPED`: the items left out, in all languages or in one."""
    findings: pl.DataFrame
    """`FINDINGS` of the snapshot and the build."""
    ingredients: Ingredients
    names: Mapping[str, pl.DataFrame]
    descriptions: Mapping[str, pl.DataFrame]
    domain: Domain
    options: TripleOptions

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that hold rows, in text order."""
        return tuple(self.index["language"].unique().sort())

    def rows(self, language: str) -> pl.DataFrame:
        """The rows of a language, `rows.TRIPLES`, ordered by item number and origin.

        Raises:
            InputError: If the language holds none; names those that do.
        """
        if language not in self.languages:
            raise InputError(
                f"no {self.domain.item} has a row in {language!r}; choose from {', '.join(self.languages)}"
            )
        wanted = self.index.filter(pl.col("language") == language).select("item", "origin")
        return language_rows(
            language,
            self.dishes.join(wanted, on=["item", "origin"], how="semi"),
            self.ingredients,
            self.names[language],
            self.descriptions.get(language, pl.DataFrame(schema={"item": pl.String, "description": pl.String})),
            self.options,
        )

    def batches(self) -> Iterator[pl.DataFrame]:
        """The rows of all languages, one frame per language."""
        return (self.rows(language) for language in self.languages)

    def aligned(self, languages: Sequence[str] | None = None) -> dict[str, pl.DataFrame]:
        """The rows of the dishes that all these languages hold, by language.

        Args:
            languages: Those of the options when absent.

        Raises:
            InputError: If a language holds no rows.
        """
        wanted = self.options.aligned_languages if languages is None else tuple(languages)
        rows = {language: self.rows(language) for language in wanted}
        common = set.intersection(*(set(frame["qid"]) for frame in rows.values()))
        return {language: frame.filter(pl.col("qid").is_in(common)) for language, frame in rows.items()}


def build_triples(facts: Facts, domain: Domain, options: TripleOptions | None = None) -> TripleBuild:
    """Find the items of a domain, where they come from, and the languages in which they can be told.

    An item has a row in a language if it, its origin, and at least one of its parts have a label in exactly
    that language; there is no fallback to another one.

    Args:
        facts: What the snapshot says.
        domain: What to look for.
        options: How; the defaults when absent.

    Raises:
        InputError: If the snapshot holds no item of the domain, or none in a language asked for.

    References:
        Zhou et al. (2025), https://arxiv.org/abs/2404.06833, section 3, and the query published with it.
    """
    chosen = TripleOptions() if options is None else options
    members = _class_members(facts.claims, domain)
    if members.is_empty():
        raise InputError(
            f"the snapshot holds no item of class {domain.item_class}; take it for the domain {domain.name!r}"
        )
    labels, descriptions = _texts(facts, chosen)
    english = labels.filter(pl.col("language") == "en").select("item", "label")
    items = members.filter(pl.col("excluded").is_null()).select("item")
    origins = find_origins(items, facts.claims, english, domain=domain, options=chosen)
    ingredients, own_parts = _ingredients(origins.kept, facts.claims, domain, chosen)
    complete_dishes = origins.kept.join(ingredients.parts, on="item", how="semi").join(
        labels, on="item", how="semi"
    )
    dishes = _with_country_facts(complete_dishes, facts.claims, english, domain)
    names = _by_language(labels, "label", chosen.languages)
    index, gaps = _language_index(dishes, ingredients.parts, names, chosen)
    _check_languages(index, domain, chosen)
    dropped = pl.concat([_left_out(members, origins.dropped, origins.kept, ingredients.parts, labels), gaps])
    _check_any(index, dropped, domain)
    return TripleBuild(
        dishes=dishes,
        index=index,
        dropped=dropped.sort("qid", "language", "reason", "detail"),
        findings=pl.concat([facts.findings, _own_part_findings(own_parts)]),
        ingredients=ingredients,
        names=names,
        descriptions=_by_language(descriptions, "description", chosen.languages),
        domain=domain,
        options=chosen,
    )


def _texts(facts: Facts, options: TripleOptions) -> tuple[pl.DataFrame, pl.DataFrame]:
    if options.chinese == "merge":
        return merged_variants(facts.labels), merged_variants(facts.descriptions)
    return facts.labels, facts.descriptions


def _ingredients(
    kept: pl.DataFrame, claims: pl.DataFrame, domain: Domain, options: TripleOptions
) -> tuple[Ingredients, pl.DataFrame]:
    """Return what the items are made of, and ``item`` of those that were their own part."""
    known = claims.filter(pl.col("value").is_not_null()).join(kept, on="item", how="semi")

    def of(properties: Sequence[str]) -> pl.DataFrame:
        return (
            known.filter(pl.col("property").is_in(list(properties)))
            .select("item", "value")
            .unique()
            .sort("item", "value")
        )

    parts = of(domain.part_properties)
    own = parts.filter(pl.col("item") == pl.col("value"))
    if options.own_parts == "drop":
        parts = parts.filter(pl.col("item") != pl.col("value"))
    ingredients = Ingredients(parts, of(domain.material_properties), of(domain.image_properties))
    # Where own parts are kept, nothing is left out that a finding would tell of.
    return ingredients, own.select("item") if options.own_parts == "drop" else own.select("item").clear()


def _with_country_facts(
    kept: pl.DataFrame, claims: pl.DataFrame, english: pl.DataFrame, domain: Domain
) -> pl.DataFrame:
    continents = (
        claims.filter(pl.col("property") == domain.continent_property)
        .join(english, left_on="value", right_on="item", how="inner")
        .group_by("item")
        .agg(continents=pl.col("label").unique().sort())
    )
    return (
        kept.join(english.rename({"item": "origin", "label": "origin_en"}), on="origin", how="left")
        .join(continents.rename({"item": "origin"}), on="origin", how="left")
        .with_columns(pl.col("continents").fill_null(pl.lit([], pl.List(pl.String))))
        .sort("item", "origin")
    )


def _by_language(texts: pl.DataFrame, column: str, languages: Sequence[str] | None) -> dict[str, pl.DataFrame]:
    wanted = texts if languages is None else texts.filter(pl.col("language").is_in(list(languages)))
    parts = wanted.partition_by("language", as_dict=True)
    return {str(language): frame.select("item", column) for (language,), frame in sorted(parts.items())}


def _language_index(
    dishes: pl.DataFrame, parts: pl.DataFrame, names: Mapping[str, pl.DataFrame], options: TripleOptions
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return which dishes have a row in which language, and why others with a label there have none."""
    index = [pl.DataFrame(schema={"language": pl.String, "item": pl.String, "origin": pl.String})]
    gaps = [pl.DataFrame(schema=DROPPED)]
    # One language after the other: what is held at a time does not grow with their number.
    for language, known in names.items():
        labelled = known.select("item")
        judged = (
            dishes.select("item", "origin")
            .join(labelled, on="item", how="semi")
            .join(labelled.select(origin="item", has_origin=True), on="origin", how="left")
            .join(_with_a_label(parts, labelled), on="item", how="left")
        )
        # Null, where the join found no label, is not true.
        complete = judged.filter(pl.col("has_origin"), pl.col("has_part"))
        single = _single(complete) if options.single_origin == "language" else complete
        index.append(single.select(pl.lit(language).alias("language"), "item", "origin"))
        gaps.append(_gaps(judged, single, language))
    return pl.concat(index).sort("language", "item", "origin"), pl.concat(gaps)


def _with_a_label(parts: pl.DataFrame, labelled: pl.DataFrame) -> pl.DataFrame:
    named = parts.join(labelled, left_on="value", right_on="item", how="semi")
    return named.select("item", has_part=True).unique()


def _single(complete: pl.DataFrame) -> pl.DataFrame:
    return complete.filter(pl.len().over("item") == 1)


def _gaps(judged: pl.DataFrame, kept: pl.DataFrame, language: str) -> pl.DataFrame:
    missing = judged.join(kept, on=["item", "origin"], how="anti")
    return missing.select(
        qid="item",
        language=pl.lit(language),
        reason=pl.when(pl.col("has_origin").is_null())
        .then(pl.lit("origin-without-label"))
        .when(pl.col("has_part").is_null())
        .then(pl.lit("parts-without-label"))
        .otherwise(pl.lit("several-origins")),
        detail=pl.format("origin {}", "origin"),
    ).cast(DROPPED)


def _left_out(
    members: pl.DataFrame,
    without_origin: pl.DataFrame,
    kept: pl.DataFrame,
    parts: pl.DataFrame,
    labels: pl.DataFrame,
) -> pl.DataFrame:
    """`DROPPED` for the items that have no row in any language."""
    excluded = members.filter(pl.col("excluded").is_not_null()).select(
        "item", reason=pl.lit("excluded-class"), detail="excluded"
    )
    partless = (
        kept.select("item")
        .unique()
        .join(parts, on="item", how="anti")
        .select("item", reason=pl.lit("no-parts"), detail=pl.lit("no part that is an item"))
    )
    nameless = (
        kept.select("item")
        .unique()
        .join(parts, on="item", how="semi")
        .join(labels, on="item", how="anti")
        .select("item", reason=pl.lit("no-label"), detail=pl.lit("no label in any language"))
    )
    rows = pl.concat([excluded, without_origin, partless, nameless])
    return rows.select(qid="item", language=pl.lit(None, pl.String), reason="reason", detail="detail")


def _check_languages(index: pl.DataFrame, domain: Domain, options: TripleOptions) -> None:
    held = set(index["language"])
    missing = [language for language in options.languages or () if language not in held]
    if missing:
        raise InputError(
            f"option languages: no {domain.item} has a row in {', '.join(missing)}; "
            f"{', '.join(sorted(held)) or 'no language'} of those asked for can be built"
        )


def _check_any(index: pl.DataFrame, dropped: pl.DataFrame, domain: Domain) -> None:
    if index.is_empty():
        reasons = dropped.group_by("reason").agg(pl.col("qid").n_unique()).sort("reason").iter_rows()
        raise InputError(
            f"the snapshot holds no {domain.item} that can be told in any language (left out: "
            f"{', '.join(f'{n} for {reason}' for reason, n in reasons)}); take it anew"
        )


def _own_part_findings(own_parts: pl.DataFrame) -> pl.DataFrame:
    detail = "the item is its own part; that part is left out"
    rows = [("own-part", item, None, None, detail) for item in own_parts["item"]]
    return pl.DataFrame(rows, schema=FINDINGS, orient="row").sort("source")
