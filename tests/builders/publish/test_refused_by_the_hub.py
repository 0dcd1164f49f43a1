"""What the Hub refuses to take, and how long it asks to be left alone: said as it is, with what to do."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from helpers.hub.hub_releases import writes
from helpers.hub.hub_server import Hub

COMMIT, CONTENT = "POST /api/datasets/org/blend/commit/main", "PUT /large/.*"
WHERE = "Hub dataset org/blend"


TAG = "POST /api/datasets/org/blend/tag/.*"
CREATE = "POST /api/repos/create"
REFUSED = (
    "the Hub refuses this ({}, {}); do what it says, or make a token with write access to this account or "
    "organisation at https://huggingface.co/settings/tokens, and run the same command again"
)
QUOTA = "Private repository storage limit reached, please upgrade your plan to increase your storage limit."


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("request_", "status", "message"),
    [
        (COMMIT, 403, QUOTA),
        (CREATE, 402, "Payment Required: storage quota exceeded"),
        (TAG, 403, "Tags v* may only be created by admins of the organization"),
        (COMMIT, 403, None),
    ],
    ids=["quota", "payment", "rule", "nothing said"],
)
def test_what_is_forbidden_is_told_as_the_hub_says_it(
    hub: Hub, refusal: Any, releases: Path, request_: str, status: int, message: str | None
):
    hub.fail(request_, status=status, message=message)
    found = refusal(releases / "1.0.0")
    asked = request_.replace(".*", hub.repository("org/blend").branches.get("main", ""))
    said = f"{status} {message or HTTPStatus(status).phrase}"
    assert found == f"{WHERE}: {REFUSED.format(said, asked)}"
    assert hub.repository("org/blend").tags == {}


@pytest.mark.landing
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_branch_of_the_tags_name(hub: Hub, refusal: Any, releases: Path, dry_run: bool):
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
@pytest.mark.parametrize("request_", ["commit/main", "tag/.*"])
def test_a_branch_of_the_tags_name_that_appears_meanwhile(
    hub: Hub, refusal: Any, releases: Path, quick: None, request_: str
):
    def branch() -> None:
        repository = hub.repository("org/blend")
        repository.branches["v1.0.0"] = repository.branches["main"]

    hub.fail(f"POST /api/datasets/org/blend/{request_}", action=branch)
    assert refusal(releases / "1.0.0") == (
        f"{WHERE}: v1.0.0 is published, but somebody has made a branch of the same name meanwhile, and whoever "
        "names it could get either; delete or rename the branch on the Hub"
    )
    assert "v1.0.0" in hub.repository("org/blend").tags
    # Who publishes once more is told again.
    assert refusal(releases / "1.0.0").startswith(f"{WHERE}: has a branch v1.0.0, ")


@pytest.mark.landing
@pytest.mark.parametrize("status", [413, 507])
def test_a_file_that_is_refused_is_named(hub: Hub, refusal: Any, releases: Path, quick: None, status: int):
    hub.fail(CONTENT, status=status, times=1000)
    message = refusal(releases / "1.0.0")
    assert message.startswith(f"{WHERE}, data/")
    assert f".parquet: the Hub refuses this ({status} " in message
    assert "PUT /large/" in message
    assert "signature" not in message
