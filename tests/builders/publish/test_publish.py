"""Publishing with the real Hub client over HTTP: what it does, what it refuses, and what it survives."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from blend.loaders.releases import addressed_files, read_manifest
from blend.schemas.recipe import McqOptions
from helpers.hub import hub_api
from helpers.hub.hub_releases import (
    FIRST,
    FOUR,
    REPO,
    SECOND,
    digests,
    held,
    make_release,
    published,
    writes,
)
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE

THE_HUB = "https://huggingface.co"
FIVE = (*FOUR, "zh-CN")
NO_QUESTIONS = McqOptions(target_min_votes=50)
"""Nobody has so many votes: a release without multiple-choice questions."""


@pytest.mark.landing
def test_a_first_release_is_one_commit_and_one_tag(hub: Hub, publish, releases):
    steps = []
    done = publish(releases / FIRST, on_progress=lambda step, ready, total: steps.append((step, ready, total)))
    repository = hub.repository(REPO)
    assert held(repository, "main") == held(repository, "v1.0.0") == published(releases / FIRST, hub.url)
    assert repository.tags == {"v1.0.0": done.commit} == {"v1.0.0": repository.branches["main"]}
    titles = [commit.title for _, commit in repository.history("main")]
    assert titles == ["Release blend-sample 1.0.0", "initial commit"]
    assert (done.plan.action, done.new_repository, done.plan.previous) == ("publish", True, None)
    assert set(done.plan.changes.added) == set(digests(releases / FIRST))
    assert done.plan.load == 'load_dataset("org/blend", "annotations", split="US", revision="v1.0.0")'
    assert {step for step, ready, total in steps if ready == total} == {
        "look at the repository",
        "check the release",
        "read the tables",
        "send files",
        "commit",
        "tag",
    }
    assert len(writes(hub)) == 3


@pytest.mark.landing
def test_the_next_release_sends_what_changed_and_removes_what_is_gone(hub: Hub, publish, releases):
    publish(releases / FIRST)
    hub.requests.clear()
    done = publish(releases / "fewer", force_version="a test of removal")
    repository = hub.repository(REPO)
    gone = {
        "data/annotations/MX-00000.parquet",
        "data/short-answer-questions/MX-00000.parquet",
        "data/short-answer-prompts/MX-00000.parquet",
        "data/multiple-choice-questions/test-00000.parquet",  # three locales have no fourth option
        "reports/audit.json",
    }
    assert set(done.plan.changes.removed) == gone
    assert "data/annotations/KR-00000.parquet" in done.plan.changes.unchanged
    assert held(repository, "main") == held(repository, "v2.0.0") == published(releases / "fewer", hub.url)
    assert held(repository, "v1.0.0") == published(releases / FIRST, hub.url)
    assert not [request for request in hub.requests if request.startswith("PUT /large/")]
    commit = repository.commits[done.commit or ""]
    assert commit.description.splitlines()[1:] == ["Follows 1.0.0.", "Version forced: a test of removal"]


@pytest.mark.landing
def test_the_same_content_again_does_nothing(hub: Hub, publish, releases):
    first = publish(releases / FIRST)
    hub.requests.clear()
    again = publish(releases / FIRST)
    assert (again.commit, again.plan.action, again.new_repository) == (first.commit, "nothing", False)
    assert not again.plan.changes
    assert writes(hub) == []


@pytest.mark.landing
def test_other_content_under_a_published_version_is_refused(hub: Hub, publish, refusal, releases):
    publish(releases / FIRST)
    before = hub.repository(REPO).history("main")
    hub.requests.clear()
    assert refusal(releases / "other") == (
        "Hub dataset org/blend: v1.0.0 is published with other content and never changes (changed: "
        "README.md, croissant.json, data/multiple-choice-questions/test-00000.parquet, recipe.toml, "
        "release.json and 1 more); "
        f"see `blend diff org/blend@v1.0.0 {releases / 'other'}`, raise `version` in the recipe and build again"
    )
    assert refusal(releases / "other", force_version="I want to").startswith("Hub dataset org/blend: v1.0.0 is")
    assert writes(hub) == []
    assert next(before)[0] == hub.repository(REPO).branches["main"]


@pytest.mark.landing
def test_a_dry_run_says_what_would_change_and_changes_nothing(hub: Hub, publish, releases, login):
    login(None)
    plan = publish(releases / FIRST, dry_run=True)
    assert (plan.action, plan.creates, plan.made) == ("publish", True, None)
    assert hub.store.repositories == {}
    login(ALICE)
    publish(releases / FIRST)
    hub.requests.clear()
    plan = publish(releases / SECOND, dry_run=True, force_version="a test")
    assert (plan.action, plan.creates, plan.previous) == ("publish", False, "1.0.0")
    assert "data/annotations/CN-00000.parquet" in plan.changes.added
    assert not [request for request in hub.requests if request.split()[0] in ("PUT", "POST", "DELETE")]


@pytest.mark.landing
def test_a_lower_version_is_refused(publish, refusal, releases):
    publish(releases / SECOND)
    assert refusal(releases / FIRST, force_version="back") == (
        "Hub dataset org/blend: version 1.0.0 is not above 1.1.0, the latest one there; "
        "raise `version` in the recipe and build again"
    )


@pytest.mark.nightly
def test_the_version_has_to_follow_from_the_changes(hub: Hub, publish, refusal, tmp_path: Path):
    first = make_release(tmp_path / "first", "1.0.0", mcq=NO_QUESTIONS)
    publish(first)
    more = make_release(tmp_path / "more", "1.0.1", locales=FIVE, mcq=NO_QUESTIONS, after=first)
    hub.requests.clear()
    assert refusal(more) == (
        "Hub dataset org/blend: version 1.0.1 does not follow from what changed since 1.0.0 (minor: "
        "annotations: 1 split added: CN; short-answer-questions: 1 split added: CN; short-answer-prompts: 1 "
        "split added: CN); build it as 1.1.0 or 2.0.0, or give a reason with `force_version`; see `blend diff "
        f"org/blend@v1.0.0 {more}`"
    )
    assert writes(hub) == []
    done = publish(more, force_version="only a test")
    assert hub.repository(REPO).commits[done.commit or ""].description.endswith("Version forced: only a test")


# Two maintainers at once.


@pytest.mark.landing
def test_the_second_of_two_maintainers_gets_a_conflict(hub: Hub, publish, refusal, releases, login):
    publish(releases / FIRST)
    base = hub.repository(REPO).branches["main"]
    other_is_done = threading.Event()
    hub.fail("POST /api/datasets/org/blend/commit/main", action=other_is_done.wait)
    with ThreadPoolExecutor() as pool:
        late = pool.submit(refusal, releases / SECOND, force_version="late")
        while "POST /api/datasets/org/blend/commit/main" not in hub.requests[-1]:
            other_is_done.wait(0.01)
        winner = hub.repository(REPO).edit({"README.md": b"mine"}, title="from elsewhere")
        other_is_done.set()
    assert late.result() == (
        f"Hub dataset org/blend: conflict: somebody else moved main from {base} to {winner} while this release "
        "was sent; nothing of it was published, and nothing of theirs is lost; look at what they did, raise "
        "`version` if need be, and publish again"
    )
    assert hub.repository(REPO).branches["main"] == winner
    assert list(hub.repository(REPO).tags) == ["v1.0.0"]


@pytest.mark.nightly
def test_a_publish_between_anothers_commit_and_tag_is_refused(
    hub: Hub, publish, refusal, releases, hub_cache, tmp_path: Path
):
    publish(releases / FIRST)
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / SECOND, force_version="stopped before the tag")
    head = hub.repository(REPO).branches["main"]
    make_release(tmp_path / "mine", "1.1.0", seed=3)
    assert refusal(tmp_path / "mine", force_version="mine") == (
        "Hub dataset org/blend: conflict: version 1.1.0 is on main but not tagged, so another publish is under "
        "way or was stopped; nothing was changed; wait a minute and try again, or finish it: "
        f"blend pull org/blend@{head} DIR && blend publish DIR org/blend"
    )
    # What the message says works: no need to have the stopped release.
    from blend.loaders.releases.references import pull_release

    pull_release(f"{REPO}@{head}", tmp_path / "finish", endpoint=hub.url)
    assert publish(tmp_path / "finish").plan.action == "tag"
    assert hub.repository(REPO).tags["v1.1.0"] == head


# Interruptions that the next run heals.


@pytest.mark.landing
def test_a_commit_without_its_tag_is_tagged(hub: Hub, publish, refusal, releases):
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / FIRST)
    hub.requests.clear()
    done = publish(releases / FIRST)
    assert done.plan.action == "tag"
    assert hub.repository(REPO).tags == {"v1.0.0": done.commit}
    assert writes(hub) == [f"POST /api/datasets/org/blend/tag/{done.commit}"]


@pytest.mark.landing
def test_edits_by_hand_are_told_before_they_are_replaced(hub: Hub, publish, releases):
    publish(releases / FIRST)
    hub.repository(REPO).edit({"README.md": b"# mine", "notes.txt": b"x"})
    plan = publish(releases / SECOND, dry_run=True, force_version="a test")
    assert plan.edited == ("README.md", "notes.txt")
    assert plan.changes.removed == ("notes.txt",)


# How often the Hub is asked: every answer takes its while, and at 100 ms each that is most of a publish.


def asked(hub: Hub) -> list[str]:
    """What was asked, without the contents of files and what confirms each; forgotten after."""
    found = [request for request in hub.requests if "/large/" not in request and "lfs/" not in request]
    hub.requests.clear()
    return sorted(request.replace("/api/datasets/org/blend", "").rsplit("/", 1)[0] for request in found)


@pytest.mark.landing
def test_requests_of_a_first_release_a_successor_and_a_repetition(
    hub: Hub, publish, releases, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hub_api, "PAGE_ENTRIES", 1000)  # as the Hub itself
    publish(releases / "1.0.0")
    first = asked(hub)
    publish(releases / "1.1.0")
    successor = asked(hub)
    publish(releases / "1.1.0")
    again = asked(hub)
    # Looking whether it is there, making it, looking again, modes, card, commit, comparing, tag, and whether a
    # branch has its name.
    assert len(first) == 12, first
    # No repository to make; but the one table that differs to fetch, a HEAD and a GET.
    assert len(successor) == 12, successor
    assert len(again) == 3, again


# Several maintainers at once, and what somebody undid meanwhile: nothing is mixed, lost or doubled.


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
    hub: Hub, refusal, releases, somebody_else, quick
):
    other = releases / "other"
    hub.fail(CREATE, status=503, times=3, action=once(lambda: somebody_else(other)))
    assert refusal(releases / "1.0.0") == (
        "Hub dataset org/blend: v1.0.0 is published with other content and never changes (changed: "
        "README.md, croissant.json, data/multiple-choice-questions/test-00000.parquet, recipe.toml, "
        "release.json and 1 more); "
        f"see `blend diff org/blend@v1.0.0 {releases / '1.0.0'}`, raise `version` in the recipe and build again"
    )
    assert held(hub.repository(REPO)) == held(hub.repository(REPO), "v1.0.0") == published(other, hub.url)
    assert not [request for request in hub.requests if "preupload" in request or "/commit/" in request]


@pytest.mark.nightly
@pytest.mark.parametrize("request_", [CREATE, COMMIT])
def test_two_runs_of_the_same_content_both_end_well(
    hub: Hub, publish, releases, somebody_else, quick, request_: str
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
    hub: Hub, publish, refusal, releases, tmp_path: Path
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
        f"taken it back since (main is at {reverted}); nothing was changed; ask them why, raise `version` in "
        "the recipe if it is to come back, build it again and publish that"
    )
    assert list(repository.tags) == ["v1.0.0"]


@pytest.mark.landing
@pytest.mark.parametrize("endpoint", [THE_HUB, "https://hf.co", "https://www.huggingface.co/"])
def test_files_have_their_address_on_the_hub(releases, endpoint: str):
    manifest = read_manifest(releases / FIRST)
    metadata = addressed_files(releases / FIRST, manifest, repo_id=REPO, endpoint=endpoint)["croissant.json"]
    addresses = [entry["contentUrl"] for entry in json.loads(metadata)["distribution"]]
    folder = f"{THE_HUB}/datasets/org/blend/resolve/v1.0.0/"
    held = {file.path for file in manifest.files}
    assert len(addresses) > 10
    assert all(one.startswith(folder) and one.removeprefix(folder) in held for one in addresses)
