"""Rows: everything that enters the package from people or leaves it in a release, one model each.

A field's alias is its published column name, kept from the public BLEnD dataset; frames inside the package use
the field's own name. The sentence under a field is printed on the dataset card.
"""

from enum import StrEnum
from typing import Annotated, Self

import polars as pl
from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from blend.schemas.arrow_types import frame_schema
from blend.schemas.errors import UnknownNameError
from blend.schemas.formats import AnswerFormat
from blend.schemas.models import Qid, Row, Text
from blend.schemas.personal_data import Pseudonym
from blend.schemas.texts import clean

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
        if self.answers and self.non_answer is not None:
            raise ValueError(f"answers and the non-answer {self.non_answer.value!r}; keep the one or the other")
        if not self.answers and self.non_answer is None:
            kinds = ", ".join(NonAnswer)
            raise ValueError(f"neither an answer nor a non-answer; fill in one; the non-answers are {kinds}")
        if self.reason is None and self.non_answer is NonAnswer.OTHER:
            fix = "write the annotator's own words in column reason"
            raise ValueError(f"the non-answer 'other' without a reason; {fix}")
        if self.reason is not None and self.non_answer is not NonAnswer.OTHER:
            fix = "remove the reason, or write non-answer 'other'"
            raise ValueError(f"a reason without the non-answer 'other'; {fix}")
        return self


class _ReviewedGroup(Row):
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
    groups: tuple[_ReviewedGroup, ...] = ()
    """Valid answers, each in exactly one group of variants."""

    @property
    def decided(self) -> list[str]:
        """Answers on which it decides, as typed: invalid ones, then those of the groups."""
        return [*self.invalid, *(answer for group in self.groups for answer in group.answers)]

    @model_validator(mode="after")
    def _one_decision_per_answer(self) -> Self:
        decided: dict[str, set[int]] = {}
        for number, answers in enumerate([self.invalid, *(group.answers for group in self.groups)]):
            for answer in answers:
                decided.setdefault(clean(answer), set()).add(number)
        twice = sorted(answer for answer, decisions in decided.items() if len(decisions) > 1)
        if twice:
            fix = "name each answer once, as invalid or in one group"
            raise ValueError(f"decided twice: {', '.join(map(repr, twice))}; {fix}")
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


class _OtherReason(Row):
    """A reason for not answering in an annotator's own words."""

    reason: str
    """The reason as typed."""
    count: int = Field(ge=1)
    """Annotators who gave it."""


class _NonAnswers(Row):
    """Votes for not answering, by kind."""

    idk: int | None = Field(ge=0)
    """Annotators who do not know; null, like the two below, where the source does not count them."""
    no_answer: int | None = Field(ge=0, alias="no-answer")
    """Annotators who see no specific answer."""
    not_applicable: int | None = Field(ge=0, alias="not-applicable")
    """Annotators for whom the question does not apply to their culture."""
    others: tuple[_OtherReason, ...] = ()
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
    idks: _NonAnswers
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
    """Id of the multiple-choice question; stays the same while its options and their order stay the same."""
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


class YesNo(StrEnum):
    """Whether something is so, in a word that a model can be asked for."""

    YES = "yes"
    NO = "no"


class TrueFalseQuestion(Row):
    """One option of a multiple-choice question by itself: is it among the first that people there would say?"""

    mcq_id: Text = Field(alias="MCQID")
    """Id of a multiple-choice question that has the same option."""
    template_id: Text = Field(alias="ID")
    """Id of the question's template."""
    country: Text
    """Region that the multiple-choice question is about, by its upstream name, for example ``South_Korea``."""
    locale: Text
    """Locale that it is about, for example ``su-JB``."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""
    prompt: Text
    """Complete prompt: the question, what can be answered, and how."""
    true_false_id: Text
    """Id of the row: that of the multiple-choice question, and the option's number by code points, from 1."""
    question: Text
    """The question alone, in English, naming the region."""
    option: Text
    """The option, as the multiple-choice question shows it."""
    option_region: Text
    """Code of the region whose people gave the option."""
    answer: YesNo
    """``yes`` where the option is the correct one of the four, else ``no``."""


CULTURAL_PROMPTS = "cultural-prompts"

TOPIC_SLOTS = ("{topic}", "{concept}")
"""Where a template takes the topic; the second as the published templates write it."""

ARTICLE_SLOTS = ("{article}", "{vowel}")
"""Where it takes the indefinite article of the nationality."""

NATIONALITY_SLOTS = ("{nationality}", "{identity}")
"""Where it takes the nationality."""


class CulturalPrompt(Row):
    """A request to explain a topic to a reader of some nationality, or to write a story about it for one."""

    prompt_id: Text
    """Id of the prompt, unique in its split: template, category, topic and nationality."""
    prompt: Text
    """Complete prompt."""
    kind: Text
    """What is asked for, the name of the split: ``qa`` (an explanation) or ``stories`` (a story for
    children)."""
    category: Text
    """Category of the topic, for example ``physics``."""
    topic: Text
    """What the text is to be about, for example ``gravity``."""
    nationality: Text
    """Nationality of the reader by its English demonym, for example ``Brazilian``; the same in all
    languages."""
    country_codes: tuple[Text, ...] = Field(min_length=1)
    """ISO 3166-1 codes of the countries whose people are called so; a few demonyms are those of two."""
    region: Text
    """Region of the first of these countries in the United Nations' geoscheme (M49)."""
    language: Text
    """BCP 47 tag of the language of the prompt."""
    template_id: Text
    """Name of the template."""


FOOD_TRIPLES = "food-triples"
_FOOD_ALIGNED = "food-aligned"
_FOOD_TEMPLATES = "food-templates"

PLACEHOLDERS = {"subject": "[X]", "part": "[Y]", "country": "[C]"}
"""What stands for the dish, the ingredient and the country in a template, in every language."""


class _Entity(Row):
    """A Wikidata item with its label in one language."""

    qid: Qid
    """Identifier of the item in Wikidata."""
    label: Text
    """Its label."""


class Triple(Row):
    """One dish in one language: its name, where it comes from, and what it is made of."""

    qid: Qid
    """Identifier of the dish in Wikidata; unique within a language."""
    language: Text
    """BCP 47 tag of the labels, as Wikidata writes it, for example ``zh-hans``."""
    label: Text
    """Name of the dish."""
    description: str | None
    """Wikidata's short description in the language; null where there is none."""
    origin_qid: Qid
    """Country of origin, or the country of what the dish belongs to."""
    origin: Text
    """Name of the country."""
    origin_prompt_name: Text
    """Name of the country as it stands inside a sentence, for ``[C]`` of a template: in English with its
    article, ``the United Kingdom``; in other languages the name itself."""
    origin_en: str | None
    """English name of the country; null where Wikidata has none."""
    origin_via: tuple[Text, ...]
    """Properties of the dish that lead to the country: ``P495`` if it is its own, another if it is that of what
    the dish belongs to."""
    origin_is_historical: bool
    """Whether the country is no more, for example the Soviet Union."""
    stated_origin_qid: Qid
    """Country as Wikidata states it; another than ``origin_qid`` where that is its successor."""
    continents: tuple[Text, ...]
    """English names of the country's continents, in text order; empty where Wikidata names none."""
    parts: tuple[_Entity, ...] = Field(min_length=1)
    """Ingredients that have a label in the language, by item number."""
    materials: tuple[_Entity, ...]
    """Materials that have a label in the language, by item number."""
    image: tuple[Text, ...]
    """Addresses of images on Wikimedia Commons, in text order."""
    original_label: str | None
    """Name of the dish as Wikidata has it, where its script was converted; null elsewhere."""
    original_origin: str | None
    """Name of the country as Wikidata has it, where its script was converted; null elsewhere."""
    original_parts: tuple[_Entity, ...]
    """Ingredients whose label was converted, with the label that Wikidata has."""
    unlabelled_parts: tuple[Qid, ...]
    """Ingredients without a label in the language; they are missing in ``parts``."""


class TripleTemplate(Row):
    """A prompt about one dish and one ingredient, with placeholders."""

    language: Text
    """BCP 47 tag of the language."""
    relation: Annotated[str, Field(pattern=r"^(hasParts|country)_[1-9]\d*(_[1-9]\d*)?$")]
    """Name of the prompt: ``hasParts_1`` to ``hasParts_5``, with the country ``country_1`` to ``country_5``."""
    template: Text
    """Text with ``[X]`` for the dish, ``[Y]`` for the ingredient and ``[C]`` for the country."""
    with_country: bool
    """Whether the country is named."""
    published: bool
    """Whether this is the wording of Zhou et al. (2025); otherwise it is this package's."""


TRIPLES = frame_schema(Triple)
"""One row per dish and language."""

TEMPLATES = frame_schema(TripleTemplate)
"""One row per language and prompt."""

DROPPED = pl.Schema({"qid": pl.String(), "language": pl.String(), "reason": pl.String(), "detail": pl.String()})
"""One row per item left out, or per item left out in one language; ``language`` is null for all languages."""


def split_name(language: str) -> str:
    """Name of a language's split: split names on the Hub hold no hyphen, so ``zh-hans`` is ``zh_hans``."""
    return language.replace("-", "_")


def language_of_split(split: str) -> str:
    """The language whose split it is: ``zh-hans`` of ``zh_hans``."""
    return split.replace("_", "-")


GAP = PLACEHOLDERS["part"]
"""What stands for the candidate in a prompt, in every language."""


ANNOTATIONS = "annotations"
SHORT_ANSWER_QUESTIONS = "short-answer-questions"
SHORT_ANSWER_PROMPTS = "short-answer-prompts"
MULTIPLE_CHOICE_QUESTIONS = "multiple-choice-questions"
TRUE_FALSE_QUESTIONS = "true-false-questions"

_TABLES: dict[str, tuple[type[BaseModel], str]] = {
    ANNOTATIONS: (Annotation, "template_id"),
    SHORT_ANSWER_QUESTIONS: (Question, "template_id"),
    SHORT_ANSWER_PROMPTS: (ShortAnswerPrompt, "prompt_id"),
    MULTIPLE_CHOICE_QUESTIONS: (MultipleChoiceQuestion, "mcq_id"),
    TRUE_FALSE_QUESTIONS: (TrueFalseQuestion, "true_false_id"),
    FOOD_TRIPLES: (Triple, "qid"),
    _FOOD_ALIGNED: (Triple, "qid"),
    _FOOD_TEMPLATES: (TripleTemplate, "relation"),
    CULTURAL_PROMPTS: (CulturalPrompt, "prompt_id"),
}

CONFIGS = {config: model for config, (model, _) in _TABLES.items()}
"""Configuration to row model, in the order of the card."""

KEYS = {config: key for config, (_, key) in _TABLES.items()}
"""Configuration to the field that no two rows of a split share."""

RUNGS = (TRUE_FALSE_QUESTIONS,)
"""Configurations that ask for the answers of multiple-choice questions in harder ways, in one split too."""

ASKED: dict[str, tuple[str, ...]] = dict.fromkeys(
    (MULTIPLE_CHOICE_QUESTIONS, *RUNGS), ("template_id", "country")
)
"""Configuration to the fields that name what is asked, where several rows ask it with other options."""

PER_REGION = (ANNOTATIONS, SHORT_ANSWER_QUESTIONS, SHORT_ANSWER_PROMPTS)
"""Configurations with one split per region."""

QUESTION_CONFIGS = (*PER_REGION, MULTIPLE_CHOICE_QUESTIONS, *RUNGS)
"""Configurations whose rows are about locales."""

NOT_BY_LANGUAGE = (*QUESTION_CONFIGS, CULTURAL_PROMPTS)
"""Configurations whose splits are not languages; those of all others are."""


def _base_config(config: str) -> str:
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
    return CONFIGS[_base_config(config)]


def key_of(config: str) -> str:
    """The field that no two rows of a split of the configuration share."""
    return KEYS[_base_config(config)]
