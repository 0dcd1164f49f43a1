"""Configurations: which model the rows of each published table follow."""

from pydantic import BaseModel

from blend.schemas.errors import UnknownNameError
from blend.schemas.rows.cultural_prompt_rows import CULTURAL_PROMPTS, CulturalPrompt
from blend.schemas.rows.published_rows import (
    Annotation,
    CompactQuestion,
    MultipleChoiceQuestion,
    Question,
    ShortAnswerPrompt,
)
from blend.schemas.rows.rung_rows import TrueFalseQuestion
from blend.schemas.rows.triple_rows import FOOD_ALIGNED, FOOD_TEMPLATES, FOOD_TRIPLES, Triple, TripleTemplate

ANNOTATIONS = "annotations"
SHORT_ANSWER_QUESTIONS = "short-answer-questions"
SHORT_ANSWER_PROMPTS = "short-answer-prompts"
MULTIPLE_CHOICE_QUESTIONS = "multiple-choice-questions"
COMPACT = "compact"
TRUE_FALSE_QUESTIONS = "true-false-questions"

CONFIGS: dict[str, type[BaseModel]] = {
    ANNOTATIONS: Annotation,
    SHORT_ANSWER_QUESTIONS: Question,
    SHORT_ANSWER_PROMPTS: ShortAnswerPrompt,
    MULTIPLE_CHOICE_QUESTIONS: MultipleChoiceQuestion,
    COMPACT: CompactQuestion,
    TRUE_FALSE_QUESTIONS: TrueFalseQuestion,
    FOOD_TRIPLES: Triple,
    FOOD_ALIGNED: Triple,
    FOOD_TEMPLATES: TripleTemplate,
    CULTURAL_PROMPTS: CulturalPrompt,
}
"""Configuration to row model, in the order of the card."""

KEYS: dict[str, str] = {
    ANNOTATIONS: "template_id",
    SHORT_ANSWER_QUESTIONS: "template_id",
    SHORT_ANSWER_PROMPTS: "prompt_id",
    MULTIPLE_CHOICE_QUESTIONS: "mcq_id",
    COMPACT: "mcq_id",
    TRUE_FALSE_QUESTIONS: "true_false_id",
    FOOD_TRIPLES: "qid",
    FOOD_ALIGNED: "qid",
    FOOD_TEMPLATES: "relation",
    CULTURAL_PROMPTS: "prompt_id",
}
"""Configuration to the field that no two rows of a split share."""

MULTIPLE_CHOICE_CONFIGS = (MULTIPLE_CHOICE_QUESTIONS, COMPACT)
"""Configurations of questions with options, in one split for all regions."""

RUNGS = (TRUE_FALSE_QUESTIONS,)
"""Configurations that ask for the answers of multiple-choice questions in harder ways, in one split too."""

ASKED: dict[str, tuple[str, ...]] = dict.fromkeys(
    (*MULTIPLE_CHOICE_CONFIGS, *RUNGS), ("template_id", "country")
)
"""Configuration to the fields that name what is asked, where several rows ask it with other options."""

PER_REGION = (ANNOTATIONS, SHORT_ANSWER_QUESTIONS, SHORT_ANSWER_PROMPTS)
"""Configurations with one split per region."""

QUESTION_CONFIGS = (*PER_REGION, *MULTIPLE_CHOICE_CONFIGS, *RUNGS)
"""Configurations whose rows are about locales."""

NOT_BY_LANGUAGE = (*QUESTION_CONFIGS, CULTURAL_PROMPTS)
"""Configurations whose splits are not languages; those of all others are."""


def base_config(config: str) -> str:
    """The configuration of `CONFIGS` whose model and key a configuration has.

    It is the configuration itself, or for another domain than food the one of food: that of
    ``instrument-triples`` is ``food-triples``.

    Raises:
        UnknownNameError: If there is none.
    """
    if config in CONFIGS:
        return config
    kind = config.rpartition("-")[2]
    if f"food-{kind}" not in CONFIGS:
        raise UnknownNameError("configuration", config, CONFIGS)
    return f"food-{kind}"


def model_of(config: str) -> type[BaseModel]:
    """The row model of a configuration."""
    return CONFIGS[base_config(config)]


def key_of(config: str) -> str:
    """The field that no two rows of a split of the configuration share."""
    return KEYS[base_config(config)]
