"""Classes: which items belong to a class, through any chain of *instance of* and *subclass of*.

Every item and every statement is looked at once, whatever the depth: anyone can edit Wikidata, and a chain of
50,000 classes must cost no more than 50,000 classes side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import polars as pl

from blend.schemas.recipe import Domain


def class_members(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    """The items of a domain: all that lead to its class in one or more steps, subclasses among them.

    The class itself is an item only if a chain leads back to it. Cycles do no harm.

    Args:
        claims: `loaders.wikidata.facts.Facts.claims`.
        domain: Names the class, the properties to follow, and the classes to leave out.

    Returns:
        ``item`` and ``excluded`` (the excluded class it belongs to, the first by text, or null), ordered by
        ``item``.
    """
    children = _grouped(_edges(claims, domain), by="parent", of="item")
    members = sorted(_below(children, domain.item_class))
    excluded: dict[str, str] = {}
    for root in sorted(set(domain.excluded_classes)):
        for item in {root} | _below(children, root):
            excluded.setdefault(item, root)
    columns = {"item": members, "excluded": [excluded.get(item) for item in members]}
    return pl.DataFrame(columns, schema={"item": pl.String, "excluded": pl.String})


def class_cycles(claims: pl.DataFrame, domain: Domain) -> list[tuple[str, ...]]:
    """Chains of classes below the domain's class that lead back to their start; each cycle once.

    Returns:
        Each cycle as its items in order, starting with the first by text; cycles ordered by text. Of cycles
        that share a step, as many are named as it takes to break them all.
    """
    edges = _edges(claims, domain)
    known = {domain.item_class} | _below(_grouped(edges, by="parent", of="item"), domain.item_class)
    # Sorted, so that the same cycles are found whatever the hash seed.
    parents = _grouped(edges.sort("item", "parent"), by="item", of="parent")
    inside = {
        item: [parent for parent in above if parent in known]
        for item, above in parents.items()
        if item in known
    }
    return sorted(set(_cycles(inside)))


def _edges(claims: pl.DataFrame, domain: Domain) -> pl.DataFrame:
    is_class = pl.col("property").is_in(list(domain.class_properties))
    return claims.filter(is_class, pl.col("value").is_not_null()).select("item", parent="value").unique()


def _grouped(edges: pl.DataFrame, *, by: str, of: str) -> dict[str, list[str]]:
    return dict(edges.group_by(by, maintain_order=True).agg(of).iter_rows())


def _below(children: Mapping[str, Sequence[str]], root: str) -> set[str]:
    """Everything from which a path of edges leads to the root."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return found


def _cycles(parents: Mapping[str, list[str]]) -> Iterator[tuple[str, ...]]:
    """Cycles of steps from items to their parents, each broken at a step before the next is looked for."""
    while True:
        try:
            TopologicalSorter(parents).prepare()
        except CycleError as error:
            # From a parent to its child, and back to where it begins.
            parent, child, *_ = cycle = error.args[1]
            parents[child].remove(parent)
            yield _from_its_first(cycle[:0:-1])
        else:
            return


def _from_its_first(cycle: list[str]) -> tuple[str, ...]:
    start = cycle.index(min(cycle))
    return tuple(cycle[start:] + cycle[:start])
