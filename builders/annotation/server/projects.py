"""The projects of a project file: one for every locale and stage, with all that its tasks are made of."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material, Stage
from blend.builders.annotation.ui_strings import texts_of
from blend.loaders.label_studio.wanted import WantedProject
from blend.loaders.responses.option_sheets import read_suspects
from blend.schemas.language.locales import Locale


class StageLocale(NamedTuple):
    """A stage in a locale."""

    stage: Stage
    locale: Locale
    name: str
    """``PROJECT/STAGE/LOCALE``, by which the server's project is found again."""
    title: str

    @property
    def slug(self) -> str:
        """Name of its files in the pull folder."""
        return f"{self.stage.name}.{self.locale.tag}"

    @property
    def label(self) -> str:
        """Name in messages, beside the name of the project."""
        return f"{self.stage.name} {self.locale.tag}"

    @property
    def path(self) -> str:
        """Name on the command line, ``STAGE/LOCALE``."""
        return f"{self.stage.name}/{self.locale.tag}"

    @property
    def prefix(self) -> str:
        """Beginning of the ids of its tasks."""
        return f"{self.stage.name}/{self.locale.tag}/"


def stage_locales(file: ProjectFile) -> Iterator[StageLocale]:
    """The stages of all locales, in the order of the project file."""
    project = file.project
    for settings in project.locales:
        tag = settings.locale
        for name in project.stages_of(tag):
            stage = STAGES[name]
            yield StageLocale(
                stage, file.locale(tag), f"{project.name}/{name}/{tag}", stage.title(project, tag)
            )


def wanted_projects(checked: CheckedProject) -> list[WantedProject]:
    """List the projects that should be on the server.

    Raises:
        InputError, RowError, RowErrors: If the recipe, or what it names, is wrong.
    """
    file, project = checked.file, checked.file.project
    waiting = checked.waiting
    material = checked.material if waiting.stages else _with_recipe(file, checked.material)
    wanted = []
    for stage_locale in stage_locales(file):
        language = stage_locale.locale.language
        own = project.instructions.get(language)
        texts = texts_of(language, stage_locale.stage.name, None if own is None else file.base / own)
        tasks = stage_locale.stage.tasks(
            project, stage_locale.locale, replace(material, ui_strings=texts.ui_strings)
        )
        wanted.append(
            WantedProject(
                name=stage_locale.name,
                title=stage_locale.title,
                config=stage_locale.stage.config(project, stage_locale.locale, texts),
                overlap=stage_locale.stage.readers(project),
                tasks=tasks,
                # Answers to such questions are left out of the responses.
                closes_unasked=stage_locale.stage.name == "answer",
                waits_until=waiting.until if stage_locale.stage.name in waiting.stages else "",
            )
        )
    return wanted


def _with_recipe(file: ProjectFile, material: Material) -> Material:
    """The material with what the build of the recipe has to add, for stages that need it."""
    used = {stage_locale.stage.name for stage_locale in stage_locales(file)}
    if file.project.recipe is None or not any(STAGES[name].needs_recipe for name in used):
        return material
    from blend.builders.release.reviewing import options_for_natives, undecided_pairs
    from blend.loaders.recipes import read_recipe

    recipe, base = read_recipe(file.base / file.project.recipe), file.base
    if "equivalence" in used:
        material = replace(material, pairs=undecided_pairs(recipe, base=base))
    if "mcq-review" in used:
        suspects = file.project.suspects
        again = None if suspects is None else read_suspects(file.base / suspects)
        options, answered = options_for_natives(recipe, base=base, known=file.locales, again=again)
        material = replace(material, options=options, answered=answered)
    return material
