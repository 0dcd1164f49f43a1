"""Rows: everything that enters the package from people or leaves it in a release, one model each.

A field's alias is its published column name, kept from the public BLEnD dataset; frames inside the package use
the field's own name. The sentence under a field is printed on the dataset card.
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from blend.schemas.base.frozen_model import Row, Text
from blend.schemas.base.references import decided_twice
from blend.schemas.language.answer_formats import AnswerFormat
from blend.schemas.language.personal_data import Pseudonym

MAX_ANSWERS = 3
"""Answers that one annotator may give to one question (Myung et al. 2024, section 3)."""

LONGEST_ANSWER = 2_000
"""Characters of the longest answer; what is longer is none, but a text that slipped into its cell."""

QUESTION_SLOT = "{q}"
"""Where a prompt takes the question; several times in some prompts."""

LETTERS = "ABCD"
"""The letters of a multiple-choice question's options, in order."""


class NonAnswer(StrEnum):
    """Why an annotator did not answer (Myung et al. 2024, Appendix)."""

    NOT_APPLICABLE = "not-applicable"
    NO_ANSWER = "no-answer"
    IDK = "idk"
    OTHER = "other"


class QuestionTemplate(Row):
    """A question as asked in every locale: English text with a slot where the country stands."""

    template_id: Text
    """Id of the template, the same in all locales."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""
    source_locale: str | None
    """Locale whose natives wrote the question; null when it is not recorded."""
    text: Text
    """English text with ``{country}`` for the name of the country, or ``{nationality}`` for its adjective."""
    answer_format: AnswerFormat = AnswerFormat.TEXT
    """Shape of the answer: ``text``, ``integer``, ``HH:MM`` or ``MM/DD``."""


class Question(Row):
    """A template in one locale, in the local language and in English."""

    template_id: Text = Field(alias="ID")
    """Id of the question's template, the same in all splits."""
    topic: Text = Field(alias="Topic")
    """One of the topics of the dataset, for example ``Food``."""
    source_label: str = Field(alias="Source")
    """Language and region in which natives wrote the question, for example ``Korean (South Korea)``; empty
    where it is not recorded."""
    question: str = Field(alias="Question")
    """The question in the local language, country named; empty where its source left it blank."""
    en_question: str = Field(alias="Translation")
    """The question in English, country named; empty where its source has none."""
    locale: Text
    """Language in a region, for example ``su-JB``."""
    language: Text
    """BCP 47 tag of the local language, for example ``su``."""
    answer_format: AnswerFormat
    """Shape of the answer: ``text``, ``integer``, ``HH:MM`` or ``MM/DD``."""


class Response(Row):
    """What one annotator typed for one question, never edited: up to three answers, or why there is none."""

    template_id: Text
    """Id of the question's template."""
    locale: Text
    """Locale in which the annotator answers."""
    annotator: Pseudonym
    """Pseudonym of the annotator, unique within the locale."""
    answers: tuple[Text, ...] = Field(default=(), max_length=MAX_ANSWERS)
    """Up to three answers in the local language, in the annotator's order; empty for a non-answer."""
    non_answer: NonAnswer | None = None
    """Why there is no answer; null when there is one."""
    reason: Text | None = None
    """The annotator's own words, for the non-answer ``other`` only."""

    @model_validator(mode="after")
    def _answers_or_a_reason(self) -> Self:
        if bool(self.answers) == (self.non_answer is not None):
            raise ValueError("a response has answers or a non-answer, not both and not neither")
        if (self.reason is not None) != (self.non_answer is NonAnswer.OTHER):
            raise ValueError("a reason goes with the non-answer 'other', and 'other' needs one")
        return self


class ReviewedGroup(Row):
    """Variants of one answer that a reviewer merged, with English translations."""

    answers: tuple[Text, ...] = Field(min_length=1)
    """Variants as annotators typed them."""
    en_answers: tuple[Text, ...] = ()
    """Their English translations, the preferred one first."""


class Review(Row):
    """A reviewer's decisions on the answers to one question."""

    template_id: Text
    """Id of the question's template."""
    locale: Text
    """Locale of the answers."""
    reviewer: Pseudonym
    """Pseudonym of the reviewer."""
    invalid: tuple[Text, ...] = ()
    """Answers, as typed, that do not answer the question and get no vote."""
    reasons: tuple[str, ...] = ()
    """Why, for every one of them in the same order; a blank where the reviewer gave no reason."""
    groups: tuple[ReviewedGroup, ...] = ()
    """Valid answers, each in exactly one group of variants."""

    @model_validator(mode="after")
    def _one_decision_per_answer(self) -> Self:
        decided = [*self.invalid, *(answer for group in self.groups for answer in group.answers)]
        twice = sorted({answer for answer in decided if decided.count(answer) > 1})
        if twice:
            raise ValueError("; ".join(decided_twice(twice)))
        if self.reasons and len(self.reasons) != len(self.invalid):
            raise ValueError(
                f"{len(self.reasons)} reasons for {len(self.invalid)} invalid answers; "
                "write one for each in the same order, a blank text where there is none"
            )
        return self


class AnswerGroup(Row):
    """One answer to a question: its variants and the annotators behind it."""

    answers: tuple[str, ...]
    """Variants in the local language."""
    en_answers: tuple[str, ...]
    """Variants in English, the preferred one first; empty where nobody translated the answer."""
    count: int | None = Field(ge=1)
    """Votes: annotators who gave any of the variants; null where the source accepts the answer and does not say
    how many gave it."""


class OtherReason(Row):
    """A reason for not answering in an annotator's own words."""

    reason: str
    """The reason as typed."""
    count: int = Field(ge=1)
    """Annotators who gave it."""


class NonAnswers(Row):
    """Votes for not answering, by kind."""

    idk: int | None = Field(ge=0)
    """Annotators who do not know; null, like the two below, where the source does not count them."""
    no_answer: int | None = Field(ge=0, alias="no-answer")
    """Annotators who see no specific answer."""
    not_applicable: int | None = Field(ge=0, alias="not-applicable")
    """Annotators for whom the question does not apply to their culture."""
    others: tuple[OtherReason, ...] = ()
    """Reasons in the annotators' own words."""


class Grouping(StrEnum):
    """Who merged the variants of an answer."""

    REVIEWED = "reviewed"
    PROPOSED = "proposed"
    UPSTREAM = "upstream"


class Annotation(Row):
    """All answers to one question in one locale, merged and counted."""

    template_id: Text = Field(alias="ID")
    """Id of the question's template, the same in all splits."""
    question: str
    """The question in the local language, country named; empty where its source left it blank."""
    en_question: str
    """The question in English, country named; empty where its source has none."""
    annotations: tuple[AnswerGroup, ...]
    """Answers, most votes first, in the order of the source where votes are unknown; may be empty."""
    idks: NonAnswers
    """Votes for not answering."""
    locale: Text
    """Language in a region, for example ``su-JB``."""
    language: Text
    """BCP 47 tag of the local language, for example ``su``."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""
    source_locale: str | None = Field(alias="source")
    """Locale whose natives wrote the question; null when it is not recorded."""
    grouping: Grouping
    """Who merged the variants: ``reviewed`` by a person, ``proposed`` by rules only, or ``upstream``."""


class Prompt(Row):
    """How a model is asked the questions of a locale, in the local language and in English."""

    prompt_id: Text
    """Id of the prompt, for example ``inst-4``, unique in its locale."""
    prompt: str
    """The prompt in the local language, with ``{q}`` where the question stands."""
    en_prompt: str
    """The prompt in English, with ``{q}`` where the question stands."""
    locale: Text
    """Language in a region, for example ``su-JB``."""

    @field_validator("prompt", "en_prompt")
    @classmethod
    def _takes_a_question(cls, text: str, info: ValidationInfo) -> str:
        if QUESTION_SLOT not in text:
            raise ValueError(f"{info.field_name} has no {QUESTION_SLOT}; write it where the question stands")
        return text


class ShortAnswerPrompt(Prompt):
    """How a model is asked the short-answer questions of a locale, in the local language and in English."""

    language: Text
    """BCP 47 tag of the local language, for example ``su``."""


class AnswerSpread(StrEnum):
    """How many other regions' people gave the right answer to the same question as well."""

    UNIVERSAL = "universal"
    SHARED = "shared"
    SPECIFIC = "specific"


class MultipleChoiceQuestion(Row):
    """A question about one region with one right answer among answers of other regions."""

    mcq_id: Text = Field(alias="MCQID")
    """Id of the multiple-choice question; stays the same while its options stay the same."""
    template_id: Text = Field(alias="ID")
    """Id of the question's template."""
    country: Text
    """Region asked about, by its upstream name, for example ``South_Korea``."""
    prompt: Text
    """Complete prompt: question, instruction and lettered options."""
    choices: Text
    """Options as JSON text, letter to option."""
    choice_countries: Text | None
    """Regions of the options as JSON text, letter to upstream name; null where the source does not say."""
    answer_idx: Text
    """Letter of the right option."""
    question: Text
    """The question alone, in English, naming the region."""
    options: tuple[Text, ...] = Field(min_length=len(LETTERS), max_length=len(LETTERS))
    """The options, in order."""
    option_regions: Annotated[tuple[Text, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))] | None
    """Region code behind every option, in the same order; null where the source does not say."""
    answer: int = Field(ge=0, lt=len(LETTERS))
    """Index of the right option, from 0."""
    locale: Text
    """Locale asked about, for example ``su-JB``."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""
    answer_spread: AnswerSpread | None
    """In how many other regions somebody gave the right answer as well: ``universal`` in six or more,
    ``shared`` in one to five, ``specific`` in none; null in paper mode and where votes are unknown."""
    source: Text | None = None
    """Where the question was taken from with its options, ``semeval``; null where it was made here."""
    source_order: Annotated[str, Field(pattern=r"^[A-D]{4}$")] | None = None
    """Letters that the options have in that source, in the order in which they stand here; null likewise."""

    @model_validator(mode="after")
    def _one_right_option(self) -> Self:
        # A question that was taken as it is can have two equal options; a finding names it.
        if self.source is None and len(set(self.options)) != len(self.options):
            raise ValueError(f"{self.mcq_id}: options are not distinct: {self.options}")
        if self.option_regions is not None and len(set(self.option_regions)) != len(self.option_regions):
            raise ValueError(f"{self.mcq_id}: regions are not distinct: {self.option_regions}")
        if self.answer_idx != LETTERS[self.answer]:
            raise ValueError(f"{self.mcq_id}: letter {self.answer_idx} is not option {self.answer}")
        return self


class CompactQuestion(MultipleChoiceQuestion):
    """One of the few multiple-choice questions that stand for all."""

    weight: float = Field(gt=0)
    """For how many questions it stands, relative to the mean of all that were chosen."""
