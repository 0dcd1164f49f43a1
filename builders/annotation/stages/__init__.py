"""Stages: what people do one after the other, from questions of their own to reviewed answers."""

from blend.builders.annotation.project import StageName
from blend.builders.annotation.stages import answer, collect, equivalence, mcq_review, predictions, review
from blend.builders.annotation.stages.model import Stage

STAGES: dict[StageName, Stage] = {
    module.STAGE.name: module.STAGE
    for module in (collect, answer, review, equivalence, mcq_review, predictions)
}
"""All stages, by name, in the order in which they happen."""
