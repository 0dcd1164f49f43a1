"""What has to hold before a release gets a tag for ever: it is sound, and its version and history are true."""

import re
from collections.abc import Collection
from pathlib import Path

from blend.builders.diff import OpenRelease, diff_tables, file_changes
from blend.builders.diff.model import VersionStep, version_step
from blend.builders.diff.text import accepted_versions
from blend.builders.publish.look import PendingCommit
from blend.loaders.releases import document_text, read_manifest
from blend.loaders.releases.references import release_at
from blend.schemas.addresses import tag_of
from blend.schemas.errors import InputError
from blend.schemas.manifest import CHANGELOG_NAME, ReleaseManifest, TableInfo

_SHOWN = 3
"""Errors that a refusal quotes."""

_LEFT_OUT = "loading"
"""Loading with `datasets` takes longer than all other checks, which see what makes it fail."""

_HEADING = re.compile(r"^## (\d+\.\d+\.\d+)\s*$", re.MULTILINE)


def check_valid(pending: PendingCommit, *, allow_errors: str | None) -> ReleaseManifest:
    """Refuse a release that validation calls unsound, unless there is a reason to publish it all the same.

    Args:
        pending: The release.
        allow_errors: The reason; null without one.

    Returns:
        The manifest, with the rows and digests that the tables really have.

    Raises:
        InputError: If validation finds errors, and there is no reason.
    """
    release = pending.release
    # Only here: the checks load what reads tables, which takes longer than a publish without them.
    from blend.builders.validate import CHECKS, validate_release
    from blend.builders.validate.checked_release import Level

    checks = {name: check for name, check in CHECKS.items() if name != _LEFT_OUT}
    report = validate_release(release, checks=checks, examples=_SHOWN, on_progress=pending.on_progress)
    if report.passes():
        return pending.manifest
    if allow_errors is None:
        found = [problem for check in report.checks for problem in check.examples]
        errors = [str(problem) for problem in found if problem.level is Level.ERROR]
        more = f", and {report.errors - _SHOWN} more" if report.errors > _SHOWN else ""
        raise InputError(
            f"{release}: not sound, and a published version never changes: {'; '.join(errors[:_SHOWN])}{more}; "
            f"see `blend validate {release}`, build the release again, or give a reason with `allow_errors`"
        )
    return _as_held(release)


def check_changelog(pending: PendingCommit, latest: str) -> None:
    """Refuse a release whose changelog does not go on from the latest version.

    Raises:
        InputError: If it has no section for it, or none for the release itself.
    """
    path = pending.release / CHANGELOG_NAME
    headings = _HEADING.findall(document_text(path)) if path.is_file() else []
    version = pending.manifest.version
    if latest not in headings or version not in headings:
        missing = latest if latest not in headings else version
        raise InputError(
            f"{pending.where}: {CHANGELOG_NAME} has no section for {missing}, so it would not tell readers "
            f"what changed since {latest}, the latest version there; build it again on top of that, with "
            f'previous = "{pending.repository.repo_id}@{tag_of(latest)}" in its recipe'
        )


def check_step(pending: PendingCommit, held: ReleaseManifest, latest: str, commit: str) -> None:
    """Refuse a version that promises less change than there is since the latest one.

    Args:
        pending: The release.
        held: Its manifest, with the digests that its tables really have.
        latest: The latest version in the repository.
        commit: The commit that its tag names.

    Raises:
        InputError: If the version is not among those that may follow.
    """
    tag = tag_of(latest)
    pending.on_progress(f"compare with {latest}", 0, 1)
    step = _step(pending, held, commit)
    pending.on_progress(f"compare with {latest}", 1, 1)
    accepted = accepted_versions(latest, step.step)
    if held.version not in accepted:
        reasons = "; ".join(reason.text for reason in step.reasons if reason.step == step.step)
        raise InputError(
            f"{pending.where}: version {held.version} does not follow from what changed since {latest} "
            f"({step.step}: {reasons}); build it as {' or '.join(accepted)}, or give a reason with "
            f"`force_version`; see `blend diff {pending.repository.repo_id}@{tag} {pending.release}`"
        )


def _step(pending: PendingCommit, held: ReleaseManifest, commit: str) -> VersionStep:
    """The step that follows from the tables; of the version before, only those that differ are downloaded."""
    hub, new = pending.repository.hub, OpenRelease(pending.release, held)
    folder = release_at(hub, commit, wanted=lambda old: _files_of_others(old, held))
    old = OpenRelease(folder, read_manifest(folder))
    found = diff_tables(old, new, examples=0)
    step = version_step(found)
    if step.step != "none":
        return step
    # No table and no setting differs: only now the texts beside them count.
    release_at(hub, commit, wanted=lambda old: _other_texts(old, held))
    return version_step(found.model_copy(update={"files": file_changes(*old, *new)}))


def _files_of_others(old: ReleaseManifest, new: ReleaseManifest) -> Collection[str]:
    """The files of the tables that the new release does not have with the same content."""
    held = {_content(table) for table in new.tables}
    return [file for table in old.tables if _content(table) not in held for file in table.files]


def _content(table: TableInfo) -> tuple[str, str, str, str]:
    return table.config, table.split, table.content_sha256, table.schema_sha256


def _other_texts(old: ReleaseManifest, new: ReleaseManifest) -> Collection[str]:
    """The files beside the tables that the new release does not have byte for byte."""
    tables = {file for table in old.tables for file in table.files}
    return [file.path for file in old.files if file.path not in tables and file not in new.files]


def _as_held(release: Path) -> ReleaseManifest:
    """The manifest with what its tables hold instead of what it says; a table that cannot be read stays."""
    from blend.builders.validate.checked_release import Release, TableContent
    from blend.loaders.releases.tables import release_locales

    checked = Release.open(release, release_locales(release))
    tables = []
    for table in checked.manifest.tables:
        content = checked.contents[table.config, table.split]
        if isinstance(content, TableContent):
            held = {"content_sha256": content.content_sha256, "schema_sha256": content.schema_sha256}
            table = table.model_copy(update={"rows": len(content.rows), **held})
        tables.append(table)
    return checked.manifest.model_copy(update={"tables": tuple(tables)})
