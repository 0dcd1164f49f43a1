"""Stages: what people do one after the other, from questions of their own to reviewed answers."""

from blend.builders.annotation.project import StageName
from blend.builders.annotation.stages.answer import STAGE as ANSWER
from blend.builders.annotation.stages.model import Stage
from blend.builders.annotation.stages.review import STAGE as REVIEW

STAGES: dict[StageName, Stage] = {stage.name: stage for stage in (ANSWER, REVIEW)}
"""All stages, by name."""
