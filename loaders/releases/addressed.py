"""The published form of a release: the few texts that can be finished only when the repository is known.

The card's examples name the repository, and ``croissant.json`` gives every file its address on the Hub, since a
relative one leads nowhere for who reads the file alone. The tables are as they were built.

One repository can have many addresses: a mirror, another name of the host, a name it had before. None of them
gets into a release but that of the Hub itself; through any other, addresses stay relative to the file that
holds them.
"""

import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

from blend.loaders.releases import document_text, read_manifest
from blend.schemas.manifest import CARD_NAME, CHANGELOG_NAME, CROISSANT_NAME, MANIFEST_NAME, ReleaseManifest

_NAMED = re.compile(r'(load_(?:dataset|annotations)\(")(?:REPOSITORY|[\w.-]+/[\w.-]+)(?=", )')
_ADDRESS = re.compile(r'(?<="contentUrl": ")https?://[^"]+?/resolve/v[\d.]+/')
_RELATIVE = re.compile(r'(?<="contentUrl": ")(?!https?://)')
_EXPLAINED = "`REPOSITORY` is the name of this repository, as `org/name`. "
_DESPITE = "\nPublished despite errors that `blend validate` reports: "
_REASON = re.compile(rf"{_DESPITE}.*\n")

_HUB = "https://huggingface.co"
_HOSTS_OF_THE_HUB = {"huggingface.co", "www.huggingface.co", "hf.co"}

ADDRESSED = frozenset({CARD_NAME, CROISSANT_NAME, CHANGELOG_NAME, MANIFEST_NAME})
"""The files that can be published with another content than they were built with."""


def addressed_files(
    release: Path, manifest: ReleaseManifest, *, repo_id: str, endpoint: str, allow_errors: str | None = None
) -> dict[str, bytes]:
    """The files of a release that are published with another content than they were built with.

    Args:
        release: Release directory.
        manifest: Its manifest.
        repo_id: ``org/name``, where it is to be published.
        endpoint: Address at which the Hub is reached; it is written only if it is that of the Hub itself.
        allow_errors: Why it is published although it is not sound; told in its changelog.

    Returns:
        Contents by path, among them the manifest, which has their digests; the same for the same arguments, and
        for a release that has been published there and pulled back.
    """
    held = {file.path for file in manifest.files}
    texts = {path: document_text(release / path) for path in ADDRESSED - {MANIFEST_NAME} if path in held}
    changed = {
        path: text.encode()
        for path, text in {
            CARD_NAME: _card(texts.get(CARD_NAME, ""), repo_id),
            CROISSANT_NAME: _croissant(texts.get(CROISSANT_NAME, ""), manifest, repo_id, endpoint),
            CHANGELOG_NAME: _changelog(texts.get(CHANGELOG_NAME, ""), manifest.version, allow_errors),
        }.items()
        if path in texts and text != texts[path]
    }
    if not changed:
        return {}
    infos = tuple(
        file.model_copy(update={"size": len(content), "sha256": hashlib.sha256(content).hexdigest()})
        if (content := changed.get(file.path)) is not None
        else file
        for file in manifest.files
    )
    return {**changed, MANIFEST_NAME: manifest.model_copy(update={"files": infos}).to_json().encode()}


def unaddressed(text: str) -> str:
    """A text as it was before it was published anywhere, and for whatever reason, for comparisons."""
    relative = _ADDRESS.sub("", text)
    return _NAMED.sub(r"\1REPOSITORY", _REASON.sub("", relative).replace(_EXPLAINED, ""))


def same_but_for_address(one: Path, other: Path) -> bool:
    """Whether directories that differ in files of `ADDRESSED` alone hold the same release.

    Args:
        one: Directory with the manifest of a release, and the files of `ADDRESSED` that it names.
        other: The same of a release that may have been published elsewhere.

    Raises:
        InputError: If a manifest is not one that this version reads, or another file is not UTF-8.
    """
    manifests = read_manifest(one), read_manifest(other)
    if _unaddressed_manifest(manifests[0]) != _unaddressed_manifest(manifests[1]):
        return False
    held = ADDRESSED.intersection(file.path for file in manifests[0].files)
    texts = ([document_text(folder / path) for path in sorted(held)] for folder in (one, other))
    first, second = (list(map(unaddressed, of_folder)) for of_folder in texts)
    return first == second


def _unaddressed_manifest(manifest: ReleaseManifest) -> ReleaseManifest:
    """A manifest without the digests of the files that name a repository; that they are there is kept."""
    infos = (
        file.model_copy(update={"size": 0, "sha256": ""}) if file.path in ADDRESSED else file
        for file in manifest.files
    )
    return manifest.model_copy(update={"files": tuple(infos)})


def _card(text: str, repo_id: str) -> str:
    return _NAMED.sub(rf"\g<1>{repo_id}", text.replace(_EXPLAINED, ""))


def _croissant(text: str, manifest: ReleaseManifest, repo_id: str, endpoint: str) -> str:
    relative = _ADDRESS.sub("", text)
    if urlsplit(endpoint).hostname not in _HOSTS_OF_THE_HUB:
        return relative
    return _RELATIVE.sub(f"{_HUB}/datasets/{repo_id}/resolve/v{manifest.version}/", relative)


def _changelog(text: str, version: str, allow_errors: str | None) -> str:
    if allow_errors is None:
        return text
    heading = f"## {version}\n"
    note = f"{heading}{_DESPITE}{' '.join(allow_errors.split())}\n"
    return text if note in text else text.replace(heading, note, 1)
