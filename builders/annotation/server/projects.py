"""The projects of a project file: one for every locale and stage, with all that its tasks are made of."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from blend.builders.annotation.check import CheckedProject
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.stages import stage_of
from blend.builders.annotation.stages.model import Material, Stage
from blend.builders.annotation.ui_strings import texts_of
from blend.loaders.label_studio.plan import Quota, WantedProject
from blend.loaders.responses.option_sheets import read_suspects
from blend.schemas.locales import Locale


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
            title = stage.title(project, tag)
            yield StageLocale(stage, file.locale(tag), f"{project.name}/{name}/{tag}", title)


def wanted_projects(
    checked: CheckedProject, asked: Mapping[str, Mapping[str, Quota]] | None = None
) -> list[WantedProject]:
    """List the projects that should be on the server.

    Args:
        checked: The project.
        asked: Of how many people the tasks of a project are asked, from `asking.asked_people`.

    Raises:
        InputError, RowError, RowErrors: If the recipe, or what it names, is wrong.
    """
    file, project, waiting = checked.file, checked.file.project, checked.waiting
    material = checked.material if waiting.stages else _with_recipe(file, checked.material)
    wanted = []
    for stage, locale, name, title in stage_locales(file):
        own = project.instructions.get(locale.language)
        texts = texts_of(locale.language, stage.name, None if own is None else file.base / own)
        wanted.append(
            WantedProject(
                name=name,
                title=title,
                config=stage.config(project, locale, texts),
                overlap=stage.readers(project),
                tasks=stage.tasks(project, locale, replace(material, ui_strings=texts.ui_strings)),
                asked=(asked or {}).get(name, {}),
                # Answers to such questions are left out of the responses.
                closes_unasked=asked is not None and stage.name == "answer",
                waits_until=waiting.until if stage.name in waiting.stages else "",
            )
        )
    return wanted


def _with_recipe(file: ProjectFile, material: Material) -> Material:
    """The material with the options that a build of the recipe may show, for the stage that needs it."""
    used = {one.stage.name for one in stage_locales(file)}
    if file.project.recipe is None or "mcq-review" not in used:
        return material
    from blend.builders.release.reviewing import options_for_natives
    from blend.loaders.recipes import read_recipe

    recipe, suspects = read_recipe(file.base / file.project.recipe), file.project.suspects
    again = None if suspects is None else read_suspects(file.base / suspects)
    options, answered = options_for_natives(recipe, base=file.base, known=file.locales, again=again)
    return replace(material, options=options, answered=answered)
