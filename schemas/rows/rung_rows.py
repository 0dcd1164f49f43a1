"""Rungs: the answers of multiple-choice questions, asked in harder ways."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from blend.schemas.base.docstrings import described
from blend.schemas.base.frozen_model import Row, Text
from blend.schemas.rows.published_rows import LETTERS

FourTexts = Annotated[tuple[Text, ...], Field(min_length=len(LETTERS), max_length=len(LETTERS))]
"""A text for each of four options."""


@described
class YesNo(StrEnum):
    """Whether something is so, in a word that a model can be asked for."""

    YES = "yes"
    NO = "no"


class TrueFalseQuestion(Row):
    """One option of a multiple-choice question by itself: would most people of the region say it?"""

    true_false_id: Text
    """Id of the row: that of the multiple-choice question, and the number of the option by code points, from 1;
    it stays the same while the options do, wherever they stand."""
    mcq_id: Text = Field(alias="MCQID")
    """Id of the multiple-choice question that has the option; four rows share it."""
    template_id: Text = Field(alias="ID")
    """Id of the question's template."""
    country: Text
    """Region asked about, by its upstream name, for example ``South_Korea``."""
    prompt: Text
    """Complete prompt: question, option, and the request for yes or no."""
    question: Text
    """The question alone, in English, naming the region."""
    option: Text
    """The option, as the multiple-choice question shows it."""
    answer: YesNo
    """``yes`` where the option is the correct one of the four, else ``no``."""
    option_region: Text | None
    """Code of the region whose people gave the option; null where the source does not say."""
    locale: Text
    """Locale asked about, for example ``su-JB``."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""


class RegionQuestion(Row):
    """An answer that most people of one region gave, and four regions of which it can be."""

    region_question_id: Text
    """Id of the row; stays the same while its answer and its regions stay the same."""
    mcq_id: Text = Field(alias="MCQID")
    """Id of a multiple-choice question whose correct option is the answer: the first of its variants."""
    template_id: Text = Field(alias="ID")
    """Id of the question's template."""
    country: Text
    """Region whose people gave the answer, by its upstream name, for example ``South_Korea``."""
    prompt: Text
    """Complete prompt: question, instruction and lettered regions."""
    question: Text
    """The question alone, in English: what people were asked, what was said, and where most said it."""
    neutral_question: Text
    """What people were asked, in English; ``your region`` stands where their region was named."""
    given_answer: Text
    """The answer, as the multiple-choice question shows it."""
    options: FourTexts
    """Regions to choose from, named as questions name them, for example ``the US``."""
    option_regions: FourTexts
    """Codes of the regions, in the same order."""
    answer_idx: Text
    """Letter of the right region."""
    answer: int = Field(ge=0, lt=len(LETTERS))
    """Index of the right region, from 0."""
    locale: Text
    """Locale whose people gave the answer, for example ``su-JB``."""
    topic: Text
    """One of the topics of the dataset, for example ``Food``."""

    @model_validator(mode="after")
    def _four_regions(self) -> Self:
        for name, regions in (("options", self.options), ("option_regions", self.option_regions)):
            if len(set(regions)) != len(regions):
                raise ValueError(f"{self.region_question_id}: {name} are not distinct: {regions}")
        if self.answer_idx != LETTERS[self.answer]:
            raise ValueError(f"{self.region_question_id}: letter {self.answer_idx} is not option {self.answer}")
        return self
