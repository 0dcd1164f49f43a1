"""What has to hold before a release gets a tag for ever: it is sound, and its version and history are true."""

import re
from collections.abc import Collection
from pathlib import Path

from blend.builders.diff import OpenRelease, diff_tables
from blend.builders.diff.settings import file_changes
from blend.builders.diff.version_step import VersionStep, accepted_versions, version_step
from blend.builders.publish.shipment import Shipment
from blend.loaders.releases import read_manifest
from blend.loaders.releases.references import release_at
from blend.loaders.releases.validated import checks_left
from blend.schemas.errors import InputError
from blend.schemas.layout import CHANGELOG_NAME, RECIPE_NAME
from blend.schemas.manifest import ReleaseManifest, TableInfo
from blend.schemas.versions import tag_of

_SHOWN = 3
"""Errors that a refusal quotes."""

_LEFT_OUT = "loading"
"""Loading with `datasets` takes longer than all other checks, which see what makes it fail."""

_HEADING = re.compile(r"^## (\d+\.\d+\.\d+)\s*$", re.MULTILINE)


def is_known_sound(shipment: Shipment) -> bool:
    """Whether the release, byte for byte, has passed all checks on this machine before."""
    left = checks_left(shipment.key)
    return left is not None and left <= {_LEFT_OUT}


def check_sound(shipment: Shipment, *, despite: str | None) -> ReleaseManifest:
    """Refuse a release that validation calls unsound, unless there is a reason to publish it all the same.

    Checks that it has passed on this machine as it is are not made again.

    Args:
        shipment: The release.
        despite: The reason; null without one.

    Returns:
        The manifest, with the rows and digests that the tables really have.

    Raises:
        InputError: If validation finds errors, and there is no reason.
    """
    release = shipment.release
    if is_known_sound(shipment):
        return shipment.manifest
    # Only here: the checks load what reads tables, which takes longer than a publish without them.
    from blend.builders.validate import CHECKS, validate_release
    from blend.builders.validate.report import Level

    left = checks_left(shipment.key)
    checks = {
        name: check for name, check in CHECKS.items() if name != _LEFT_OUT and (left is None or name in left)
    }
    report = validate_release(release, checks=checks, examples=_SHOWN, notify=shipment.notify)
    if report.passes():
        return shipment.manifest
    if despite is None:
        found = [problem for check in report.checks for problem in check.examples]
        errors = [str(problem) for problem in found if problem.level is Level.ERROR]
        more = f", and {report.errors - _SHOWN} more" if report.errors > _SHOWN else ""
        raise InputError(
            f"{release}: not sound, and a published version never changes: {'; '.join(errors[:_SHOWN])}{more}; "
            f"see `blend validate {release}`, build the release again, or give a reason with --despite"
        )
    return _as_held(release)


def check_changelog(shipment: Shipment, latest: str) -> None:
    """Refuse a release whose changelog does not go on from the latest version.

    Raises:
        InputError: If it has no section for it, or none for the release itself.
    """
    path = shipment.release / CHANGELOG_NAME
    told = _HEADING.findall(path.read_text(encoding="utf-8")) if path.is_file() else []
    version = shipment.manifest.version
    if latest not in told or version not in told:
        missing = latest if latest not in told else version
        raise InputError(
            f"{shipment.where}: {CHANGELOG_NAME} has no section for {missing}, so it would not tell readers "
            f"what changed since {latest}, the latest version there; build it again on top of that: "
            f"blend build {shipment.release / RECIPE_NAME} "
            f"--previous {shipment.repository.repo_id}@{tag_of(latest)} --out {shipment.release}"
        )


def check_step(shipment: Shipment, held: ReleaseManifest, latest: str, commit: str) -> None:
    """Refuse a version that promises less change than there is since the latest one.

    Args:
        shipment: The release.
        held: Its manifest, with the digests that its tables really have.
        latest: The latest version in the repository.
        commit: The commit that its tag names.

    Raises:
        InputError: If the version is not among those that may follow.
    """
    tag = tag_of(latest)
    shipment.notify(f"compare with {latest}", 0, 1)
    step = _step(shipment, held, commit)
    shipment.notify(f"compare with {latest}", 1, 1)
    accepted = accepted_versions(latest, step.step)
    if held.version not in accepted:
        reasons = "; ".join(reason.text for reason in step.reasons if reason.step == step.step)
        raise InputError(
            f"{shipment.where}: version {held.version} does not follow from what changed since {latest} "
            f"({step.step}: {reasons}); build it as {' or '.join(accepted)}, or give a reason with "
            f"--force-version; see `blend diff {shipment.repository.repo_id}@{tag} {shipment.release}`"
        )


def _step(shipment: Shipment, held: ReleaseManifest, commit: str) -> VersionStep:
    """The step that follows from the tables; of the version before, only those that differ are downloaded."""
    hub, new = shipment.repository.hub, OpenRelease(shipment.release, held)
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
    from blend.builders.validate.subject import Subject, Survey
    from blend.loaders.releases.tables import release_locales

    subject = Subject.open(release, release_locales(release))
    tables = []
    for table in subject.manifest.tables:
        survey = subject.surveys[table.config, table.split]
        if isinstance(survey, Survey):
            held = {name: getattr(survey, name) for name in ("rows", "content_sha256", "schema_sha256")}
            table = table.model_copy(update=held)
        tables.append(table)
    return subject.manifest.model_copy(update={"tables": tuple(tables)})
