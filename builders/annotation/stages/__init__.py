"""Stages: what people do one after the other, from questions of their own to reviewed answers."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from blend.builders.annotation.project import ProjectFile, StageName
from blend.builders.annotation.stages import answer, collect, mcq_review, review
from blend.builders.annotation.stages.judge import judge_stage, judges
from blend.builders.annotation.stages.model import Stage
from blend.schemas.locales import Locale

_OWN = {one.STAGE.name: one.STAGE for one in (collect, answer, review, mcq_review)}


@cache
def stage_of(name: StageName) -> Stage:
    """The stage of a name, of `project.ORDER`."""
    return _OWN[name] if name in _OWN else judge_stage(name, judges()[name])


class StageLocale(NamedTuple):
    """A stage in a locale."""

    stage: Stage
    locale: Locale
    name: str
    """``PROJECT/STAGE/LOCALE``, by which the server's project is found again."""
    title: str

    @property
    def slug(self) -> str:
        """What the events call it."""
        return f"{self.stage.name}.{self.locale.tag}"


def stage_locales(file: ProjectFile) -> Iterator[StageLocale]:
    """The stages of all locales, in the order of the project file."""
    project = file.project
    for settings in project.locales:
        tag = settings.locale
        for name in project.stages_of(tag):
            stage = stage_of(name)
            yield StageLocale(
                stage, file.locale(tag), f"{project.name}/{name}/{tag}", stage.title(project, tag)
            )
