"""Several maintainers at once, and what somebody undid meanwhile: nothing is mixed, lost or doubled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blend.loaders.releases import read_manifest
from blend.loaders.releases.repository import addressed_files
from helpers.hub.hub_releases import digests, held, published
from helpers.hub.hub_server import Hub

REPO = "org/blend"
CREATE, COMMIT = "POST /api/repos/create", "POST /api/datasets/org/blend/commit/main"


@pytest.fixture
def somebody_else(hub: Hub) -> Callable[[Path], str]:
    """A function that publishes a release in no time, as another maintainer does; gives the commit."""

    def publish(release: Path) -> str:
        if REPO not in hub.store.repositories:
            hub.store.create(REPO, private=False, author="bob")
        manifest = read_manifest(release)
        files = {path: (release / path).read_bytes() for path in digests(release)}
        files |= addressed_files(release, manifest, repo_id=REPO, endpoint=hub.url)
        repository = hub.repository(REPO)
        commit = repository.edit(files, title=f"Release {manifest.name} {manifest.version}")
        repository.tags[f"v{manifest.version}"] = commit
        return commit

    return publish


def once(action: Callable[[], object]) -> Callable[[], None]:
    """The action, done the first time only."""
    left = [action]

    def act() -> None:
        if left:
            left.pop()()

    return act


@pytest.mark.nightly
def test_somebody_else_publishes_while_the_repository_is_made(
    hub: Hub, refusal: Any, releases: Path, somebody_else: Any, quick: None
):
    other = releases / "other"
    hub.fail(CREATE, status=503, times=3, action=once(lambda: somebody_else(other)))
    assert refusal(releases / "1.0.0") == (
        "Hub dataset org/blend: v1.0.0 is published with other content and never changes (changed: "
        "CHANGELOG.md, DATASHEET.md, README.md, croissant.json, "
        "data/multiple-choice-questions/test-00000.parquet and 5 more); "
        f"see `blend diff org/blend@v1.0.0 {releases / '1.0.0'}`, raise `version` in the recipe and build again"
    )
    assert held(hub.repository(REPO)) == held(hub.repository(REPO), "v1.0.0") == published(other, hub.url)
    assert not [request for request in hub.requests if "preupload" in request or "/commit/" in request]


@pytest.mark.nightly
def test_a_version_that_somebody_published_meanwhile_counts_as_the_latest(
    hub: Hub, publish: Any, releases: Path, somebody_else: Any, quick: None
):
    hub.fail(CREATE, status=503, action=once(lambda: somebody_else(releases / "1.0.0")))
    done = publish(releases / "1.1.0")
    assert (done.plan.previous, done.new_repository) == ("1.0.0", False)
    repository = hub.repository(REPO)
    assert held(repository, "v1.0.0") == published(releases / "1.0.0", hub.url)
    assert held(repository, "v1.1.0") == published(releases / "1.1.0", hub.url)


@pytest.mark.nightly
@pytest.mark.parametrize("request_", [CREATE, COMMIT])
def test_two_runs_of_the_same_content_both_end_well(
    hub: Hub, publish: Any, releases: Path, somebody_else: Any, quick: None, request_: str
):
    commits = []
    hub.fail(request_, action=once(lambda: commits.append(somebody_else(releases / "1.0.0"))))
    done = publish(releases / "1.0.0")
    repository = hub.repository(REPO)
    assert [done.commit] == commits
    assert repository.tags == {"v1.0.0": done.commit}
    assert held(repository) == published(releases / "1.0.0", hub.url)
    assert [commit.title for _, commit in repository.history("main")] == [
        "Release blend-sample 1.0.0",
        "initial commit",
    ]


@pytest.mark.nightly
def test_a_version_that_was_taken_back_before_its_tag_is_not_tagged(
    hub: Hub, publish: Any, refusal: Any, releases: Path, tmp_path: Path
):
    publish(releases / "1.0.0")
    repository = hub.repository(REPO)
    first = repository.branches["main"]
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / "1.1.0")
    made = repository.branches["main"]
    reverted = repository.add_commit(repository.files(first), title="Revert")
    assert refusal(releases / "1.1.0") == (
        f"Hub dataset org/blend: commit {made} put this release on main, without its tag, and somebody has "
        f"taken it back since (main is at {reverted}); nothing was changed; ask them why, raise `version` "
        "in the "
        "recipe if it is to come back, build it again and publish that"
    )
    assert list(repository.tags) == ["v1.0.0"]
