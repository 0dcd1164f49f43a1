"""The pull folder: what comes from the server as it is, one process at a time; it holds people's data."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from blend.loaders.files.atomic import atomic_write, storage_errors
from blend.loaders.files.content import read_content
from blend.loaders.files.new_files import EVENTS, STATE
from blend.schemas.errors import ConflictError, InputError

GIT_FILES = {
    ".gitignore": f"*\n!{EVENTS}\n!.git*\n",
    # Two leads add lines of their own, and their order is of no account.
    ".gitattributes": f"{EVENTS} merge=union\n",
}
"""Files that have git keep the events, and nothing else of a pull folder."""


class ProjectState(BaseModel):
    """See `remote.RemoteProject.state`."""

    project: int
    dated: str


class State(BaseModel):
    """What is remembered of the last sync; without it, everything is asked anew."""

    projects: dict[str, ProjectState] = {}
    """Of the server's projects, by name."""
    events: str = ""
    """Digest of the events as that sync left them."""
    written: dict[str, list[str]] = {}
    """Digests of the files that were written, by path from the folder, so that a project may be moved."""
    importing: int | None = None
    """The project into which a push was importing when it was stopped."""


class Folder:
    """A pull folder that this process holds.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def events(self) -> Path:
        """The file of the events."""
        return self.path / EVENTS

    @property
    def state(self) -> State:
        """What is remembered."""
        path = self.path / STATE
        try:
            return State.model_validate_json(read_content(path) if path.exists() else b"{}", strict=True)
        except ValidationError:
            raise InputError(f"{path}: is damaged; delete it, and everything is asked anew") from None

    def remember(self, **values: Any) -> None:
        """Write down some values, beside those that are there."""
        state = self.state.model_copy(update=values)
        atomic_write(self.path / STATE, state.model_dump_json(indent=1) + "\n")


@contextmanager
def held(path: Path) -> Iterator[Folder]:
    """A pull folder, made if it is not there, for this process alone.

    Raises:
        ConflictError: If another process holds it.
        StorageError: If it cannot be written.
    """
    with storage_errors(path, fix="change key pulled or permissions"):
        path.mkdir(parents=True, exist_ok=True)
        for name, content in GIT_FILES.items():
            if not os.path.lexists(path / name):
                atomic_write(path / name, content)
    lock = FileLock(path / ".lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConflictError(
            f"{path}: another `blend annotate` is at work with this folder; wait until it has ended"
        ) from None
    try:
        yield Folder(path)
    finally:
        lock.release()
