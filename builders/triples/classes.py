"""Classes: which items belong to a class, through any chain of *instance of* and *subclass of*."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import polars as pl

from blend.schemas.domains import Domain


def class_members(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The items of a domain: all that lead to its class in one or more steps, subclasses among them.

    The class itself is an item only if a chain leads back to it. Cycles do no harm. One pass over the levels
    of the hierarchy finds all items.

    Args:
        claims: `loaders.wikidata.facts.Facts.claims`.
        domain: Names the class, the properties to follow, and the classes to leave out.

    Returns:
        ``item`` and ``excluded`` (the excluded class it belongs to, the first by text, or null), ordered by
        ``item``.
    """
    edges = _edges(claims, domain)
    members = _below(edges, domain.item_class)
    excluded = [
        pl.concat([_below(edges, root), pl.DataFrame({"item": [root]})]).select("item", excluded=pl.lit(root))
        for root in domain.excluded_classes
    ]
    out = pl.concat([pl.DataFrame(schema={"item": pl.String, "excluded": pl.String}), *excluded])
    first = out.group_by("item").agg(pl.col("excluded").min())
    return members.unique().join(first, on="item", how="left").sort("item")


def class_cycles(claims: pl.DataFrame, domain: Domain) -> list[tuple[str, ...]]:
    """Chains of classes below the domain's class that lead back to their start; each cycle once.

    Returns:
        Each cycle as its items in order, starting with the first by text; cycles ordered by text. Of cycles
        that share a step, as many are named as it takes to break them all.
    """
    edges = _edges(claims, domain)
    known = pl.concat([_below(edges, domain.item_class), pl.DataFrame({"item": [domain.item_class]})]).unique()
    inside = edges.join(known, on="item", how="semi").join(known, left_on="parent", right_on="item", how="semi")
    parents: dict[str, set[str]] = {}
    for item, parent in _core(inside).unique().sort("item", "parent").iter_rows():
        parents.setdefault(item, set()).add(parent)
    return sorted(_cycles(parents))


def _edges(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    is_class = pl.col("property").is_in(list(domain.class_properties))
    return claims.filter(is_class, pl.col("value").is_not_null()).select("item", parent="value").unique()


def _below(edges: pl.DataFrame, root: str) -> pl.DataFrame:
    """``item``: everything from which a path of edges leads to the root."""
    found = edges.select("item").clear()
    level = pl.DataFrame({"item": [root]})
    while len(level):
        level = (
            edges.join(level, left_on="parent", right_on="item", how="semi")
            .select("item")
            .unique()
            .join(found, on="item", how="anti")
        )
        found = pl.concat([found, level])
    return found


def _core(edges: pl.DataFrame) -> pl.DataFrame:
    """The edges left when items without children, and those without parents, are taken away again and again."""
    n_edges = -1
    while n_edges != len(edges):
        n_edges = len(edges)
        edges = edges.join(edges, left_on="item", right_on="parent", how="semi")
        edges = edges.join(edges, left_on="parent", right_on="item", how="semi")
    return edges


def _cycles(parents: dict[str, set[str]]) -> Iterable[tuple[str, ...]]:
    while True:
        # Sorted, so that the same cycles are found whatever the hash seed.
        graph = {item: sorted(targets) for item, targets in sorted(parents.items())}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            cycle = list(error.args[1])[:-1]
            # graphlib lists predecessors first; we follow the chain from child to parent.
            cycle.reverse()
            start = cycle.index(min(cycle))
            cycle = cycle[start:] + cycle[:start]
            yield tuple(cycle)
            parents[cycle[0]] = parents[cycle[0]] - {cycle[1 % len(cycle)]}
        else:
            return
