"""Publishing to a Hub that fails: what is tried again, what is said, what is not sent twice."""

import logging
import subprocess
import sys
import threading
from http import HTTPStatus
from itertools import product
from pathlib import Path

import pytest

from helpers.hub.hub_releases import FIRST, REPO, held, published, writes
from helpers.hub.hub_server import Hub
from helpers.tiers import rest_nightly

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


HOW = {
    "503": {"status": 503},
    "429": {"status": 429, "retry_after_s": 0},
    "connection lost before": {"drop": True},
    "acknowledgement lost": {"drop": True, "moment": "after"},
    "gateway gave up but it was done": {"status": 504, "moment": "after"},
}
EVERY_STEP_AND_HOW = [(step, list(HOW)[number % len(HOW)]) for number, step in enumerate(STEPS)]
"""Each once: `make nightly` tries every step with every fault."""


@pytest.mark.nightly
@pytest.mark.parametrize(("step", "how"), rest_nightly(product(STEPS, HOW), *EVERY_STEP_AND_HOW))
def test_a_passing_error_at_any_step(step: str, how: str, hub: Hub, publish, releases, quick):
    fault = hub.fail(STEPS[step], **HOW[how])
    done = publish(releases / FIRST)
    assert fault.struck == 1
    repository = hub.repository(REPO)
    assert repository.tags == {"v1.0.0": done.commit}
    assert held(repository, "main") == held(repository, "v1.0.0") == published(releases / FIRST, hub.url)
    assert [commit.title for _, commit in repository.history("main")] == [
        "Release blend-sample 1.0.0",
        "initial commit",
    ]


def test_a_hub_that_stays_busy_is_given_up_and_nothing_is_visible(hub: Hub, publish, refusal, releases, quick):
    waits: list[str] = []
    hub.fail(STEPS["commit"], status=503, times=100)
    assert refusal(releases / FIRST, on_wait=waits.append) == (
        "Hub dataset org/blend: the Hub does not do what it is asked (503 Service Unavailable); try again"
    )
    assert waits == [f"503 Service Unavailable: next attempt in {seconds} s" for seconds in (1, 2, 4, 8, 16)]
    assert list(hub.repository(REPO).files()) == [".gitattributes"]
    hub.faults.clear()
    assert publish(releases / FIRST).plan.action == "publish"


def test_a_slow_answer_is_waited_for_and_asked_after(hub: Hub, publish, releases, quick):
    # Longer than the time limit: the commit is made while the client has given up waiting.
    hub.fail(STEPS["commit"], moment="after", action=threading.Event().wait)
    hub.faults[-1].action = lambda: threading.Event().wait(1.0)
    done = publish(releases / FIRST, timeout_s=0.5)
    assert hub.repository(REPO).tags == {"v1.0.0": done.commit}
    assert hub.requests.count("POST /api/datasets/org/blend/commit/main") == 1


def test_files_that_do_not_arrive(hub: Hub, publish, refusal, releases, quick):
    hub.fail(STEPS["content"], drop=True, moment="body", times=1000)
    message = refusal(releases / FIRST)
    assert message.startswith("Hub dataset org/blend: the files did not arrive (")
    assert message.endswith(
        "; readers see nothing of them; run the same command again: what has arrived is not sent twice"
    )
    assert writes(hub) == ["POST /api/repos/create"]
    hub.faults.clear()
    publish(releases / FIRST)


def test_addresses_that_the_client_logs_are_without_signatures(
    hub: Hub, publish, releases, quick, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    logger = logging.getLogger("huggingface_hub")
    monkeypatch.setattr(logger, "handlers", [*logger.handlers, caplog.handler])
    hub.fail(STEPS["content"], status=503, times=3)
    publish(releases / FIRST)
    assert len(caplog.messages) >= 3
    thrown = [line for line in caplog.messages if "thrown while" in line]
    assert thrown
    assert all("/large/" in line and "signature" not in line for line in thrown)


def test_what_has_arrived_is_not_sent_twice(hub: Hub, publish, refusal, releases):
    hub.fail(STEPS["commit"], status=403)
    refusal(releases / FIRST)
    hub.requests.clear()
    publish(releases / FIRST)
    assert not [request for request in hub.requests if request.startswith("PUT /large/")]


def test_side_by_side_requests_tell_of_a_wait_once_and_a_dry_run_promises_no_namespace(
    hub: Hub, releases, tmp_path: Path
):
    hub.fail("GET /api/datasets/theirs/blend.*", status=503, times=2)
    command = [sys.executable, "-m", "blend", "publish", str(releases / FIRST), "theirs/blend", "--dry-run"]
    done = subprocess.run(command, env=hub.environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stderr.splitlines().count("503 Service Unavailable: next attempt in 1 s") == 1
    assert (
        "Whether your token may make a repository of theirs shows only then; `hf auth whoami` lists its "
        "organisations."
    ) in " ".join(done.stdout.split())


# What the Hub refuses to take, and how long it asks to be left alone: said as it is, with what to do.


WHERE = "Hub dataset org/blend"
REFUSED = (
    "the Hub refuses this ({}, {}); do what it says, or make a token with write access to this account or "
    "organisation at https://huggingface.co/settings/tokens, and run the same command again"
)
QUOTA = "Private repository storage limit reached, please upgrade your plan to increase your storage limit."


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("step", "status", "message"),
    [
        ("commit", 403, QUOTA),
        ("create", 402, "Payment Required: storage quota exceeded"),
        ("tag", 403, "Tags v* may only be created by admins of the organization"),
        ("commit", 403, None),
    ],
    ids=["quota", "payment", "rule", "nothing said"],
)
def test_what_is_forbidden_is_told_as_the_hub_says_it(
    hub: Hub, refusal, releases, step: str, status: int, message: str | None
):
    hub.fail(STEPS[step], status=status, message=message)
    found = refusal(releases / "1.0.0")
    asked = STEPS[step].replace(".*", hub.repository("org/blend").branches.get("main", ""))
    said = f"{status} {message or HTTPStatus(status).phrase}"
    assert found == f"{WHERE}: {REFUSED.format(said, asked)}"
    assert hub.repository("org/blend").tags == {}


@pytest.mark.landing
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_branch_of_the_tags_name(hub: Hub, refusal, releases, dry_run: bool):
    hub.store.create("org/blend", private=False, author="bob")
    repository = hub.repository("org/blend")
    repository.branches["v1.0.0"] = repository.branches["main"]
    assert refusal(releases / "1.0.0", dry_run=dry_run) == (
        f"{WHERE}: has a branch v1.0.0, which is at {repository.branches['main']}; the tag of this version "
        "would have the same name, and whoever names it could get either; nothing was changed; delete or "
        "rename the branch on the Hub, or raise `version` in the recipe and build again"
    )
    assert writes(hub) == []
    assert not [request for request in hub.requests if request.startswith(("POST", "PUT"))]


@pytest.mark.landing
@pytest.mark.parametrize("step", ["commit", "tag"])
def test_a_branch_of_the_tags_name_that_appears_meanwhile(hub: Hub, refusal, releases, quick, step: str):
    def branch() -> None:
        repository = hub.repository("org/blend")
        repository.branches["v1.0.0"] = repository.branches["main"]

    hub.fail(STEPS[step], action=branch)
    assert refusal(releases / "1.0.0") == (
        f"{WHERE}: v1.0.0 is published, but somebody has made a branch of the same name meanwhile, and whoever "
        "names it could get either; delete or rename the branch on the Hub"
    )
    assert "v1.0.0" in hub.repository("org/blend").tags
    # Who publishes once more is told again.
    assert refusal(releases / "1.0.0").startswith(f"{WHERE}: has a branch v1.0.0, ")


@pytest.mark.landing
@pytest.mark.parametrize("status", [413, 507])
def test_a_file_that_is_refused_is_named(hub: Hub, refusal, releases, quick, status: int):
    hub.fail(STEPS["content"], status=status, times=1000)
    message = refusal(releases / "1.0.0")
    assert message.startswith(f"{WHERE}, data/")
    assert f".parquet: the Hub refuses this ({status} " in message
    assert "PUT /large/" in message
    assert "signature" not in message
