"""Tasks: what every one of them is to the rest of evaluation.

Models, runs, statistics and the report know a task by this protocol alone; `blend.eval.tasks` knows all of
them. Nothing slow is imported here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from blend.eval.task import ItemRule, Progress, TaskData

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.items import TaskItems
    from blend.eval.recorded_answers import Predictions
    from blend.eval.report import KnownQuestions, ScoredRun
    from blend.eval.report.report_sections import Section
    from blend.eval.runs.run_directory import Run, RunOutcome
    from blend.eval.scores_json import ScoredItems
    from blend.schemas.manifest import ReleaseManifest


class _Delegate:
    """A function of a module of a task, which stands for a method of it; without the task as an argument."""

    def __init__(self, target: str) -> None:
        self._module, _, self._name = target.partition(":")

    def __get__(self, task: object, kind: type) -> Any:
        return getattr(import_module(f"blend.eval.{self._module}"), self._name)


def part(target: str) -> Any:
    """A method of a task that is a function elsewhere, ``tasks.probing.probing_items:probing_items``.

    Its module is loaded when the method is first wanted: of a task that is not run, only options are read.
    """
    return _Delegate(target)


class Task(TaskData, Protocol):
    """A task: items of a release, decisions and scores of answers, and its part of a report.

    A task inherits from this class; what it leaves out is as most tasks have it.
    """

    def settle(self, options: Any, manifest: "ReleaseManifest") -> tuple[Any, tuple[str, ...]]:
        """The options with what the release decides, and the configurations that are then read."""
        del manifest
        return options, self.configs or (options.config,)

    def items(self, tables: "Mapping[str, pl.DataFrame]", options: Any) -> "TaskItems":
        """The items of a release: takes its configurations by name, each with a column ``region``."""
        ...

    def score(self, run: "Run", options: Any, on_progress: Progress) -> "ScoredItems":
        """Decisions and scores of the answers that a run keeps, those that are errors included."""
        ...

    def item_rules(self, asked: "TaskItems") -> "Mapping[str, ItemRule] | None":
        """Return what decides on single replies, by ``item_id``; null where none is correct by itself."""
        del asked
        return None

    def replies_to_judge(self, run: "Run") -> "Iterator[pl.DataFrame] | None":
        """Return the replies of a run as a judge is to read them, `judging.judge_run.REPLIES`, some at a time.

        Null where a model's answers are no texts that are correct or wrong.
        """
        del run
        return None

    def overview(self, run: "ScoredRun") -> dict[str, str]:
        """A run's line in the overview, by column; of tasks about regions their mean and the gap."""
        from blend.eval.report.report_sections import region_overview

        return region_overview(run)

    def sections(self, runs: "Sequence[ScoredRun]") -> "Iterable[Section | None]":
        """The sections of the report on comparable runs; null where their scores have no figures for one."""
        ...

    def ordered(self, runs: "Sequence[ScoredRun]") -> "Sequence[ScoredRun]":
        """Runs in the order of the report; as they were named, if the task has no order of its own."""
        return runs

    def compared(self, run: "ScoredRun") -> "pl.DataFrame | None":
        """Return what runs are compared by: ``item_id``, ``region``, ``template_id`` and ``value``.

        Higher values are better.

        Null where no answer is better than another one.
        """
        import polars as pl

        value = pl.col("correct").cast(pl.Float64)
        return self.questions(run).select("item_id", "region", "template_id", value=value)

    def questions(self, run: "ScoredRun") -> "pl.DataFrame":
        """Return the decisions, a row for each question and way in which it was asked."""
        return run.decisions()

    def single_answers(self, run: "ScoredRun") -> "pl.DataFrame | None":
        """Return what the report shows of each item, as `report.single_answers`.

        Null where answers are not correct or wrong one by one.
        """
        from blend.eval.report import single_answers

        return single_answers(run)

    def known_questions(self, run: "ScoredRun") -> "KnownQuestions":
        """Return what is known of the items besides their prompts: gold answers, and distractors if any."""
        del run
        return {}

    def clusters(self, run: "ScoredRun") -> tuple[str, ...]:
        """Say in words what intervals are over, where it is not question templates."""
        del run
        return ()

    def predictions(self) -> "Predictions | None":
        """Return the file in which SemEval-2026 Task 7 takes its answers; null where that has no such task."""
        return None

    def takes_table(self, answers: Path) -> bool:
        """Whether a table is one of the task's own, which needs no release; else it holds answers to items."""
        del answers
        return False

    def run_of_table(self, answers: Path, out: Path, *, model: str | None) -> "RunOutcome":
        """Make a run of a table that the task takes; never called where it takes none."""
        raise AssertionError(f"{self.name} takes no table of its own: {answers}, {out}, {model}")
