"""Triples: what probing and free listing share, which both ask about items that have an origin and parts.

The options that both have, prompts about an item, the sections of the report, and what people say of a model's
predictions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from blend.eval.task import TaskOptions
from blend.eval.task_protocol import Task, part

if TYPE_CHECKING:
    from blend.eval.report import ScoredRun


@dataclass(frozen=True, kw_only=True)
class TripleTaskOptions(TaskOptions):
    """Options of asking that both tasks about triples have."""

    FROM_RELEASE: ClassVar = frozenset({"words"})

    config: str | None = None
    """Configuration of triples, such as ``food-triples`` or ``food-aligned``."""
    languages: tuple[str, ...] | None = None
    """Languages to ask in, by their tags; all of the configuration when absent."""
    countries: tuple[str, ...] | None = None
    """Countries of the items, by their English names; all when absent."""
    prompts: tuple[str, ...] | None = None
    """Templates to ask with, by name; all when absent."""
    # What an item and its parts are called (`recipe.Domain.words`); absent for dishes and ingredients.
    words: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.locales is not None:
            raise ValueError(
                f"`locales={self.locales[0]}` makes sense only where regions are asked about, and this task "
                "asks in `languages` about `countries`; leave one of the two out"
            )


class TripleTask(Task):
    """Base of both tasks about triples."""

    figure: ClassVar[str]
    """The figure that the task is about."""
    figures: ClassVar[tuple[str, ...]]
    """The figures of the overview."""
    decided_by: ClassVar[str]
    """Column of decisions by which runs are compared."""
    predicted: ClassVar[str]
    """Column of decisions with what a model names first."""
    mark: ClassVar[str]
    """What a mark of a country is."""
    chosen_by = ("languages", "countries")

    overview = part("triples.triple_results:triple_overview")
    sections = part("triples.triple_results:triple_sections")
    compared = part("triples.triple_results:compared_dishes")
    single_answers = part("triples.triple_results:named_first")
    known_questions = part("triples.triple_results:gold_labels")

    def ordered(self, runs: "Sequence[ScoredRun]") -> "Sequence[ScoredRun]":
        """Runs by the figure that the task is about, highest first; equal ones in the order given."""

        def figure(run: "ScoredRun") -> float:
            score = run.overall(self.figure)
            return -1.0 if score is None or score.value is None else score.value

        return sorted(runs, key=figure, reverse=True)

    def clusters(self, run: "ScoredRun") -> tuple[str, ...]:
        """See `Task.clusters`."""
        return (run.reword("dishes"),)

    def number(self, metric: str, value: float) -> str:
        """See `Task.number`; cosines are fractions."""
        return f"{value:.3f}" if metric.startswith("mWS") else super().number(metric, value)
