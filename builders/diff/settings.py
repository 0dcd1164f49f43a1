"""What a release says about itself, compared: licence, recipe, sources, and the files beside the tables."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from blend.builders.diff.model import FileChange, Setting
from blend.loaders.releases.addressed import unaddressed
from blend.schemas.manifest import CHANGELOG_NAME, MANIFEST_NAME, RECIPE_NAME, ReleaseManifest

_COMPARED = {"name", "sdk_version", "writers", "recipe"}
_IN_THE_LABELS = ("name", "version")
_TOLD_ELSEWHERE = {MANIFEST_NAME, RECIPE_NAME, CHANGELOG_NAME}


def setting_changes(old: ReleaseManifest, new: ReleaseManifest) -> tuple[Setting, ...]:
    """Compare what the manifests record: name, recipe, sources, package, writers.

    The version is left out, and so is what the tables themselves tell: files, counts and the build report.
    Sources are pinned in the recipe, so that another state of a source shows as another digest there.
    """
    before, after = _settings(old), _settings(new)
    paths = [*after, *(path for path in before if path not in after)]
    return tuple(
        Setting(path=path, old=before.get(path), new=after.get(path))
        for path in paths
        if before.get(path) != after.get(path)
    )


def file_changes(
    old: Path, old_manifest: ReleaseManifest, new: Path, new_manifest: ReleaseManifest
) -> tuple[FileChange, ...]:
    """Files that differ, without tables, manifest, recipe and changelog, which are compared otherwise.

    A text that differs only in the release's version, or in where it is published, is the same.
    """
    before, after = _other_files(old_manifest), _other_files(new_manifest)
    changes = []
    for path in sorted({*before, *after}):
        if path not in before:
            changes.append(FileChange(path=path, presence="added"))
        elif path not in after:
            changes.append(FileChange(path=path, presence="removed"))
        elif before[path] != after[path]:
            versions = old_manifest.version, new_manifest.version
            if not _same_but_for_version(old / path, new / path, *versions):
                changes.append(FileChange(path=path, presence="kept"))
    return tuple(changes)


def _settings(manifest: ReleaseManifest) -> dict[str, JsonValue]:
    values = manifest.model_dump(mode="json", include=_COMPARED)
    # Name and version of the recipe are those of the manifest, which stand above every comparison.
    for name in _IN_THE_LABELS:
        del values["recipe"][name]
    return dict(_flat(values, ""))


def _flat(value: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for number, part in enumerate(value):
            yield from _flat(part, f"{path}[{number}]")
    else:
        yield path, value


def _other_files(manifest: ReleaseManifest) -> dict[str, str]:
    tables = {file for table in manifest.tables for file in table.files}
    return {
        file.path: file.sha256
        for file in manifest.files
        if file.path not in tables and file.path not in _TOLD_ELSEWHERE
    }


def _same_but_for_version(old: Path, new: Path, old_version: str, new_version: str) -> bool:
    try:
        texts = old.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return False
    before, after = (unaddressed(text).replace(old_version, new_version) for text in texts)
    return before == after
