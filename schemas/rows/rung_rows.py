"""Rungs: the answers of multiple-choice questions, asked in harder ways."""

from enum import StrEnum

from pydantic import Field

from blend.schemas.base.frozen_model import Row, Text


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
