"""Releases: what a release directory says of itself; `tables` reads it back into frames.

Reading a manifest loads no library of frames: pulling, and the first look at a repository, need none.
"""

from pathlib import Path

from pydantic import ValidationError

from blend.loaders.files.content import instead_of_directory, is_directory, parse_json, read_content, utf8_text
from blend.schemas.errors import DISTRIBUTION, InputError, RowError
from blend.schemas.manifest import MANIFEST_NAME, ReleaseManifest, leads_out
from blend.schemas.models import first_reason


def read_manifest(release: Path | str) -> ReleaseManifest:
    """The manifest of a release directory; its paths can be followed.

    Raises:
        InputError: If there is none, if it is not one that this version reads, or if it names paths outside the
            release, or tables whose files have no digest.
    """
    manifest = parse_manifest(Path(release))
    _check_paths(manifest)
    return manifest


def parse_manifest(release: Path) -> ReleaseManifest:
    """The manifest of a release directory, wherever its paths may lead: for validation, which tells each.

    Raises:
        InputError: If there is none, or if it is not one that this version reads.
    """
    path = release / MANIFEST_NAME
    if not is_directory(release):
        raise InputError(f"{release}: {instead_of_directory(release)}; name the directory of a release")
    if not path.exists():
        raise InputError(
            f"{release}: no {MANIFEST_NAME} here, so it is not a release; build one with `blend build`"
        )
    try:
        text = utf8_text(read_content(path, what="manifest"), MANIFEST_NAME)
        parse_json(text, MANIFEST_NAME)  # pydantic would take the last of two equal keys
        return ReleaseManifest.from_json(text)
    except (ValidationError, RowError) as error:
        reason = first_reason(error) if isinstance(error, ValidationError) else str(error).rpartition("; ")[0]
        raise InputError(
            f"{path}: not a manifest that this version of {DISTRIBUTION} reads ({reason}); "
            "rebuild the release, or read it with the version that built it"
        ) from error


def document_text(path: Path) -> str:
    """The text of a file that a release has for people to read, such as ``CHANGELOG.md``.

    Raises:
        RowError: If it cannot be read, or is not UTF-8.
    """
    return utf8_text(read_content(path), str(path), fix="restore it, or pull or build the release again")


def _check_paths(manifest: ReleaseManifest) -> None:
    """Refuse what would make us read or write elsewhere: a manifest can come from anybody."""
    named = f"{MANIFEST_NAME} of {manifest.name} {manifest.version}"
    advice = "do not use it, and tell who publishes it"
    listed = {file.path for file in manifest.files}
    for path in (*listed, *(file for table in manifest.tables for file in table.files)):
        if leads_out(path):
            raise InputError(f"{named} names the path {path!r}, which leads out of the release; {advice}")
    for table in manifest.tables:
        for path in table.files:
            if path not in listed:
                raise InputError(
                    f"{named} names the file {path!r} for {table.config}/{table.split}, and no digest of it; "
                    f"{advice}"
                )
