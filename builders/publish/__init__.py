"""Publishing: a release becomes one commit and one tag of a Hub repository, whatever happens on the way.

The order makes it safe. File contents are sent first, which nobody sees; then one commit, on top of exactly the
head that was examined, puts all of them in place; then the commit is compared with the manifest; then it is
tagged. A process that dies leaves either nothing visible, or the whole release on ``main`` without its tag, and
the next run adds the tag. An error of the commit or the tag says nothing about whether it exists, so after each
error the Hub is asked again before anything is decided.
"""

import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blend.builders.publish.plan import Publication, PublicationPlan, look, plan_on
from blend.builders.publish.repository import HubRepository, PendingCommit
from blend.builders.publish.steps import create_repository, make_commit, make_tag, send_files
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.hub import HubClient, hub_client, hub_name
from blend.loaders.hub.requests import TIMEOUT_S, OnWait
from blend.loaders.releases import document_text, note_of_checks, read_manifest
from blend.loaders.releases.references import release_at
from blend.schemas.errors import DISTRIBUTION, HubError, InputError
from blend.schemas.manifest import CHANGELOG_NAME, ReleaseManifest, TableInfo, tag_of

if TYPE_CHECKING:
    from blend.builders.diff.model import VersionStep


class _Terms(NamedTuple):
    """On which terms a release is published; each is an argument of `publish_release`."""

    private: bool
    force_version: str | None
    allow_errors: str | None


def plan_publication(
    release: Path | str,
    repo_id: str,
    *,
    private: bool = False,
    force_version: str | None = None,
    allow_errors: str | None = None,
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
    on_progress: ProgressCallback = silent,
    on_wait: OnWait | None = None,
) -> PublicationPlan:
    """Plan what `publish_release` would do with the same arguments; nothing is changed, and no token is needed.

    Raises:
        BlendError: If it would refuse.
    """
    terms = _Terms(private, force_version, allow_errors)
    hub = hub_client(repo_id, endpoint=endpoint, purpose="write", timeout_s=timeout_s, on_wait=on_wait)
    with _shipment(Path(release), repo_id, terms, hub, on_progress) as pending:
        return _checked_plan(pending, terms)


def publish_release(
    release: Path | str,
    repo_id: str,
    *,
    private: bool = False,
    force_version: str | None = None,
    allow_errors: str | None = None,
    endpoint: str | None = None,
    timeout_s: float = TIMEOUT_S,
    on_progress: ProgressCallback = silent,
    on_wait: OnWait | None = None,
) -> Publication:
    """Publish a release as one commit and the tag ``vX.Y.Z``.

    Files on ``main`` that the release lacks are removed from it, and stay under the tags that have them.
    Running it again, after whatever interruption, finishes or does nothing. The token is the Hub client's
    (``HF_TOKEN`` or ``hf auth login``). The card and ``croissant.json`` are published with the repository's
    name and addresses in them; the directory itself is not changed.

    Args:
        release: Release directory; its files must be those of its manifest.
        repo_id: ``org/name``; made if it is not there.
        private: Whether only the owners may see it; of an existing repository this is only checked.
        force_version: Why to publish under a version that does not follow from the changes; written into the
            commit.
        allow_errors: Why to publish it although validation finds errors; written into the commit and the
            changelog.
        endpoint: Address of the Hub; ``HF_ENDPOINT`` when absent.
        timeout_s: Seconds without a byte after which a request is given up, and tried again.
        on_progress: Told about progress.
        on_wait: Called with a sentence about what is waited for.

    Returns:
        What was done.

    Raises:
        InputError: If the release is not as its manifest says or is not valid, or holds data that may not be
            passed on; if the version does not follow
            from the changes or is not above the latest; if the repository holds something else.
        ConflictError: If the version is taken by other content, or if somebody else publishes at the same time.
        HubError: If the Hub refuses or cannot be reached.
    """
    terms = _Terms(private, force_version, allow_errors)
    hub = hub_client(repo_id, endpoint=endpoint, purpose="write", timeout_s=timeout_s, on_wait=on_wait)
    with _shipment(Path(release), repo_id, terms, hub, on_progress) as pending:
        _check_token(pending)
        return _carried_out(pending, _checked_plan(pending, terms), terms)


@contextmanager
def _shipment(
    release: Path,
    repo_id: str,
    terms: _Terms,
    hub: AbstractContextManager[HubClient],
    on_progress: ProgressCallback,
) -> Iterator[PendingCommit]:
    """The release, on its way to a repository that the block can ask and change."""
    for parameter in ("force_version", "allow_errors"):
        reason = getattr(terms, parameter)
        if reason is not None and not reason.strip():
            raise InputError(
                f"`{parameter}` is blank; say in a few words why, for whoever reads the release's history"
            )
    if repo_id.count("/") != 1:
        raise InputError(
            f"{hub_name(repo_id)}: not the name of a repository; write org/name, where org is an account or "
            "organisation"
        )
    with hub as client:
        pending = PendingCommit.of(
            release, HubRepository(client), allow_errors=terms.allow_errors, on_progress=on_progress
        )
        if any(source.kind == "semeval" for source in pending.manifest.recipe.sources):
            raise InputError(
                f"{release}: holds data of SemEval-2026 Task 7, whose terms forbid to pass it on; keep the "
                "release, and publish scores alone"
            )
        yield pending


def _check_token(pending: PendingCommit) -> None:
    from huggingface_hub import get_token

    if get_token() is None:
        raise HubError(
            f"{pending.where}: not logged in; run `hf auth login`, or set HF_TOKEN to a token that may write"
        )


def _checked_plan(pending: PendingCommit, terms: _Terms) -> PublicationPlan:
    """The plan for a release that is valid, and whose version and changelog go on from the latest one."""
    pending.on_progress("look at the repository", 0, 1)
    plan = look(pending, private=terms.private)
    pending.on_progress("look at the repository", 1, 1)
    _check(pending, plan, terms)
    return plan


def _check(pending: PendingCommit, plan: PublicationPlan, terms: _Terms) -> None:
    """Refuse what is about to be published if it is not valid, or does not go on from the latest version."""
    if plan.action != "publish":
        return
    if terms.allow_errors is None:
        _check_valid(pending)
    if plan.previous is not None:
        _check_changelog(pending, plan.previous)
        if terms.force_version is None:
            _check_step(pending, plan.previous, plan.tags[tag_of(plan.previous)])


def _carried_out(pending: PendingCommit, plan: PublicationPlan, terms: _Terms) -> Publication:
    """Do what a plan says."""
    creates = plan.creates
    if creates:
        create_repository(pending, private=terms.private)
        # Somebody else may have made it at the same moment, and published.
        plan = plan_on(pending, pending.repository.refs())
        if plan.previous is not None:
            _check(pending, plan, terms)
    commit = plan.made
    if commit is None:
        commit = _send_and_commit(pending, plan, terms)
    if plan.action != "nothing":
        commit = make_tag(pending, commit)
    first = plan.action == "publish" and plan.previous is None
    return Publication(plan=plan, commit=commit, new_repository=creates and first)


def _send_and_commit(pending: PendingCommit, plan: PublicationPlan, terms: _Terms) -> str:
    from huggingface_hub import CommitOperationDelete

    if plan.head is None:
        raise HubError(
            f"{pending.where}: has no commit yet on which a release could be put; run the same command again, "
            "or add a file on its page first"
        )
    additions = send_files(pending, (*plan.changes.added, *plan.changes.changed))
    removals = [CommitOperationDelete(path) for path in plan.changes.removed]
    description = _description(pending, plan, terms)
    return make_commit(pending, [*removals, *additions], head=plan.head, description=description)


def _description(pending: PendingCommit, plan: PublicationPlan, terms: _Terms) -> str:
    manifest = pending.manifest
    rows = sum(table.rows for table in manifest.tables)
    lines = [f"Built by {DISTRIBUTION} {manifest.sdk_version}: {len(manifest.files) + 1} files, {rows} rows."]
    if plan.previous is not None:
        lines.append(f"Follows {plan.previous}.")
    if terms.force_version is not None:
        lines.append(f"Version forced: {terms.force_version}")
    if terms.allow_errors is not None:
        lines.append(f"Published despite errors that validation reports: {terms.allow_errors}")
    return "\n".join(lines)


# What has to hold before a release gets a tag for ever: it is valid, and its version and history are true. What
# these functions alone need is imported in them: it takes longer than to publish what has been checked.

_SHOWN = 3
"""Errors that a refusal quotes."""

_HEADING = re.compile(r"^## (\d+\.\d+\.\d+)\s*$", re.MULTILINE)


def _check_valid(pending: PendingCommit) -> None:
    """Refuse a release that validation calls invalid.

    Raises:
        InputError: If validation finds errors.
    """
    release = pending.release
    if note_of_checks(release).is_file():
        return
    from blend.builders.validate import NEEDED, validate_release
    from blend.builders.validate.checked_release import Level

    report = validate_release(release, checks=NEEDED, examples=_SHOWN, on_progress=pending.on_progress)
    if report.passes():
        return
    found = [problem for check in report.checks for problem in check.examples]
    errors = [str(problem) for problem in found if problem.level is Level.ERROR]
    more = f", and {report.errors - _SHOWN} more" if report.errors > _SHOWN else ""
    raise InputError(
        f"{release}: not valid, and a published version never changes: {'; '.join(errors[:_SHOWN])}{more}; "
        f"see `blend validate {release}`, build the release again, or give a reason with `allow_errors`"
    )


def _check_changelog(pending: PendingCommit, latest: str) -> None:
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


def _check_step(pending: PendingCommit, latest: str, commit: str) -> None:
    """Refuse a version that promises less change than there is since the latest one.

    Args:
        pending: The release.
        latest: The latest version in the repository.
        commit: The commit that its tag names.

    Raises:
        InputError: If the version is not among those that may follow.
    """
    from blend.builders.diff.text import accepted_versions

    tag = tag_of(latest)
    pending.on_progress(f"compare with {latest}", 0, 1)
    step = _step(pending, commit)
    pending.on_progress(f"compare with {latest}", 1, 1)
    accepted = accepted_versions(latest, step.step)
    version = pending.manifest.version
    if version not in accepted:
        reasons = "; ".join(reason.text for reason in step.reasons if reason.step == step.step)
        raise InputError(
            f"{pending.where}: version {version} does not follow from what changed since {latest} "
            f"({step.step}: {reasons}); build it as {' or '.join(accepted)}, or give a reason with "
            f"`force_version`; see `blend diff {pending.repository.repo_id}@{tag} {pending.release}`"
        )


def _step(pending: PendingCommit, commit: str) -> "VersionStep":
    """The step that follows from the tables; of the version before, only those that differ are downloaded."""
    from blend.builders.diff import OpenRelease, diff_tables
    from blend.builders.diff.model import version_step

    hub, new = pending.repository.hub, OpenRelease(pending.release, pending.manifest)
    folder = release_at(hub, commit, wanted=lambda old: _files_of_others(old, pending.manifest))
    old = OpenRelease(folder, read_manifest(folder))
    # The step follows from counts and types; values are quoted nowhere.
    return version_step(diff_tables(old, new, examples=0))


def _files_of_others(old: ReleaseManifest, new: ReleaseManifest) -> Collection[str]:
    """The files of the tables that the new release does not have with the same content."""
    held = {_content(table) for table in new.tables}
    return [file for table in old.tables if _content(table) not in held for file in table.files]


def _content(table: TableInfo) -> tuple[str, str, str, str]:
    return table.config, table.split, table.content_sha256, table.schema_sha256
