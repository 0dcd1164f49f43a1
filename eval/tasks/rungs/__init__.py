"""Rungs: further questions from the answers of multiple choice, which are harder to guess."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from blend.eval.task import TaskOptions, part
from blend.eval.tasks.multiple_choice import FourOptions

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

    items = part("tasks.rungs.true_false:true_false_items")
    score = part("tasks.rungs.true_false:score_true_false_run")
    item_rules = part("tasks.rungs.true_false:yes_no_rules")
    # A question is correct where all of its options are.
    questions = part("tasks.rungs.true_false:asked_as_questions")
    known_questions = part("tasks.rungs.true_false:asked_options")
