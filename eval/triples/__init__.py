"""Triples: what probing and free listing share, which both ask about items that have an origin and parts.

The options that both have, prompts about an item, the sections of the report, and what people say of a model's
predictions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from blend.eval.task import Task, TaskOptions

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.report.report_sections import ReportTable, Section
    from blend.eval.report.scored_runs import ScoredRun
    from blend.eval.report.single_answers import KnownQuestions


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
    # What an item and its parts are called (`domains.Domain.words`); absent for dishes and ingredients.
    words: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.locales is not None:
            raise ValueError(
                f"`locales={self.locales[0]}` makes sense only where regions are asked about, and this task "
                "asks in `languages` about `countries`; leave one of the two out"
            )


class TripleTerms(NamedTuple):
    """Terms of one of the two tasks for what the sections of both show."""

    figure: str
    """The figure that the task is about."""
    figures: tuple[str, ...]
    """The figures of the overview."""
    decided_by: str
    """Column of decisions by which runs are compared."""
    predicted: str
    """Column of decisions with what a model names first."""
    mark: str
    """What a mark of a country is."""


class TripleTask(Task):
    """Base of both tasks about triples."""

    terms: ClassVar[TripleTerms]
    """How the task calls what the sections show."""
    chosen_by = ("languages", "countries")

    def overview(self, run: "ScoredRun") -> "ReportTable":
        """See `Task.overview`."""
        from blend.eval.triples.triple_sections import triple_overview

        return triple_overview(run, self.terms)

    def sections(self, runs: "Sequence[ScoredRun]", *, seed: int) -> "tuple[Section, ...]":
        """See `Task.sections`."""
        del seed
        from blend.eval.triples.triple_sections import triple_sections

        return triple_sections(runs, self.terms)

    def ordered(self, runs: "Sequence[ScoredRun]") -> "Sequence[ScoredRun]":
        """Runs by the figure that the task is about, highest first; equal ones in the order given."""

        def figure(run: "ScoredRun") -> float:
            score = run.overall(self.terms.figure)
            return -1.0 if score is None or score.value is None else score.value

        return sorted(runs, key=figure, reverse=True)

    def compared(self, run: "ScoredRun") -> "pl.DataFrame":
        """See `Task.compared`."""
        from blend.eval.triples.triple_prompts import with_small_countries_together

        return with_small_countries_together(run.decisions(), value=self.terms.decided_by)

    def single_answers(self, run: "ScoredRun") -> "pl.DataFrame":
        """See `Task.single_answers`; the answer is what a model names first."""
        import polars as pl

        from blend.eval.report.single_answers import single_answers

        named = pl.col(self.terms.predicted).list.join(", ")
        rows = single_answers(run)
        return rows.with_columns(answer=named, reply="answer")

    def known_questions(self, run: "ScoredRun") -> "KnownQuestions":
        """See `Task.known_questions`."""
        from blend.eval.report.single_answers import gold_of_labels

        return gold_of_labels(run.decisions().select("item_id", "gold").iter_rows())

    def clusters(self, run: "ScoredRun") -> tuple[str, ...]:
        """See `Task.clusters`."""
        return (run.reword("dishes"),)

    def number(self, metric: str, value: float) -> str:
        """See `Task.number`; cosines are fractions."""
        return f"{value:.3f}" if metric.startswith("mWS") else super().number(metric, value)
