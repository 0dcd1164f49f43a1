"""Configurations: which model the rows of each published table follow."""

from pydantic import BaseModel

from blend.schemas.rows import Annotation, MultipleChoiceQuestion, Question

ANNOTATIONS = "annotations"
SHORT_ANSWER_QUESTIONS = "short-answer-questions"
MULTIPLE_CHOICE_QUESTIONS = "multiple-choice-questions"

CONFIGS: dict[str, type[BaseModel]] = {
    ANNOTATIONS: Annotation,
    SHORT_ANSWER_QUESTIONS: Question,
    MULTIPLE_CHOICE_QUESTIONS: MultipleChoiceQuestion,
}
"""Configuration to row model, in the order of the card."""

KEYS: dict[str, str] = {
    ANNOTATIONS: "template_id",
    SHORT_ANSWER_QUESTIONS: "template_id",
    MULTIPLE_CHOICE_QUESTIONS: "mcq_id",
}
"""Configuration to the field that no two rows of a split share."""
