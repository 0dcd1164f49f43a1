"""Releases by reference, fetched by the real Hub client over HTTP: checked, mended, and found again offline."""

from pathlib import Path

import pytest

from blend.loaders.releases.references import resolve_release
from helpers.hub.hub_releases import digests, make_release
from helpers.messages import wrong

pytestmark = [pytest.mark.integration, pytest.mark.landing]

REPO = "org/blend"
TABLE = "data/annotations/KR-00000.parquet"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_release(tmp_path_factory.mktemp("references") / "release", "1.0.0", locales=("ko-KR", "fa-IR"))


@pytest.fixture
def commit(hub, hub_cache, release) -> str:
    """The release, tagged in a repository."""
    repository = hub.repository(REPO)
    commit = repository.commit(contents(release))
    repository.tags["v1.0.0"] = commit
    return commit


def contents(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in digests(folder)}


def resolve(hub, reference: str = f"{REPO}@v1.0.0") -> Path:
    return resolve_release(reference, endpoint=hub.url, timeout_s=5)


def message(hub, reference: str = f"{REPO}@v1.0.0") -> str:
    return wrong(lambda: resolve(hub, reference))


def test_a_tag_stays_with_its_commit(hub, commit, release):
    hub.repository(REPO).commit({"README.md": b"gone"})
    assert digests(resolve(hub)) == digests(release)


def test_what_was_fetched_needs_no_connection(hub, commit):
    folder = resolve(hub)
    hub.fail(".*", status=503, times=100)
    assert resolve(hub) == folder
    assert resolve(hub, f"{REPO}@{commit}") == folder


def test_a_damaged_file_in_the_cache_is_fetched_again(hub, commit, release):
    folder = resolve(hub)
    for path in (TABLE, "release.json"):
        file = (folder / path).resolve()
        file.write_bytes(file.read_bytes()[:-1] + b"?")
        assert digests(resolve(hub)) == digests(release)


def test_a_release_that_was_damaged_when_it_was_published(hub, commit, release):
    files = contents(release) | {TABLE: b"PAR1"}
    hub.repository(REPO).tags["v1.0.1"] = hub.repository(REPO).commit(files)
    assert message(hub, f"{REPO}@v1.0.1") == (
        "Hub dataset org/blend, revision v1.0.1: not as release.json says, also when downloaded again "
        f"({TABLE}); use another version, and tell who publishes it"
    )


def test_a_release_that_lacks_a_file(hub, commit, release):
    files = contents(release)
    del files[TABLE]
    lacking = hub.repository(REPO).commit(files)
    assert message(hub, f"{REPO}@{lacking}") == (
        f"Hub dataset org/blend: commit {lacking} holds no {TABLE}, so it is not a complete release; "
        "name a version that `blend publish` made"
    )


def test_a_repository_that_holds_something_else_is_not_downloaded(hub, commit):
    other = hub.repository("org/other").commit({"README.md": b"hello", "data.bin": b"large"})
    assert message(hub, f"org/other@{other}") == (
        f"Hub dataset org/other: commit {other} holds no release.json, so it is not a complete release; "
        "name a version that `blend publish` made"
    )
    assert not any("data.bin" in request for request in hub.requests)


def test_messages_for_revisions_that_can_move_or_are_not_there(hub, commit):
    hub.repository("org/other").commit({"README.md": b"hello"})
    assert message(hub, "org/other") == (
        "Hub dataset org/other: no revision; write org/other@ and a tag (it has none) or a commit"
    )
    hub.repository(REPO).tags["v1.1.0"] = commit
    assert message(hub, REPO) == (
        "Hub dataset org/blend: no revision; write org/blend@ and a tag (v1.0.0, v1.1.0) or a commit"
    )
    assert message(hub, f"{REPO}@main") == (
        "Hub dataset org/blend: revision 'main' is a branch and can change; "
        f"pin the commit that it names now, {commit}, or a tag (v1.0.0, v1.1.0)"
    )
    assert message(hub, f"{REPO}@v9.0.0") == (
        "Hub dataset org/blend: unknown revision 'v9.0.0'; "
        "name a tag (v1.0.0, v1.1.0), or a commit as 40 digits"
    )
    assert message(hub, f"{REPO}@{'0' * 40}") == (
        "Hub dataset org/blend: no such revision; look up its commits and tags on the Hub"
    )
