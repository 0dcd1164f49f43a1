"""The session: one visit to a project's server, for one command or for several that follow each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.projects import stage_locales
from blend.loaders.label_studio.client import Studio, label_studio
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.label_studio.inventory import Inventory, inventory
from blend.loaders.label_studio.push import settle


class Session(NamedTuple):
    """The pull folder, held for this process alone, and the server."""

    folder: Folder
    studio: Studio
    there: Inventory
    """What the server had when the session began; whoever removes anything looks again."""


@contextmanager
def session(file: ProjectFile, within: Session | None = None) -> Iterator[Session]:
    """Hold the pull folder, ask the server who it is, and look what it has of a project.

    Args:
        file: The project.
        within: A session that is open already; then there is nothing to do, and it stays open.

    Raises:
        InputError: If there is no token.
        ConflictError: If another process is at work with the pull folder.
        ServerError: If the server fails.
    """
    if within is not None:
        yield within
        return
    server = file.project.server
    with held(file.pulled) as folder, label_studio(server.url, variable=server.key_variable) as studio:
        settle(studio, folder)
        yield Session(
            folder, studio, inventory(studio, {stage_locale.name for stage_locale in stage_locales(file)})
        )
