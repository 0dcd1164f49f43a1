"""Publishing with the real Hub client over HTTP: what it does, what it refuses, and what it survives."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hub_releases import FOUR, digests, held, make_release, published
from hub_server import Hub
from hub_store import ALICE, BOB, CAROL, DAVE, Account

from blend.schemas.errors import BlendError
from blend.schemas.recipe import McqOptions

pytestmark = [
    pytest.mark.integration,
    # The Hub client sends file contents in a way that its HTTP library wants changed.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]

REPO = "org/blend"
Publish = Callable[..., Any]
Refusal = Callable[..., str]

FIRST, SECOND = "1.0.0", "1.1.0"

FIVE = (*FOUR, "zh-CN")
NO_QUESTIONS = McqOptions(target_min_votes=50)
"""Nobody has so many votes: a release without multiple-choice questions."""


def writes(hub: Hub) -> list[str]:
    """The requests that change what readers see."""
    parts = ("/repos/create", "/commit/", "/tag/", "/settings", "/branch/")
    return [
        request
        for request in hub.requests
        if not request.startswith(("GET", "HEAD")) and any(part in request for part in parts)
    ]


def test_a_first_release_is_one_commit_and_one_tag(hub: Hub, publish: Publish, releases: Path):
    steps = []
    done = publish(releases / FIRST, notify=lambda step, ready, total: steps.append((step, ready, total)))
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
        "send files",
        "commit",
        "tag",
    }
    assert len(writes(hub)) == 3


def test_the_next_release_sends_what_changed_and_removes_what_is_gone(
    hub: Hub, publish: Publish, releases: Path
):
    publish(releases / FIRST)
    hub.requests.clear()
    done = publish(releases / "fewer", forced="a test of removal")
    repository = hub.repository(REPO)
    gone = {
        "data/annotations/MX-00000.parquet",
        "data/short-answer-questions/MX-00000.parquet",
        "data/short-answer-prompts/MX-00000.parquet",
        "data/multiple-choice-questions/test-00000.parquet",  # three locales have no fourth option
        "eval.yaml",  # and a release without questions is not a benchmark
    }
    assert set(done.plan.changes.removed) == gone
    assert "data/annotations/KR-00000.parquet" in done.plan.changes.unchanged
    assert held(repository, "main") == held(repository, "v2.0.0") == published(releases / "fewer", hub.url)
    assert held(repository, "v1.0.0") == published(releases / FIRST, hub.url)
    assert not [request for request in hub.requests if request.startswith("PUT /large/")]
    commit = repository.commits[done.commit or ""]
    assert commit.description.splitlines()[1:] == ["Follows 1.0.0.", "Version forced: a test of removal"]


def test_the_same_content_again_does_nothing(hub: Hub, publish: Publish, releases: Path):
    first = publish(releases / FIRST)
    hub.requests.clear()
    again = publish(releases / FIRST)
    assert (again.commit, again.plan.action, again.new_repository) == (first.commit, "nothing", False)
    assert not again.plan.changes
    assert writes(hub) == []


def test_other_content_under_a_published_version_is_refused(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path
):
    publish(releases / FIRST)
    before = hub.repository(REPO).history("main")
    hub.requests.clear()
    assert refusal(releases / "other") == (
        "Hub dataset org/blend: v1.0.0 is published with other content and never changes (changed: README.md, "
        "croissant.json, data/multiple-choice-questions/test-00000.parquet, recipe.toml, release.json); "
        f"see `blend diff org/blend@v1.0.0 {releases / 'other'}`, raise `version` in the recipe and build again"
    )
    assert refusal(releases / "other", forced="I want to").startswith("Hub dataset org/blend: v1.0.0 is")
    assert writes(hub) == []
    assert next(before)[0] == hub.repository(REPO).branches["main"]


def test_a_dry_run_says_what_would_change_and_changes_nothing(
    hub: Hub, publish: Publish, releases: Path, login: Any
):
    login(None)
    plan = publish(releases / FIRST, dry_run=True)
    assert (plan.action, plan.creates, plan.made) == ("publish", True, None)
    assert hub.store.repositories == {}
    login(ALICE)
    publish(releases / FIRST)
    hub.requests.clear()
    plan = publish(releases / SECOND, dry_run=True, forced="a test")
    assert (plan.action, plan.creates, plan.previous) == ("publish", False, "1.0.0")
    assert "data/annotations/CN-00000.parquet" in plan.changes.added
    assert not [request for request in hub.requests if request.split()[0] in ("PUT", "POST", "DELETE")]


def test_a_lower_version_is_refused(publish: Publish, refusal: Refusal, releases: Path):
    publish(releases / SECOND)
    assert refusal(releases / FIRST, forced="back") == (
        "Hub dataset org/blend: version 1.0.0 is not above 1.1.0, the latest one there; "
        "raise `version` in the recipe and build again"
    )


def test_the_version_has_to_follow_from_the_changes(
    hub: Hub, publish: Publish, refusal: Refusal, tmp_path: Path
):
    first = make_release(tmp_path / "first", "1.0.0", mcq=NO_QUESTIONS)
    publish(first)
    more = make_release(tmp_path / "more", "1.0.1", locales=FIVE, mcq=NO_QUESTIONS, after=first)
    hub.requests.clear()
    assert refusal(more) == (
        "Hub dataset org/blend: version 1.0.1 does not follow from what changed since 1.0.0 "
        "(minor: annotations: 1 split added: CN; short-answer-questions: 1 split added: CN; "
        "short-answer-prompts: 1 split added: CN); "
        "build it as 1.1.0 or 2.0.0, or give a reason with --force-version; "
        f"see `blend diff org/blend@v1.0.0 {more}`"
    )
    assert writes(hub) == []
    done = publish(more, forced="only a test")
    assert hub.repository(REPO).commits[done.commit or ""].description.endswith("Version forced: only a test")


@pytest.mark.parametrize("version", ["1.1.0", "2.0.0"])
def test_the_version_that_follows_and_a_larger_one_need_no_reason(
    publish: Publish, tmp_path: Path, version: str
):
    first = make_release(tmp_path / "first", "1.0.0", mcq=NO_QUESTIONS)
    publish(first)
    more = make_release(tmp_path / "more", version, locales=FIVE, mcq=NO_QUESTIONS, after=first)
    assert publish(more).plan.previous == "1.0.0"


# Two maintainers at once.


def test_the_second_of_two_maintainers_gets_a_conflict(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path, login: Any
):
    publish(releases / FIRST)
    base = hub.repository(REPO).branches["main"]
    other_is_done = threading.Event()
    hub.fail("POST /api/datasets/org/blend/commit/main", action=other_is_done.wait)
    with ThreadPoolExecutor() as pool:
        late = pool.submit(refusal, releases / SECOND, forced="late")
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


def test_a_publish_between_anothers_commit_and_tag_is_refused(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path, hub_cache: Path, tmp_path: Path
):
    publish(releases / FIRST)
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / SECOND, forced="stopped before the tag")
    head = hub.repository(REPO).branches["main"]
    make_release(tmp_path / "mine", "1.1.0", seed=3)
    assert refusal(tmp_path / "mine", forced="mine") == (
        "Hub dataset org/blend: conflict: version 1.1.0 is on main but not tagged, so another publish is under "
        "way or was stopped; nothing was changed; wait a minute and try again, or finish it: "
        f"blend pull org/blend@{head} DIR && blend publish DIR org/blend"
    )
    # What the message says works: no need to have the stopped release.
    from blend.loaders.releases.pull import pull_release

    pull_release(f"{REPO}@{head}", tmp_path / "finish", endpoint=hub.url)
    assert publish(tmp_path / "finish").plan.action == "tag"
    assert hub.repository(REPO).tags["v1.1.0"] == head


# Interruptions that the next run heals.


def test_a_commit_without_its_tag_is_tagged(hub: Hub, publish: Publish, refusal: Refusal, releases: Path):
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / FIRST)
    hub.requests.clear()
    done = publish(releases / FIRST)
    assert done.plan.action == "tag"
    assert hub.repository(REPO).tags == {"v1.0.0": done.commit}
    assert writes(hub) == [f"POST /api/datasets/org/blend/tag/{done.commit}"]


def test_it_is_tagged_also_when_somebody_has_edited_the_card_since(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path
):
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=403)
    refusal(releases / FIRST)
    made = hub.repository(REPO).branches["main"]
    edited = hub.repository(REPO).edit({"README.md": b"# mine"})
    assert publish(releases / FIRST).commit == made
    assert hub.repository(REPO).tags == {"v1.0.0": made}
    assert hub.repository(REPO).branches["main"] == edited


def test_edits_by_hand_are_told_before_they_are_replaced(hub: Hub, publish: Publish, releases: Path):
    publish(releases / FIRST)
    hub.repository(REPO).edit({"README.md": b"# mine", "notes.txt": b"x"})
    plan = publish(releases / SECOND, dry_run=True, forced="a test")
    assert plan.edited == ("README.md", "notes.txt")
    assert plan.changes.removed == ("notes.txt",)


# A Hub that fails.

STEPS = {
    "create": "POST /api/repos/create",
    "modes": "POST /api/datasets/org/blend/preupload/main",
    "where": "POST /datasets/org/blend.git/info/lfs/objects/batch",
    "content": "PUT /large/.*",
    "card": "POST /api/validate-yaml",
    "commit": "POST /api/datasets/org/blend/commit/main",
    "compare": "GET /api/datasets/org/blend/tree/.*",
    "tag": "POST /api/datasets/org/blend/tag/.*",
    "look": "GET /api/datasets/org/blend",
}


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"status": 503}, id="503"),
        pytest.param({"status": 429, "retry_after_s": 0}, id="429"),
        pytest.param({"drop": True}, id="connection lost before"),
        pytest.param({"drop": True, "moment": "after"}, id="acknowledgement lost"),
        pytest.param({"status": 504, "moment": "after"}, id="gateway gave up but it was done"),
    ],
)
@pytest.mark.parametrize("step", STEPS)
def test_a_passing_error_at_any_step(
    step: str, how: dict[str, Any], hub: Hub, publish: Publish, releases: Path, quick: None
):
    fault = hub.fail(STEPS[step], **how)
    done = publish(releases / FIRST)
    assert fault.struck == 1
    repository = hub.repository(REPO)
    assert repository.tags == {"v1.0.0": done.commit}
    assert held(repository, "main") == held(repository, "v1.0.0") == published(releases / FIRST, hub.url)
    assert [commit.title for _, commit in repository.history("main")] == [
        "Release blend-sample 1.0.0",
        "initial commit",
    ]


def test_a_hub_that_stays_busy_is_given_up_and_nothing_is_visible(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path, quick: None
):
    waits: list[str] = []
    hub.fail("POST /api/datasets/org/blend/commit/main", status=503, times=100)
    assert refusal(releases / FIRST, on_wait=waits.append) == (
        "Hub dataset org/blend: the Hub does not do what it is asked (503 Service Unavailable); try again"
    )
    assert waits == [f"503 Service Unavailable: next attempt in {seconds} s" for seconds in (1, 2, 4, 8, 16)]
    assert list(hub.repository(REPO).files()) == [".gitattributes"]
    hub.faults.clear()
    assert publish(releases / FIRST).plan.action == "publish"


def test_the_hub_says_how_long_to_wait(hub: Hub, publish: Publish, releases: Path, quick: None):
    waits: list[str] = []
    hub.fail("POST /api/datasets/org/blend/tag/.*", status=429, retry_after_s=9)
    publish(releases / FIRST, on_wait=waits.append)
    assert waits == ["429 Too Many Requests: next attempt in 9 s"]


def test_a_hub_that_asks_for_an_hour_is_not_waited_for(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path
):
    hub.fail("POST /api/datasets/org/blend/commit/main", status=429, retry_after_s=3600)
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: the Hub is busy (429 Too Many Requests) and asks for time; "
        "try again in 60 minutes"
    )


def test_a_slow_answer_is_waited_for_and_asked_after(hub: Hub, publish: Publish, releases: Path, quick: None):
    # Longer than the time limit: the commit is made while the client has given up waiting.
    hub.fail("POST /api/datasets/org/blend/commit/main", moment="after", action=threading.Event().wait)
    hub.faults[-1].action = lambda: threading.Event().wait(1.0)
    done = publish(releases / FIRST, timeout_s=0.5)
    assert hub.repository(REPO).tags == {"v1.0.0": done.commit}
    assert hub.requests.count("POST /api/datasets/org/blend/commit/main") == 1


def test_files_that_do_not_arrive(hub: Hub, publish: Publish, refusal: Refusal, releases: Path, quick: None):
    hub.fail("PUT /large/.*", drop=True, moment="body", times=1000)
    message = refusal(releases / FIRST)
    assert message.startswith("Hub dataset org/blend: the files did not arrive (")
    assert message.endswith(
        "; readers see nothing of them; run the same command again: what has arrived is not sent twice"
    )
    assert writes(hub) == ["POST /api/repos/create"]
    hub.faults.clear()
    publish(releases / FIRST)


def test_addresses_that_the_client_logs_are_without_signatures(
    hub: Hub, publish: Publish, releases: Path, quick: None
):
    hub.fail("PUT /large/.*", status=503, times=3)
    with caught_log() as lines:
        publish(releases / FIRST)
    assert len(lines) >= 3
    assert all("/large/" in line and "signature" not in line for line in lines if "thrown while" in line)


@contextmanager
def caught_log() -> Iterator[list[str]]:
    """What reaches the handlers of the Hub client's log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("huggingface_hub")
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)


def test_what_has_arrived_is_not_sent_twice(hub: Hub, publish: Publish, refusal: Refusal, releases: Path):
    hub.fail("POST /api/datasets/org/blend/commit/main", status=403)
    refusal(releases / FIRST)
    hub.requests.clear()
    publish(releases / FIRST)
    assert not [request for request in hub.requests if request.startswith("PUT /large/")]


# Who may.


def test_a_private_repository_is_seen_by_its_owners_only(
    hub: Hub, publish: Publish, releases: Path, login: Any, tmp_path: Path
):
    from blend.loaders.releases.pull import pull_release

    publish(releases / FIRST, private=True)
    assert hub.repository(REPO).private
    login(CAROL)
    pull_release("org/blend@v1.0.0", tmp_path / "carol", endpoint=hub.url)
    assert digests(tmp_path / "carol") == published(releases / FIRST, hub.url)
    for stranger in (DAVE, None):
        login(stranger)
        with pytest.raises(BlendError, match="not found, private or gated"):
            pull_release("org/blend@v1.0.0", tmp_path / "stranger", endpoint=hub.url)
    login(BOB)
    assert publish(releases / FIRST, private=True).plan.action == "nothing"
    assert publish(releases / SECOND, forced="no flag needed", dry_run=True).action == "publish"


def test_a_public_repository_is_not_taken_for_a_private_one(
    hub: Hub, publish: Publish, refusal: Refusal, releases: Path
):
    publish(releases / FIRST)
    assert refusal(releases / SECOND, private=True) == (
        "Hub dataset org/blend: exists and is public, so --private cannot be kept; make it private in its "
        "settings, or publish to another repository"
    )


def test_messages_about_tokens(hub: Hub, publish: Publish, refusal: Refusal, releases: Path, login: Any):
    login(None)
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: not logged in; run `hf auth login`, or set HF_TOKEN to a token that may write"
    )
    login(CAROL)
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: the token may not do this (403 You don't have the rights to create a dataset "
        "under this namespace); make one with write access to this account or organisation at "
        "https://huggingface.co/settings/tokens"
    )
    login(Account("nobody", "hf_unknownUnknownUnknown"))
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: the Hub does not accept the token; log in again with `hf auth login`, "
        "or correct HF_TOKEN"
    )


# What is not published.


def test_messages_for_repository_ids(publish: Publish, refusal: Refusal, releases: Path):
    expected = (
        "Hub dataset {}: not the name of a repository; write org/name, where org is an account or organisation"
    )
    assert refusal(releases / FIRST, "blend") == expected.format("blend")
    assert refusal(releases / FIRST, "a/b/c") == expected.format("a/b/c")
    assert refusal(releases / FIRST, "org/--") == (
        "Hub dataset org/--: not the name of a repository; write org/name"
    )


def test_files_of_others_are_not_replaced(hub: Hub, publish: Publish, refusal: Refusal, releases: Path):
    hub.store.create(REPO, private=False, author="bob")
    hub.repository(REPO).edit({"data.csv": b"a,b\n", "README.md": b"# Bob's"})
    assert refusal(releases / FIRST) == (
        "Hub dataset org/blend: holds files but no release.json (data.csv), so it is not a release and is not "
        "replaced; publish to another repository, or remove these files yourself"
    )


def test_an_empty_repository_with_a_card_is_taken(hub: Hub, publish: Publish, releases: Path):
    hub.store.create(REPO, private=False, author="bob")
    hub.repository(REPO).edit({"README.md": b"# soon"})
    assert publish(releases / FIRST).plan.changes.changed == ("README.md",)


def test_another_dataset_is_not_replaced(publish: Publish, refusal: Refusal, releases: Path, tmp_path: Path):
    publish(releases / FIRST)
    make_release(tmp_path / "other", "3.0.0", name="another")
    assert refusal(tmp_path / "other", forced="mistaken") == (
        "Hub dataset org/blend: holds the dataset 'blend-sample', and this release is of 'another'; "
        "publish to another repository, or correct `name` in the recipe"
    )


def test_a_release_that_is_not_as_its_manifest_says(
    publish: Publish, refusal: Refusal, releases: Path, tmp_path: Path
):
    release = make_release(tmp_path / "release", FIRST)
    (release / "README.md").write_text("changed")
    (release / "recipe.toml").unlink()
    (release / "notes.txt").write_text("mine")
    assert refusal(release) == (
        f"{release}: the files are not those of release.json: recipe.toml (missing), README.md (changed), "
        "notes.txt (not in the manifest); build the release again, and keep other files elsewhere"
    )


def test_a_file_that_changes_while_it_is_sent(hub: Hub, publish: Publish, refusal: Refusal, tmp_path: Path):
    release = make_release(tmp_path / "release", FIRST)
    table = release / "data" / "annotations" / "KR-00000.parquet"
    hub.fail(
        "POST /api/datasets/org/blend/preupload/main",
        action=lambda: table.write_bytes(table.read_bytes()[::-1]),
    )
    assert refusal(release) == (
        f"{table}: changed while it was sent; nothing is published; publish again when the release is whole"
    )
    assert writes(hub) == ["POST /api/repos/create"]


def test_a_gitignore_on_the_hub_leaves_nothing_out(hub: Hub, publish: Publish, releases: Path):
    publish(releases / FIRST)
    hub.repository(REPO).edit({".gitignore": b"data/\n*.toml\n"})
    publish(releases / SECOND, forced="a test")
    assert held(hub.repository(REPO), "v1.1.0") == published(releases / SECOND, hub.url)


def test_a_repository_without_attributes_keeps_tables_as_small_files(
    hub: Hub, publish: Publish, releases: Path
):
    hub.repository(REPO).commit({"README.md": b"# by git"})
    publish(releases / FIRST)
    assert held(hub.repository(REPO), "v1.0.0") == published(releases / FIRST, hub.url)
    assert not any(entry.sha256 for entry in hub.repository(REPO).files().values())
