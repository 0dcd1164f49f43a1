"""Free listing: a model lists what a dish is made of in its own words, without candidates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from blend.eval.task import ScoringOptions, WrittenOptions
from blend.eval.task_protocol import part
from blend.eval.triples import TripleTask, TripleTaskOptions


@dataclass(frozen=True, kw_only=True)
class ListingOptions(TripleTaskOptions, WrittenOptions):
    """Options of asking for lists."""


@dataclass(frozen=True, kw_only=True)
class ListingScoring(ScoringOptions):
    """Options of scoring: how entries of a list are compared."""

    lemmas: str | None = None
    """How words are brought to their base forms; by the default of each language when absent."""


class FreeListing(TripleTask):
    """Which ingredients of a dish a model names by itself."""

    name = "free-listing"
    title = "Free listing"
    measure = "blend-listing"
    asks = "which ingredients belong to a dish, listed by the model ([probing.md](probing.md#free-listing))"
    reads = "a configuration of triples"
    options = ListingOptions
    scoring = ListingScoring
    rules = ("default", "contains")
    repeated: ClassVar[Mapping[str, str]] = {"f1": "f1"}
    compared_by = "F1 in %"
    figure = "f1"
    figures = ("f1", "precision", "recall")
    decided_by = "f1"
    predicted = "named"
    mark = (
        "Each mark is the mean F1 of the lists for dishes from a country: 100 where a list names every "
        "ingredient and nothing else."
    )

    settle = part("tasks.free_listing.listings:settle_listing")
    items = part("tasks.free_listing.listings:listing_items")
    score = part("tasks.free_listing.listings:score_listing_run")
    item_rules = part("tasks.free_listing.listings:list_rules")
