"""The pull folder: what comes from the server as it is, one process at a time; it holds people's data."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from blend.loaders.files.atomic import atomic_write
from blend.loaders.files.content import read_content
from blend.loaders.files.pulled_files import EVENTS, STATE
from blend.loaders.files.storage import storage_errors
from blend.schemas.errors import ConflictError, InputError

IMPORTING = "importing.json"
GIT_FILES = {
    ".gitignore": f"*\n!{EVENTS}\n!.git*\n",
    # Two leads add lines of their own, and their order is of no account.
    ".gitattributes": f"{EVENTS} merge=union\n",
}
"""Files that have git keep the events, and nothing else of a pull folder."""


class _ProjectState(BaseModel):
    """See `inventory.InventoriedProject.state`."""

    project: int
    tasks: int
    annotations: int
    dated: str | None


class _State(BaseModel):
    projects: dict[str, _ProjectState] = {}
    written: dict[str, list[str]] = {}


class Folder:
    """A pull folder that this process holds.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def importing(self) -> int | None:
        """The project into which a push was importing when it was stopped."""
        value = self._read(IMPORTING).get("project")
        return value if isinstance(value, int) else None

    def begin_import(self, project: int) -> None:
        """Write down that tasks are about to be imported."""
        atomic_write(self.path / IMPORTING, json.dumps({"project": project}))

    def end_import(self) -> None:
        """Write down that they have been."""
        (self.path / IMPORTING).unlink(missing_ok=True)

    @property
    def state(self) -> Mapping[str, Any]:
        """State at the last pull, by what it is of; empty before the first pull."""
        state = self._read(STATE)
        try:
            _State.model_validate(state, strict=True)
        except ValidationError as error:
            raise self._damaged(STATE) from error
        return state

    @property
    def events(self) -> Path:
        """The file of the events."""
        return self.path / EVENTS

    def write_state(self, state: Mapping[str, Any]) -> None:
        """Remember what was pulled."""
        atomic_write(self.path / STATE, json.dumps(state, indent=1, sort_keys=True) + "\n")

    def _read(self, name: str) -> Mapping[str, Any]:
        path = self.path / name
        if not path.exists():
            return {}
        try:
            value = json.loads(read_content(path))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self._damaged(name)
        return value

    def _damaged(self, name: str) -> InputError:
        return InputError(f"{self.path / name}: is damaged; delete it, and everything is asked anew")


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
