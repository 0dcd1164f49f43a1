"""References: a release by name, a directory or ``org/name@revision``, becomes a directory to read."""

import re
import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from blend.loaders.files.atomic import atomic_directory
from blend.loaders.files.content import check_tables, instead_of_directory
from blend.loaders.hub import HubClient, hub_client
from blend.loaders.hub.requests import TIMEOUT_S, reason
from blend.loaders.releases import file_faults, read_manifest, read_release_files, some_of
from blend.schemas.errors import BlendError, HubError, InputError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest, version_of

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_REFERENCE = re.compile(rf"(?P<repo_id>{_NAME}/{_NAME})(@(?P<revision>[^@\s]+))?")


_Wanted = Callable[[ReleaseManifest], Collection[str]]
"""Chooses the files of a release by its manifest: their paths."""


class Reference(NamedTuple):
    """A release on the Hub."""

    repo_id: str
    """``org/name``."""
    revision: str | None
    """Tag or commit; null when none was named."""


def resolve_release(
    reference: str | Path, *, endpoint: str | None = None, timeout_s: float = TIMEOUT_S
) -> Path:
    """A directory that holds the release.

    A directory is taken as it is. A release on the Hub is downloaded into the Hub client's cache, or found
    there, and every file is compared with the digest in ``release.json``, since the client notices neither
    damage on the way nor in the cache; what differs is downloaded once more. Version tags (``v1.2.0``) never
    move, so one that was resolved before needs no connection, and neither does a commit.

    Args:
        reference: A directory, or ``org/name@revision`` with a tag or a commit (40 hexadecimal digits).
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and made again.

    Returns:
        The directory itself, or the snapshot in the cache, which is not to be changed.

    Raises:
        BlendError: If there is no such directory or repository; if the revision is absent, unknown or a branch
            (the message lists the tags); if the repository holds no release there; if files stay damaged.
    """
    path = Path(reference)
    if path.is_dir():
        return path
    on_hub = hub_reference(str(reference))
    if on_hub is None:
        raise InputError(
            f"{reference}: {instead_of_directory(path)}; name the directory of a release, or org/name@v1.0.0"
        )
    try:
        return fetch_release(on_hub.repo_id, on_hub.revision, endpoint=endpoint, timeout_s=timeout_s)
    except HubError as error:
        if on_hub.revision is not None:
            raise
        raise HubError(f"{reference}: no such directory; {error}") from None


def hub_reference(reference: str) -> Reference | None:
    """The repository and revision that ``org/name@revision`` names; null for text of another form."""
    match = _REFERENCE.fullmatch(reference)
    return None if match is None else Reference(match["repo_id"], match["revision"])


def fetch_release(
    repo_id: str,
    revision: str | None,
    *,
    wanted: _Wanted | None = None,
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Path:
    """A release on the Hub, as a checked directory in the Hub client's cache; see `resolve_release`.

    Args:
        repo_id: ``org/name``.
        revision: A tag or a commit.
        wanted: Chooses the files to download and check; all of them when absent. The directory can lack the
            others.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and made again.

    Returns:
        The snapshot in the cache; its name is the commit.

    Raises:
        BlendError: If the revision is absent, unknown or a branch, if it holds no release, or if files stay
            damaged.
    """
    with hub_client(repo_id, endpoint=endpoint, timeout_s=timeout_s) as hub:
        return release_at(hub, _commit(hub, revision), revision=revision, wanted=wanted)


def release_at(
    hub: HubClient, commit: str, *, revision: str | None = None, wanted: _Wanted | None = None
) -> Path:
    """A release at a commit, as a checked directory in the Hub client's cache.

    Args:
        hub: The repository.
        commit: The commit.
        revision: How the user named it, for messages, and for the client's memory of tags; by itself when
            absent.
        wanted: Chooses the files to download and check; all of them when absent.

    Raises:
        HubError: If the commit holds no release, or if files stay damaged.
    """
    from huggingface_hub.errors import RemoteEntryNotFoundError

    # The manifest alone first: it says what is wanted, and a repository of something else can be large.
    try:
        folder = manifest_folder(hub, commit, tag=revision)
    except RemoteEntryNotFoundError:
        raise _incomplete(hub, commit, MANIFEST_NAME) from None
    manifest = read_manifest(folder)
    paths = [file.path for file in manifest.files] if wanted is None else wanted(manifest)
    # What the commit lacks is told by the next look, which asks for the manifest again first.
    with suppress(RemoteEntryNotFoundError):
        hub.fetch_files(commit, [path for path in paths if not (folder / path).exists()])
    damaged = _mended(folder, hub, commit, paths)
    if damaged:
        raise HubError(
            f"{hub.where}, revision {revision or commit}: not as {MANIFEST_NAME} says, also when downloaded "
            f"again ({some_of(damaged)}); use another version, and tell who publishes it"
        )
    return folder


def manifest_folder(hub: HubClient, commit: str, *, tag: str | None = None) -> Path:
    """The snapshot of a commit in the cache, with a manifest that can be read; a damaged one is fetched again.

    Args:
        hub: The repository.
        commit: The commit.
        tag: Its version tag; the Hub client remembers the commit by it, for when there is no connection.

    Raises:
        huggingface_hub.errors.RemoteEntryNotFoundError: If the commit holds none.
        InputError: If it is not one that this version reads, also when it is downloaded again.
    """
    remembered = tag is None or version_of(tag) is None or _known_commit(hub, tag) == commit
    path = hub.fetch(MANIFEST_NAME, commit if remembered else tag or commit)
    if path.parent.name != commit:
        path = hub.fetch(MANIFEST_NAME, commit)
    try:
        read_manifest(path.parent)
    except InputError:
        hub.fetch(MANIFEST_NAME, commit, anew=True)
    return path.parent


def _commit(hub: HubClient, revision: str | None) -> str:
    """The commit behind a revision; that of a version tag which was resolved before needs no connection."""
    import httpx2
    from huggingface_hub.errors import RepositoryNotFoundError

    known = None if revision is None else _known_commit(hub, revision)
    try:
        return hub.pinned_commit(revision, attempts=None if known is None else 1)
    except RepositoryNotFoundError:
        raise
    except (httpx2.HTTPError, OSError):
        if known is None:
            raise
        return known


def _known_commit(hub: HubClient, revision: str) -> str | None:
    """The commit that a version tag named when it was resolved before."""
    from huggingface_hub.errors import RevisionResolutionError

    if version_of(revision) is None:
        return None
    try:
        found = hub.api.resolve_revision(
            hub.repo_id, repo_type="dataset", revision=revision, local_files_only=True
        )
    except RevisionResolutionError:
        return None
    return found.resolved


def _mended(folder: Path, hub: HubClient, commit: str, paths: Collection[str]) -> list[str]:
    """Download once more what is damaged, and return what still is."""
    import httpx2
    from huggingface_hub.errors import RemoteEntryNotFoundError

    damaged = _damaged(folder, paths)
    # The manifest as well: it may be the one that is wrong.
    for path in (MANIFEST_NAME, *damaged) if damaged else ():
        try:
            hub.fetch(path, commit, anew=True)
        except RemoteEntryNotFoundError:
            raise _incomplete(hub, commit, path) from None
        except (httpx2.HTTPError, OSError) as error:
            raise HubError(
                f"{hub.where}, commit {commit}: not whole in the cache ({some_of(damaged)}), and the Hub does "
                f"not give it again ({reason(error)}); try again when the Hub can be reached"
            ) from None
    return _damaged(folder, paths) if damaged else []


def _damaged(folder: Path, paths: Collection[str]) -> list[str]:
    return [path for of_kind in file_faults(folder, paths).values() for path in of_kind]


def _incomplete(hub: HubClient, commit: str, path: str) -> HubError:
    return HubError(
        f"{hub.where}: commit {commit} holds no {path}, so it is not a complete release; "
        "name a version that `blend publish` made"
    )


# Pulling: a release on the Hub becomes a directory again, byte for byte.


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
    if Path(reference).is_dir() or hub_reference(reference) is None:
        raise InputError(f"{reference}: names no release on the Hub; write org/name@v1.0.0")
    there = resolve_release(reference, endpoint=endpoint)
    manifest = read_manifest(there)
    # What no command would read afterwards is not handed to other tools either.
    for config in dict.fromkeys(table.config for table in manifest.tables):
        tables = (table for table in manifest.tables if table.config == config)
        check_tables(there / file for table in tables for file in table.files)
    check = partial(check_replaceable, name=manifest.name, replace=replace)
    with atomic_directory(Path(out), check=check) as release:
        for path in (MANIFEST_NAME, *(file.path for file in manifest.files)):
            (release / path).parent.mkdir(parents=True, exist_ok=True)
            # The cache links to its own files: copy what they hold.
            shutil.copyfile(there / path, release / path)
        read_release_files(release)
    return manifest


# Replacing: which directories a new release may take the place of; nobody's files and edits are deleted.


def held_release(out: Path) -> ReleaseManifest | None:
    """The release that stands in a directory; null if there is none that can be read."""
    try:
        return read_manifest(out)
    except BlendError:
        return None


def check_replaceable(out: Path, *, name: str, replace: bool) -> None:
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
    for path in folder.rglob("*"):
        is_folder = path.is_dir() and not path.is_symlink()
        if not is_folder or not any(path.iterdir()):
            found.append(f"{path.relative_to(folder).as_posix()}{'/' if is_folder else ''}")
    return sorted(found)
