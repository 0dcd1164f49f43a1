"""Short answers: a question in the local language or in English, answered in a model's own words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from blend.eval.task import ScoringOptions, ShotOptions
from blend.eval.task_protocol import Task, part

AskedIn = Literal["local", "english"]
"""The language of question and prompt."""


@dataclass(frozen=True, kw_only=True)
class ShortAnswerOptions(ShotOptions):
    """Options of asking short-answer questions."""

    prompts: tuple[str, ...] | None = None
    """Prompts of the release to ask with; when absent the published ones, or all of a locale without them."""
    # Where the local language is English, both are one and asked once.
    languages: tuple[AskedIn, ...] = ("local", "english")
    """Whether to ask in the local language, in English, or in both."""


@dataclass(frozen=True, kw_only=True)
class ShortAnswerScoring(ScoringOptions):
    """Options of scoring: how short answers are compared."""

    lemmas: str | None = None
    """How words are brought to their base forms, 'none', 'default', or names by language (ko=kiwi,zh=jieba);
    docs/short-answers.md lists them."""


class ShortAnswer(Task):
    """Whether a model answers what natives answered."""

    name = "short-answer"
    title = "Short answers"
    measure = "blend-saq"
    asks = "a question with each prompt, in the local language and in English"
    configs = ("short-answer-questions", "short-answer-prompts", "annotations")
    options = ShortAnswerOptions
    scoring = ShortAnswerScoring
    rules = ("default", "paper", "semeval", "judge")
    people_label = True
    missing_is_wrong = ("semeval",)
    repeated: ClassVar[Mapping[str, str]] = {"sem-b": "correct", "sem-w": "weight"}
    headline = "sem-b-macro"

    note: ClassVar[str] = (
        "SEM-B is the share of questions answered with something that natives answered as well. "
    )
    items = part("tasks.short_answer.short_answer_items:short_answer_items")
    score = part("tasks.short_answer.short_answer_scores:score_short_answer_run")
    item_rules = part("tasks.short_answer.short_answer_scores:answer_rules")
    replies_to_judge = part("tasks.short_answer.short_answer_scores:replies_to_judge")
    predictions = part("tasks.short_answer.short_answer_scores:predictions")
    sections = part("tasks.short_answer.short_answer_scores:short_answer_sections")
    single_answers = part("tasks.short_answer.short_answer_scores:labelled_answers")
    known_questions = part("tasks.short_answer.short_answer_scores:asked_questions")
