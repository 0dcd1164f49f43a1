"""Multiple choice: questions with four options of which one is correct, and each option by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le

from blend.eval.task import ShotOptions, TaskOptions
from blend.eval.task_protocol import Task, part

Style = Literal["letters", "texts", "json"]
"""How a question is put: which letter is likeliest, which option's text is likeliest, or the published prompt
that asks for a letter in JSON."""

_POSITIONS = 4
"""Positions in which the correct option can stand."""


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions(ShotOptions):
    """Options of asking multiple-choice questions."""

    style: Style = "letters"
    """How a question is put; json of recorded answers, and of models that only write, where it is left out."""
    rotations: Annotated[int, Ge(1), Le(_POSITIONS)] = 1
    """Positions in which the correct option of each question stands, at most four."""
    confidence: bool = False
    """Whether the model says how sure it is, in percent, in the style json."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.confidence and self.style != "json":
            raise ValueError(
                f"`confidence=True` makes sense only in the style 'json', and here `style={self.style}`, whose "
                "probabilities are confidence enough; leave it out"
            )
        if self.style == "texts" and self.rotations > 1:
            raise ValueError(
                "the style 'texts' does not show the options, so their order cannot matter; "
                "leave `rotations` out, or choose another `style`"
            )


class MultipleChoice(Task):
    """Which of four options is correct, of which three are what other regions answer."""

    name = "multiple-choice"
    title = "Multiple choice"
    measure = "blend-mcq"
    asks = "one question about a region with four options"
    configs = ("multiple-choice-questions",)
    options = ChoiceOptions
    rules = ("default", "strict", "sum", "semeval")
    missing_is_wrong = ("semeval",)
    of_texts: ClassVar[Mapping[str, Any]] = {"style": "json"}
    repeated: ClassVar[Mapping[str, str]] = {"accuracy": "correct"}
    headline: ClassVar[str | None] = "accuracy-macro"
    chance: ClassVar[float | None] = 100 / _POSITIONS

    items = part("tasks.multiple_choice.choices:choice_items")
    score = part("tasks.multiple_choice.choice_scores:score_choice_run")
    item_rules = part("tasks.multiple_choice.choices:choice_rules")
    predictions = part("tasks.multiple_choice.choices:predictions")
    sections = part("tasks.multiple_choice.choice_scores:choice_sections")
    single_answers = part("tasks.multiple_choice.choice_scores:chosen_options")
    known_questions = part("tasks.multiple_choice.choice_scores:asked_questions")


@dataclass(frozen=True, kw_only=True)
class TrueFalseOptions(TaskOptions):
    """Options of asking whether an answer is given."""

    style: Literal["texts", "written"] = "texts"
    """Whether the likelier of yes and no is the answer, or what the model writes."""


class TrueFalse(Task):
    """Whether people of a region would give each option of a multiple-choice question."""

    name = "true-false"
    title = "True or false"
    measure = "blend-tf"
    asks = "each option of a question by itself: is it among the first that people there would say?"
    configs = ("true-false-questions",)
    options = TrueFalseOptions
    rules = ("default", "strict")
    # Without a `headline`: a leaderboard counts options one by one, and no score of ours does.
    note = "A question counts where each of its four options is answered correctly. "
    of_texts: ClassVar[Mapping[str, Any]] = {"style": "written"}

    items = part("tasks.multiple_choice.true_false:true_false_items")
    score = part("tasks.multiple_choice.true_false:score_true_false_run")
    item_rules = part("tasks.multiple_choice.true_false:yes_no_rules")
    sections = part("tasks.multiple_choice.choice_scores:choice_sections")
    single_answers = part("tasks.multiple_choice.choice_scores:chosen_options")
    # A question is correct where all of its options are.
    questions = part("tasks.multiple_choice.true_false:asked_as_questions")
    known_questions = part("tasks.multiple_choice.true_false:asked_options")
