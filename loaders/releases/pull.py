"""Pulling: a release on the Hub becomes a directory again, byte for byte."""

import shutil
from pathlib import Path

from blend.loaders.files.atomic import atomic_directory
from blend.loaders.files.content import check_tables
from blend.loaders.releases import read_manifest
from blend.loaders.releases.files import read_release_files
from blend.loaders.releases.references import fetch_release, hub_reference, resolve_release
from blend.loaders.releases.replacing import replaceable
from blend.schemas.errors import InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest


def pull_release(
    reference: str, out: Path | str, *, endpoint: str | None = None, replace: bool = False
) -> ReleaseManifest:
    """Copy a release from the Hub into a directory of its own.

    What the repository holds besides the release (the Hub's own ``.gitattributes``) stays there. ``out``
    appears complete or not at all, and can be built on, compared and published like one that was built here.

    Args:
        reference: ``org/name@revision``, with a tag or a commit.
        out: Directory to make; an existing release of the same name there is replaced, unless
            somebody has edited it.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        replace: Whether the release of another dataset may be replaced as well.

    Returns:
        The manifest.

    Raises:
        BlendError: If the reference names no release, if a file is not as the manifest says, if a table
            is damaged or takes too much memory, or if ``out`` holds something else than such a release or
            cannot be written.
    """
    named = None if Path(reference).is_dir() else hub_reference(reference)
    if named is None:
        raise InputError(f"{reference}: names no release on the Hub; write org/name@v1.0.0")
    if named.revision is None:
        there = resolve_release(reference, endpoint=endpoint)  # says which versions there are
    else:
        there = fetch_release(named.repo_id, named.revision, endpoint=endpoint)
    manifest = read_manifest(there)
    # What no command would read afterwards is not handed to other tools either.
    for config in dict.fromkeys(table.config for table in manifest.tables):
        tables = (table for table in manifest.tables if table.config == config)
        check_tables(there / file for table in tables for file in table.files)
    check = replaceable(manifest.name, replace=replace)
    with atomic_directory(Path(out), check=check) as release:
        for path in (MANIFEST_NAME, *(file.path for file in manifest.files)):
            (release / path).parent.mkdir(parents=True, exist_ok=True)
            # The cache links to its own files: copy what they hold.
            shutil.copyfile(there / path, release / path)
        read_release_files(release)
    return manifest
