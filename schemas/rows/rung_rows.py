"""Rungs: the answers of multiple-choice questions, asked in harder ways."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from blend.schemas.base.frozen_model import Row, Text
from blend.schemas.rows.published_rows import LETTERS

FourTexts = Annotated[tuple[Text, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))]
"""A text for each of four options."""


class YesNo(StrEnum):
    """Whether something is so, in a word that a model can be asked for."""

    YES = "yes"
    NO = "no"


class Rung(Row):
    """What all rungs tell of a question."""

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


class TrueFalseQuestion(Rung):
    """One option of a multiple-choice question by itself: is it among the first that people there would say?"""

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


class RegionQuestion(Rung):
    """An answer that most people of one region gave, and four regions of which it can be."""

    region_question_id: Text
    """Id of the row; stays the same while its answer and its regions stay the same."""
    neutral_question: Text
    """What people were asked, in English; ``your homeland`` stands where their region was named."""
    given_answer: Text
    """The answer: the correct option of the multiple-choice question, the first of those that have it."""
    question: Text
    """The question alone: what people were asked, what was answered, and where most did so."""
    options: FourTexts
    """Regions to choose from, named as questions name them, for example ``the US``."""
    option_regions: FourTexts
    """Codes of the regions, in the same order."""
    answer_idx: Text
    """Letter of the right region."""
    answer: int = Field(ge=0, lt=len(LETTERS))
    """Index of the right region, from 0."""

    @model_validator(mode="after")
    def _four_regions(self) -> Self:
        if len(set(self.options)) != len(LETTERS) or len(set(self.option_regions)) != len(LETTERS):
            raise ValueError(f"{self.region_question_id}: regions are not distinct: {self.options}")
        if self.answer_idx != LETTERS[self.answer]:
            raise ValueError(f"{self.region_question_id}: letter {self.answer_idx} is not option {self.answer}")
        return self
