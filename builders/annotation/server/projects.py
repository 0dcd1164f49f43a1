"""The projects of a project file: one for every locale and stage, with all that its tasks are made of."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material, Stage
from blend.builders.annotation.words import texts_of
from blend.loaders.label_studio.wanted import WantedProject
from blend.schemas.frames import MCQ_ROWS
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
    def label(self) -> str:
        """What messages call it beside the name of the project."""
        return f"{self.stage.name} {self.locale.tag}"

    @property
    def path(self) -> str:
        """How the command line names it, ``STAGE/LOCALE``."""
        return f"{self.stage.name}/{self.locale.tag}"

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


def wanted_projects(checked: CheckedProject) -> list[WantedProject]:
    """What should be on the server.

    Raises:
        InputError, RowError, RowErrors: If the recipe, or what it names, is wrong.
    """
    file, project = checked.file, checked.file.project
    material = _with_recipe(file, checked.material)
    wanted = []
    for place in places(file):
        language = place.locale.language
        own = project.instructions.get(language)
        texts = texts_of(language, place.stage.name, None if own is None else file.base / own)
        tasks = place.stage.tasks(project, place.locale, replace(material, words=texts.words))
        wanted.append(
            WantedProject(
                name=place.name,
                title=place.title,
                config=place.stage.config(project, place.locale, texts),
                overlap=max((task.wanted for task in tasks), default=1),
                tasks=tasks,
                renewed=place.stage.name in _RENEWED,
            )
        )
    return wanted


_RENEWED = frozenset({"review", "equivalence", "mcq-review"})
"""Stages whose tasks are made of answers, so that others take their place when further answers come."""


def _with_recipe(file: ProjectFile, material: Material) -> Material:
    """The material with what the build of the recipe has to add, for stages that need it."""
    used = {place.stage.name for place in places(file)}
    if file.project.recipe is None or not used & {"equivalence", "mcq-review"}:
        return material
    from blend.builders.release.reviewing import undecided_pairs
    from blend.builders.release.tables import build_tables
    from blend.loaders.recipes import read_recipe

    recipe, base = read_recipe(file.base / file.project.recipe), file.base
    if "equivalence" in used:
        material = replace(material, pairs=undecided_pairs(recipe, base=base))
    if "mcq-review" in used:
        tables = build_tables(recipe, base=base, locales=file.locales)
        mcqs = pl.concat([pl.DataFrame(schema=MCQ_ROWS), *tables.mcq_batches()])
        material = replace(material, mcqs=mcqs, answered=tables.annotation_rows())
    return material
