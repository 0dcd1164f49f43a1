"""The starter: one small file of every kind that a dataset of one's own needs, which build as they are."""

import os
from importlib.resources import as_file, files
from pathlib import Path

from blend.loaders.files.whole import write_whole
from blend.schemas.errors import ConflictError, InputError, StorageError

_SUFFIXES = (".toml", ".csv")


def write_starter(folder: Path) -> list[str]:
    """Write recipe, locale file, templates, questions and responses, with example rows, into a folder.

    Nothing is ever replaced: either all files are written, or none.

    Args:
        folder: Made if it is not there. Files of other names may be in it.

    Returns:
        The paths of the files, relative to the folder, in text order.

    Raises:
        InputError: If something else than a folder has that name.
        ConflictError: If one of the files is there already.
        StorageError: If the folder cannot be written.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{folder}: is not a folder; name one to make")
    with as_file(files("blend.loaders") / "starter") as packaged:
        contents = {
            path.relative_to(packaged).as_posix(): path.read_bytes()
            for path in sorted(packaged.rglob("*"))
            if path.suffix in _SUFFIXES
        }
    present = [path for path in contents if os.path.lexists(folder / path)]
    if present:
        raise ConflictError(
            f"{folder}: holds {', '.join(present)} already, and nothing is replaced; choose another folder"
        )
    try:
        for path, content in contents.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / path, content)
    except OSError as error:
        raise StorageError(f"{folder}: cannot write here ({error.strerror}); choose another folder") from error
    return sorted(contents)
