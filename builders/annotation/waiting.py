"""Waiting stages: those whose tasks a build makes, while it cannot be made of what people have given so far."""

import os
from collections.abc import Collection
from typing import NamedTuple

from blend.builders.annotation.project import ORDER, ProjectFile, StageName
from blend.builders.annotation.stages import stage_of
from blend.loaders.recipes import read_recipe
from blend.loaders.responses import read_responses
from blend.schemas.errors import InputError


class Waiting(NamedTuple):
    """Stages that get no tasks for now; those that are there stay."""

    stages: Collection[StageName] = ()
    """Their names."""
    until: str = ""
    """What they wait for, after *until* or *once*."""


def waiting_stages(file: ProjectFile) -> Waiting:
    """The stages that need a build of responses that nobody has given yet, or at which a build stops.

    What stops it is put right in other stages, a review for one, which must go on meanwhile.
    """
    used = {stage for settings in file.project.locales for stage in file.project.stages_of(settings.locale)}
    stages = [name for name in ORDER if name in used and stage_of(name).needs_recipe]
    if not stages or file.project.recipe is None:
        return Waiting()
    sources = read_recipe(file.base / file.project.recipe).sources
    own = {os.path.realpath(file.base / one.location) for one in sources if one.kind == "responses"}
    if os.path.realpath(file.collected) not in own:
        return Waiting()
    if not any(not path.name.startswith(".") for path in (file.collected / "responses").glob("*")):
        return Waiting(stages, "there are responses")
    try:
        read_responses(file.collected, locales=file.locales)
    except InputError as error:
        return Waiting(stages, f"a build takes the responses ({str(error).splitlines()[0]})")
    return Waiting()
