"""Exporting: tasks and labelling configurations as files, for a Label Studio that nobody of us reaches."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import LocaleSettings, Project
from blend.builders.annotation.server.projects import wanted_projects
from blend.builders.annotation.stages import STAGES
from blend.builders.annotation.stages.model import Material
from blend.builders.annotation.ui_strings import texts_of
from blend.builders.release.reviewing import shown_options
from blend.loaders.files.content import is_directory
from blend.loaders.files.new_files import write_new_files
from blend.loaders.label_studio.wanted import WantedProject
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import resolve_release
from blend.loaders.releases.tables import read_tables, release_locales
from blend.schemas.errors import InputError, UnknownNameError
from blend.schemas.rows.frame_columns import KEY

_RELEASE_STAGE: Final = "mcq-review"
_LONGEST_NAME = 24


def projects_to_export(source: str, *, tags: Sequence[str] | None = None) -> list[WantedProject]:
    """The projects that a project file asks for, or in which the options of a release's questions are read.

    Args:
        source: Project file, directory of a release, or release on the Hub.
        tags: Locales; all when absent.

    Raises:
        BlendError: As `check.check_project` and `references.resolve_release`; if the release has no
            multiple-choice questions, or if a locale is not there.
    """
    path = Path(source)
    if path.suffix == ".toml" and not is_directory(path):
        projects = wanted_projects(check_project(path))
    else:
        projects = _of_release(resolve_release(source))
    found = {_locale(project): project for project in projects}
    for tag in tags or ():
        if tag not in found:
            raise UnknownNameError("locale", tag, found)
    return [project for project in projects if tags is None or _locale(project) in tags]


def write_tasks(projects: Sequence[WantedProject], folder: Path) -> list[str]:
    """Write ``STAGE.LOCALE.json`` (tasks) and ``STAGE.LOCALE.xml`` (labelling configuration) of every project.

    Returns:
        The files, relative to the folder.

    Raises:
        InputError: If no project has any task.
        ConflictError, StorageError: As `files.new_files.write_new_files`.
    """
    contents: dict[str, str | bytes] = {}
    for project in projects:
        if not project.tasks:
            continue
        _, stage, locale = project.name.split("/")
        tasks = [task.payload() for task in project.tasks]
        contents[f"{stage}.{locale}.json"] = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
        contents[f"{stage}.{locale}.xml"] = project.config
    if not contents:
        raise InputError("no tasks; collect questions or answers first, or name another release")
    return write_new_files(folder, contents)


def _locale(project: WantedProject) -> str:
    return project.name.rpartition("/")[2]


def _of_release(release: Path) -> list[WantedProject]:
    tables = read_tables(release)
    if tables.mcqs is None or tables.mcqs.is_empty():
        raise InputError(f"{release}: has no multiple-choice questions to review; name another release")
    known, stage = release_locales(release), STAGES[_RELEASE_STAGE]
    locales = [known.get(tag) for tag in sorted(tables.mcqs["locale"].unique())]
    name = re.sub(r"[^a-z0-9._-]+", "-", read_manifest(release).name.lower())[:_LONGEST_NAME].strip(".-_")
    project = Project(
        name=name or "release",
        stages=(_RELEASE_STAGE,),
        locales=tuple(LocaleSettings(locale=locale.tag) for locale in locales),
    )
    answered = tables.questions.drop("source").join(tables.annotations.drop("source"), on=KEY)
    material = Material(options=shown_options(tables.mcqs), answered=answered)
    texts = [texts_of(locale.language, stage.name) for locale in locales]
    return [
        WantedProject(
            name=f"{project.name}/{stage.name}/{locale.tag}",
            title=stage.title(project, locale.tag),
            config=stage.config(project, locale, of_page),
            overlap=stage.readers(project),
            tasks=stage.tasks(project, locale, replace(material, ui_strings=of_page.ui_strings)),
        )
        for locale, of_page in zip(locales, texts, strict=True)
    ]
