"""Locations: where a release lies, and the files of it that are wanted, here, in the cache or on the Hub."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.hub.client import hub_name
from blend.loaders.releases import read_manifest
from blend.loaders.releases.files import check_complete, file_faults
from blend.loaders.releases.references import Reference, fetch_release, hub_reference, resolve_release
from blend.loaders.releases.tables import release_locales
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry
from blend.schemas.manifest import DOMAINS_NAME, LOCALES_NAME, ReleaseManifest, TableInfo

ON_HUB = "hf://"
"""How the address of a file on the Hub begins."""


class FoundRelease(NamedTuple):
    """A release whose tables may still be on the Hub."""

    folder: Path
    """Directory of the release, or what the cache holds of it: the manifest, and tables that were fetched."""
    manifest: ReleaseManifest
    """Its manifest."""
    locales: Registry
    """The locales that it can hold: the packaged ones and its own."""
    on_hub: Reference | None
    """Where it is on the Hub; null of a directory."""


def find_release(release: str | Path, *, revision: str | None = None) -> FoundRelease:
    """Find a release; from the Hub nothing but its manifest and registries is downloaded.

    Args:
        release: A directory, ``org/name``, or ``org/name@revision``.
        revision: Tag or commit on the Hub.

    Raises:
        BlendError: If the release cannot be found or read.
    """
    reference = _reference(release, revision)
    if isinstance(reference, Path):
        folder, on_hub = reference, None
    else:
        assert reference.revision is not None
        folder = fetch_release(reference.repo_id, reference.revision, wanted=_own_registries)
        on_hub = reference
    return FoundRelease(folder, read_manifest(folder), release_locales(folder), on_hub)


def fetch_tables(
    found: FoundRelease, tables: Sequence[TableInfo], *, streaming: bool = False
) -> dict[str, str]:
    """Have the files of some tables at hand; from the Hub nothing else is downloaded.

    Files in a directory or in the Hub client's cache are compared with the digests in ``release.json``. Files
    that are only streamed are not, since that takes the whole of them.

    Args:
        found: The release.
        tables: The tables.
        streaming: Whether to leave files where they are, if they are not in the cache.

    Returns:
        Path or address of each file, by its path in the release.

    Raises:
        BlendError: If files are missing or damaged.
    """
    from huggingface_hub import is_offline_mode

    files = [file for table in tables for file in table.files]
    here = {file: str(found.folder / file) for file in files}
    if found.on_hub is None:
        check_complete(found.folder, files)
        return here
    repo_id, revision = found.on_hub
    assert revision is not None
    if not (streaming or is_offline_mode()):
        fetch_release(repo_id, revision, wanted=lambda _: files)
        return here
    # Offline nothing is fetched either: what is in the cache is there, and the rest is not.
    absent = {path for of_kind in file_faults(found.folder, files).values() for path in of_kind}
    if absent and is_offline_mode():
        raise InputError(
            f"{hub_name(repo_id)}, revision {revision}: {', '.join(sorted(absent))} is not whole in the cache, "
            "and HF_HUB_OFFLINE forbids to fetch it; load it once with a connection, without streaming"
        )
    there = f"{ON_HUB}datasets/{repo_id}@{found.folder.name}"
    return here | {path: f"{there}/{path}" for path in absent}


def named(manifest: ReleaseManifest) -> str:
    """Return what messages call a release."""
    return f"{manifest.name} {manifest.version}"


def _reference(release: str | Path, revision: str | None) -> Path | Reference:
    path = Path(release)
    if path.is_dir():
        if revision is not None:
            raise InputError(
                f"{release}: a directory has no revisions; leave revision={revision!r} out, "
                "or name a repository on the Hub"
            )
        return path
    on_hub = hub_reference(str(release))
    if on_hub is None or (revision or on_hub.revision) is None:
        # It names nothing that can be loaded, and the error says why.
        return resolve_release(release)
    if revision is not None and on_hub.revision not in (None, revision):
        raise InputError(f"{release}: names another revision than revision={revision!r}; name one of the two")
    return Reference(on_hub.repo_id, revision or on_hub.revision)


def _own_registries(manifest: ReleaseManifest) -> list[str]:
    """The files of the locales and of the domain that a release brings along, if it does."""
    return [file.path for file in manifest.files if file.path in (LOCALES_NAME, DOMAINS_NAME)]
