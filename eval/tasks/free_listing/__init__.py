"""Free listing: a model lists what a dish is made of in its own words, without candidates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from blend.eval.task import ItemRule, Progress, ScoringOptions, WrittenOptions
from blend.eval.triples import TripleTask, TripleTaskOptions, TripleTerms

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.items import TaskItems
    from blend.eval.runs.run_directory import Run
    from blend.eval.scores_json import ScoredItems
    from blend.schemas.manifest import ReleaseManifest


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
    reads_answers = True
    repeated: ClassVar[Mapping[str, str]] = {"f1": "f1"}
    compared_by = "F1 in %"
    terms = TripleTerms(
        figure="f1",
        figures=("f1", "precision", "recall", "accuracy"),
        decided_by="f1",
        predicted="named",
        mark="Each mark is the mean F1 of the lists for dishes from a country: 100 where a list names every "
        "ingredient and nothing else.",
    )

    def settle(
        self, options: TripleTaskOptions, manifest: "ReleaseManifest"
    ) -> tuple[TripleTaskOptions, tuple[str, ...]]:
        """See `Task.settle`."""
        from blend.eval.tasks.free_listing.listing_items import settle_listing

        return settle_listing(options, manifest)

    def items(self, tables: "Mapping[str, pl.DataFrame]", options: TripleTaskOptions) -> "TaskItems":
        """See `Task.items`."""
        from blend.eval.tasks.free_listing.listing_items import listing_items

        return listing_items(tables, options)

    def score(
        self, run: "Run", answers: "pl.DataFrame", options: ListingScoring, on_progress: Progress
    ) -> "ScoredItems":
        """See `Task.score`; the lists are read some at a time."""
        del answers, on_progress
        from blend.eval.runs.written_answers import AnsweredParts
        from blend.eval.tasks.free_listing.listing_scores import score_lists
        from blend.eval.triples.triple_prompts import asked_parts

        lists = AnsweredParts(run, ())
        scored = score_lists(
            lists,
            lists.gold(),
            run.items("language")["language"].unique().to_list(),
            rule=options.rule,
            lemmas=options.lemmas,
            seed=options.seed,
        )
        asked = run.description.options
        parts = {"cfg": asked["config"], **asked_parts(asked, ("languages", "countries", "prompts"))}
        return scored._replace(signature_parts={**parts, **scored.signature_parts})

    def item_rules(self, asked: "TaskItems") -> Mapping[str, ItemRule]:
        """See `Task.item_rules`; what is decided is the F1 of a list."""
        from blend.eval.tasks.free_listing.listing_scores import list_rules

        return list_rules(asked)
