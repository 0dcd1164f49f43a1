"""Publishing: a release becomes one commit and one tag of a Hub repository, whatever happens on the way.

The order makes it safe. File contents are sent first, which nobody sees; then one commit, on top of exactly the
head that was examined, puts all of them in place; then the commit is compared with the manifest; then it is
tagged. A process that dies leaves either nothing visible, or the whole release on ``main`` without its tag, and
the next run adds the tag. An error of the commit or the tag says nothing about whether it exists, so after each
error the Hub is asked again before anything is decided.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from blend.builders.publish.look import PendingCommit, look, plan_on
from blend.builders.publish.plan import Publication, PublicationPlan
from blend.builders.publish.steps import create_repository, make_commit, make_tag, send_files
from blend.loaders.files.progress import ProgressCallback, silent
from blend.loaders.hub import HubClient, hub_client, hub_name
from blend.loaders.hub.hub_errors import HubNotReached
from blend.loaders.hub.request_timeouts import TIMEOUT_S, OnWait
from blend.loaders.releases.repository import HubRepository
from blend.schemas.addresses import tag_of
from blend.schemas.errors import DISTRIBUTION, HubError, InputError


class Terms(NamedTuple):
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
    terms = Terms(private, force_version, allow_errors)
    hub = hub_client(repo_id, endpoint=endpoint, purpose="write", timeout_s=timeout_s, on_wait=on_wait)
    try:
        with _shipment(Path(release), repo_id, terms, hub, on_progress) as pending:
            return _checked_plan(pending, terms)
    except HubNotReached as error:
        raise HubNotReached(
            f"{error}. What would change depends on what is published already; "
            f"`blend validate {release}` checks the release itself without the Hub"
        ) from None


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
        InputError: If the release is not as its manifest says or is not sound, or holds data that may not be
            passed on; if the version does not follow
            from the changes or is not above the latest; if the repository holds something else.
        ConflictError: If the version is taken by other content, or if somebody else publishes at the same time.
        HubError: If the Hub refuses or cannot be reached.
    """
    terms = Terms(private, force_version, allow_errors)
    hub = hub_client(repo_id, endpoint=endpoint, purpose="write", timeout_s=timeout_s, on_wait=on_wait)
    with _shipment(Path(release), repo_id, terms, hub, on_progress) as pending:
        _check_token(pending)
        return _carried_out(pending, _checked_plan(pending, terms), terms)


@contextmanager
def _shipment(
    release: Path,
    repo_id: str,
    terms: Terms,
    hub: AbstractContextManager[HubClient],
    on_progress: ProgressCallback,
) -> Iterator[PendingCommit]:
    """The release, on its way to a repository that the block can ask and change."""
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


def _checked_plan(pending: PendingCommit, terms: Terms) -> PublicationPlan:
    """The plan for a release that is sound, and whose version and changelog go on from the latest one."""
    pending.on_progress("look at the repository", 0, 1)
    with ThreadPoolExecutor(1) as requests:
        looking = requests.submit(look, pending, private=terms.private)
        # The checks take about as long to load as the Hub to answer.
        import_module("blend.builders.validate")
        plan = looking.result()
    pending.on_progress("look at the repository", 1, 1)
    _check(pending, plan, terms)
    return plan


def _check(pending: PendingCommit, plan: PublicationPlan, terms: Terms) -> None:
    """Refuse what is about to be published if it is not sound, or does not go on from the latest version."""
    from blend.builders.publish.validity import check_changelog, check_step, check_valid

    if plan.action != "publish":
        return
    held = check_valid(pending, allow_errors=terms.allow_errors)
    if plan.previous is not None:
        check_changelog(pending, plan.previous)
        if terms.force_version is None:
            check_step(pending, held, plan.previous, plan.tags[tag_of(plan.previous)])


def _carried_out(pending: PendingCommit, plan: PublicationPlan, terms: Terms) -> Publication:
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


def _send_and_commit(pending: PendingCommit, plan: PublicationPlan, terms: Terms) -> str:
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


def _description(pending: PendingCommit, plan: PublicationPlan, terms: Terms) -> str:
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
