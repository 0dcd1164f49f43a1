"""Stages: what people do one after the other, from questions of their own to reviewed answers."""

from functools import cache

from blend.builders.annotation.project import StageName
from blend.builders.annotation.stages import answer, collect, mcq_review, review
from blend.builders.annotation.stages.judge import judge_stage, judges
from blend.builders.annotation.stages.model import Stage

_OWN = {one.STAGE.name: one.STAGE for one in (collect, answer, review, mcq_review)}


@cache
def stage_of(name: StageName) -> Stage:
    """The stage of a name, of `project.ORDER`."""
    return _OWN[name] if name in _OWN else judge_stage(name, judges()[name])
