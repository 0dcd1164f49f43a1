"""Places: where the files of a release lie that a reader wants, in a directory, in the cache or on the Hub."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blend.loaders.hub.client import hub_name
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import (
    Reference,
    check_complete,
    damaged_files,
    fetch_release,
    hub_reference,
    resolve_release,
)
from blend.loaders.releases.tables import release_locales
from blend.schemas.errors import InputError
from blend.schemas.locales import Registry
from blend.schemas.manifest import DOMAINS_NAME, LOCALES_NAME, ReleaseManifest, TableInfo

ON_HUB = "hf://"
"""How the address of a file on the Hub begins."""

Choose = Callable[[ReleaseManifest, Registry], Sequence[TableInfo]]
"""Chooses tables of a release by its manifest and the locales that it can hold; refuses what it lacks."""


class Places(NamedTuple):
    """Tables of a release, found."""

    folder: Path
    """Directory of the release, or what the cache holds of it: the manifest and the files of the tables."""
    manifest: ReleaseManifest
    """The manifest of the release."""
    locales: Registry
    """The locales that it can hold: the packaged ones and its own."""
    tables: Sequence[TableInfo]
    """The tables chosen."""
    addresses: Mapping[str, str]
    """Path or address of each file of the tables, by its path in the release."""


def find_tables(
    release: str | Path, choose: Choose, *, revision: str | None = None, streaming: bool = False
) -> Places:
    """Find the files of some tables; from the Hub nothing else is downloaded.

    Files in a directory or in the Hub client's cache are compared with the digests in ``release.json``. Files
    that are only streamed are not, since that takes the whole of them.

    Args:
        release: A directory, ``org/name``, or ``org/name@revision``.
        choose: Chooses the tables.
        revision: Tag or commit on the Hub.
        streaming: Whether to leave files where they are, if they are not in the cache.

    Raises:
        BlendError: If the release cannot be found or read, or if files are missing or damaged.
    """
    reference = _reference(release, revision)
    if isinstance(reference, Path):
        manifest = read_manifest(reference)
        locales = release_locales(reference)
        tables = choose(manifest, locales)
        check_complete(reference, _files(tables))
        return Places(reference, manifest, locales, tables, _below(reference, _files(tables)))
    return _on_hub(reference, choose, streaming=streaming)


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


def _on_hub(reference: Reference, choose: Choose, *, streaming: bool) -> Places:
    """The tables in the Hub client's cache, downloaded if need be; those to stream may stay on the Hub."""
    from huggingface_hub import is_offline_mode

    repo_id, revision = reference
    assert revision is not None
    folder = fetch_release(repo_id, revision, wanted=_own_registries)
    manifest, locales = read_manifest(folder), release_locales(folder)
    tables = choose(manifest, locales)
    files = _files(tables)
    if not (streaming or is_offline_mode()):
        fetch_release(repo_id, revision, wanted=lambda _: files)
        return Places(folder, manifest, locales, tables, _below(folder, files))
    # Offline nothing is fetched either: what is in the cache is there, and the rest is not.
    absent = {file.path for file in damaged_files(folder, files)}
    if absent and is_offline_mode():
        raise InputError(
            f"{hub_name(repo_id)}, revision {revision}: {', '.join(sorted(absent))} is not whole in the cache, "
            "and HF_HUB_OFFLINE forbids to fetch it; load it once with a connection, without streaming"
        )
    there = f"{ON_HUB}datasets/{repo_id}@{folder.name}"
    addresses = {path: f"{there}/{path}" if path in absent else str(folder / path) for path in files}
    return Places(folder, manifest, locales, tables, addresses)


def _own_registries(manifest: ReleaseManifest) -> list[str]:
    """The files of the locales and of the domain that a release brings along, if it does."""
    return [file.path for file in manifest.files if file.path in (LOCALES_NAME, DOMAINS_NAME)]


def _files(tables: Sequence[TableInfo]) -> list[str]:
    return [file for table in tables for file in table.files]


def _below(folder: Path, files: Sequence[str]) -> dict[str, str]:
    return {file: str(folder / file) for file in files}
