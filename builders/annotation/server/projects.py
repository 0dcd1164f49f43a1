"""The projects of a project file: one for every locale and stage, with all that its tasks are made of."""

from collections.abc import Iterator
from typing import NamedTuple

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material, Stage
from blend.builders.annotation.words import instruction_of
from blend.loaders.label_studio.wanted import WantedProject
from blend.loaders.responses import read_responses
from blend.schemas.locales import Locale


class Place(NamedTuple):
    """A stage in a locale."""

    stage: Stage
    locale: Locale
    name: str
    """``PROJECT/STAGE/LOCALE``, by which the server's project is found again."""
    title: str

    @property
    def slug(self) -> str:
        """What its files in the pull folder are called."""
        return f"{self.stage.name}.{self.locale.tag}"

    @property
    def prefix(self) -> str:
        """What the ids of its tasks begin with."""
        return f"{self.stage.name}/{self.locale.tag}/"


def places(file: ProjectFile) -> Iterator[Place]:
    """The stages of all locales, in the order of the project file."""
    project = file.project
    for settings in project.locales:
        tag = settings.locale
        for name in project.stages_of(tag):
            stage = STAGES[name]
            yield Place(stage, file.locale(tag), f"{project.name}/{name}/{tag}", stage.title(project, tag))


def material_of(file: ProjectFile) -> Material:
    """All that tasks are made of, as it lies in the directory of raw responses.

    Raises:
        InputError, RowError, RowErrors: As `loaders.responses.read_responses`.
    """
    tables = read_responses(file.collected, locales=file.locales, reviewing=True, collecting=True)
    return Material(tables.questions, tables.responses, tables.reviews)


def wanted_projects(file: ProjectFile) -> list[WantedProject]:
    """What should be on the server.

    Raises:
        InputError, RowError, RowErrors: If the project file, or what it names, is wrong.
    """
    project, material = file.project, material_of(file)
    wanted = []
    for place in places(file):
        language = place.locale.language
        own = project.instructions.get(language)
        instruction = instruction_of(language, place.stage.name, None if own is None else file.base / own)
        tasks = place.stage.tasks(project, place.locale, material)
        wanted.append(
            WantedProject(
                name=place.name,
                title=place.title,
                config=place.stage.config(project, place.locale, instruction),
                overlap=max((task.wanted for task in tasks), default=1),
                tasks=tasks,
                renewed=place.stage.by_reviewers,
            )
        )
    return wanted
