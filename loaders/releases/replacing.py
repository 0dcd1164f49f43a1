"""Replacing: which directories a new release may take the place of; nobody's files and edits are deleted."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from blend.loaders.releases import read_manifest
from blend.loaders.releases.files import file_faults, some_of
from blend.schemas.errors import BlendError, InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest


def held_release(out: Path) -> ReleaseManifest | None:
    """The release that stands in a directory; null if there is none that can be read."""
    try:
        return read_manifest(out)
    except BlendError:
        return None


def replaceable(name: str, *, replace: bool) -> Callable[[Path], None]:
    """A check that a release may take the place of a directory, for `files.atomic.atomic_directory`.

    Args:
        name: Name of the dataset that is to take its place.
        replace: Whether the release of another dataset may be replaced; files that are not a release's never
            are.

    Returns:
        The check, which raises as `_check_replaceable` does.
    """
    return partial(_check_replaceable, name=name, replace=replace)


def _check_replaceable(out: Path, name: str, *, replace: bool) -> None:
    """Refuse to replace what is not a release of the same name, was edited, or holds more than its files.

    Args:
        out: An existing directory with a file ``release.json``.
        name: Name of the dataset that is to take its place.
        replace: Whether the release of another dataset may be replaced; files that are not a release's, or are
            no longer what was released, never are.

    Raises:
        InputError: If it may not be replaced; names the release, or the first files that are not its own or
            were edited.
    """
    held = held_release(out)
    if held is None:
        raise InputError(
            f"{out}: its {MANIFEST_NAME} is not the manifest of a release that this version reads, so nothing "
            f"here is replaced; choose another `out` or move the directory away"
        )
    named = {MANIFEST_NAME, *(file.path for file in held.files)}
    foreign = [path for path in _everything_in(out) if path not in named]
    if foreign:
        raise InputError(
            f"{out}: holds what is not of the release {held.name} {held.version} there ({some_of(foreign)}), "
            f"so it is not replaced; move these files away or choose another `out`"
        )
    if edited := file_faults(out)["changed"]:
        one = len(edited) == 1
        raise InputError(
            f"{out}: {some_of(edited)} {'has' if one else 'have'} been edited since the release {held.name} "
            f"{held.version} there was made ({MANIFEST_NAME} has another sha256), so it is not replaced; copy "
            f"what you want to keep and delete the edited {'file' if one else 'files'}, or choose another `out`"
        )
    if held.name != name and not replace:
        raise InputError(
            f"{out}: holds the release {held.name} {held.version}, and this one is of {name}; "
            f"choose another `out`, or give `replace=True` to replace it"
        )


def _everything_in(folder: Path) -> list[str]:
    """The paths of all files and links in a directory, hidden ones as well, and of empty folders."""
    found = []
    for at, folders, names in os.walk(folder):
        inside = Path(at)
        links = [name for name in folders if (inside / name).is_symlink()]
        found += [(inside / name).relative_to(folder).as_posix() for name in [*names, *links]]
        if not folders and not names and inside != folder:
            found.append(f"{inside.relative_to(folder).as_posix()}/")
    return sorted(found)
