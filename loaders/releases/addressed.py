"""The published form of a release: the few texts that can be finished only when the repository is known.

The card's examples name the repository, and ``croissant.json`` gives every file its address there, since a
relative one leads nowhere for who reads the file alone. The tables are as they were built.
"""

import hashlib
import json
import re
from pathlib import Path

from blend.schemas.layout import CARD_NAME, CHANGELOG_NAME, CROISSANT_NAME, MANIFEST_NAME
from blend.schemas.manifest import ReleaseManifest

_NAMED = re.compile(r'(load_(?:dataset|annotations)\(")(?:REPOSITORY|[\w.-]+/[\w.-]+)(?=", )')
_ADDRESS = re.compile(r'(?<="contentUrl": ")https?://[^"]+?/resolve/v[\d.]+/')
_EXPLAINED = "`REPOSITORY` is the name of this repository, as `org/name`. "


def addressed_files(
    release: Path, manifest: ReleaseManifest, *, repo_id: str, endpoint: str, despite: str | None = None
) -> dict[str, bytes]:
    """The files of a release that are published with another content than they were built with.

    Args:
        release: Release directory.
        manifest: Its manifest.
        repo_id: ``org/name``, where it is to be published.
        endpoint: Address of the Hub.
        despite: Why it is published although it is not sound; told in its changelog.

    Returns:
        Contents by path, among them the manifest, which has their digests; the same for the same arguments, and
        for a release that has been published there and pulled back.
    """
    held = {file.path for file in manifest.files}
    texts = {
        path: (release / path).read_text(encoding="utf-8")
        for path in (CARD_NAME, CROISSANT_NAME, CHANGELOG_NAME)
        if path in held
    }
    changed = {
        path: text.encode()
        for path, text in {
            CARD_NAME: _card(texts.get(CARD_NAME, ""), repo_id),
            CROISSANT_NAME: _croissant(texts.get(CROISSANT_NAME, ""), manifest, repo_id, endpoint),
            CHANGELOG_NAME: _changelog(texts.get(CHANGELOG_NAME, ""), manifest.version, despite),
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
    """A text as it was before it was published anywhere, for comparisons."""
    relative = _ADDRESS.sub("", text)
    return _NAMED.sub(r"\1REPOSITORY", relative.replace(_EXPLAINED, ""))


def _card(text: str, repo_id: str) -> str:
    return _NAMED.sub(rf"\g<1>{repo_id}", text.replace(_EXPLAINED, ""))


def _croissant(text: str, manifest: ReleaseManifest, repo_id: str, endpoint: str) -> str:
    try:
        metadata = json.loads(text)
        entries = [entry for entry in metadata["distribution"] if "contentUrl" in entry]
    except (ValueError, KeyError, TypeError):
        return text  # validation says what is wrong with it
    for entry in entries:
        entry["contentUrl"] = f"{endpoint}/datasets/{repo_id}/resolve/v{manifest.version}/{entry['@id']}"
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def _changelog(text: str, version: str, despite: str | None) -> str:
    if despite is None:
        return text
    heading = f"## {version}\n"
    note = f"{heading}\nPublished despite errors that `blend validate` reports: {' '.join(despite.split())}\n"
    return text if note in text else text.replace(heading, note, 1)
