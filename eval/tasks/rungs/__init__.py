"""Rungs: further questions from the answers of multiple choice, which are harder to guess."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from blend.eval.task import ItemRule, Progress, ScoringOptions, TaskOptions
from blend.eval.tasks.multiple_choice import FourOptions, scored_parts

if TYPE_CHECKING:
    import polars as pl

    from blend.eval.items import TaskItems
    from blend.eval.report.scored_runs import ScoredRun
    from blend.eval.report.single_answers import KnownQuestions
    from blend.eval.runs.run_directory import Run
    from blend.eval.scores_json import ScoredItems

RUNGS = ("multiple-choice", "true-false", "short-answer")
"""Names of the tasks that are rungs of one ladder, in its order."""


@dataclass(frozen=True, kw_only=True)
class TrueFalseOptions(TaskOptions):
    """Options of asking whether an answer is given."""

    style: Literal["texts", "written"] = "texts"
    """Whether the likelier of yes and no is the answer, or what the model writes."""


class TrueFalse(FourOptions):
    """Whether people of a region would give each option of a multiple-choice question."""

    name = "true-false"
    title = "True or false"
    measure = "blend-tf"
    asks = "each option of a question by itself: is it among the first that people there would say?"
    configs = ("true-false-questions",)
    options = TrueFalseOptions
    rules = ("default", "strict")
    chance = None
    note = "A question counts where each of its four options is answered correctly. "
    of_texts: ClassVar[Mapping[str, Any]] = {"style": "written"}
    # A leaderboard counts options one by one, and no score of ours does.
    headline = None
    repeated: ClassVar[Mapping[str, str]] = {}

    def items(self, tables: "Mapping[str, pl.DataFrame]", options: TrueFalseOptions) -> "TaskItems":
        """See `Task.items`."""
        from blend.eval.tasks.rungs.true_false import true_false_items

        return true_false_items(tables["true-false-questions"], options)

    def score(
        self, run: "Run", answers: "pl.DataFrame", options: ScoringOptions, on_progress: Progress
    ) -> "ScoredItems":
        """See `Task.score`; the answers are read some at a time."""
        del answers, on_progress
        from blend.eval.tasks.rungs.true_false import score_true_false

        parts = scored_parts(run)
        scored = score_true_false(
            parts,
            parts.gold(),
            style="json" if run.description.holds_texts else "letters",
            rule=options.rule,
            seed=options.seed,
        )
        return scored._replace(signature_parts={"style": run.description.options["style"]})

    def item_rules(self, asked: "TaskItems") -> Mapping[str, ItemRule]:
        """See `Task.item_rules`; each option by itself."""
        from blend.eval.tasks.multiple_choice.chosen_options import chosen_rule
        from blend.eval.tasks.rungs.true_false import WORDS, yes_or_no

        answers = asked.gold.select("item_id", "answer").iter_rows()
        return {item_id: chosen_rule(WORDS, answer, yes_or_no) for item_id, answer in answers}

    def questions(self, run: "ScoredRun") -> "pl.DataFrame":
        """See `Task.questions`; a question is correct where all of its options are."""
        from blend.eval.tasks.rungs.true_false import complete_questions

        return complete_questions(run.decisions())

    def known_questions(self, run: "ScoredRun") -> "KnownQuestions":
        """See `Task.known_questions`."""
        from blend.eval.tasks.rungs.true_false import asked_options

        return asked_options(run)
