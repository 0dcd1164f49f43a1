"""The session: one visit to a project's server, for one command or for several that follow each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import Account
from blend.builders.annotation.server.projects import stage_locales
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.connection import label_studio
from blend.loaders.label_studio.folder import Folder, held
from blend.loaders.label_studio.push import settle
from blend.loaders.label_studio.remote import Inventory


class Session:
    """The pull folder, held for this process alone, and the server.

    Args:
        folder: The folder.
        studio: The server.
        there: What the server had when the session began; whoever removes anything looks again.
    """

    def __init__(self, folder: Folder, studio: Studio, there: Inventory) -> None:
        self.folder, self.studio, self.there = folder, studio, there

    @cached_property
    def accounts(self) -> dict[int, Account]:
        """The accounts of the server by their number, asked for once."""
        return {number: Account(*found) for number, found in self.studio.accounts().items()}


@contextmanager
def session(file: ProjectFile) -> Iterator[Session]:
    """Hold the pull folder, ask the server who it is, and look what it has of a project.

    Args:
        file: The project.

    Raises:
        InputError: If there is no token.
        ConflictError: If another process is at work with the pull folder.
        ServerError: If the server fails.
    """
    server = file.project.server
    with held(file.pulled) as folder, label_studio(server.url, variable=server.key_variable) as studio:
        settle(studio, folder)
        yield Session(folder, studio, studio.inventory({one.name for one in stage_locales(file)}))
