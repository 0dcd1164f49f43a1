"""What the Hub refuses to take, and how long it asks to be left alone: said as it is, with what to do."""

from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from hub_server import Hub

pytestmark = [
    pytest.mark.integration,
    # The Hub client sends file contents in a way that its HTTP library wants changed.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]

COMMIT, CONTENT = "POST /api/datasets/org/blend/commit/main", "PUT /large/.*"
WHERE = "Hub dataset org/blend"


def test_a_commit_that_is_too_large(hub: Hub, refusal: Any, releases: Path):
    hub.fail(COMMIT, status=413)
    assert refusal(releases / "1.0.0") == (
        f"{WHERE}: the Hub takes nothing so large (413 {HTTPStatus(413).phrase}, {COMMIT}); make its "
        "files smaller"
    )
    assert hub.repository("org/blend").tags == {}


def test_an_account_without_storage_left(hub: Hub, refusal: Any, releases: Path, quick: None):
    hub.fail(COMMIT, status=507)
    assert refusal(releases / "1.0.0") == (
        f"{WHERE}: the account has no storage left for this (507 Insufficient Storage, {COMMIT}); free some in "
        "the settings of the account on the Hub, and run the same command again"
    )


@pytest.mark.parametrize("status", [413, 507])
def test_a_file_that_is_refused_is_named(hub: Hub, refusal: Any, releases: Path, quick: None, status: int):
    hub.fail(CONTENT, status=status, times=1000)
    message = refusal(releases / "1.0.0")
    assert message.startswith(f"{WHERE}, data/")
    assert (
        f".parquet: the {'Hub takes nothing so large' if status == 413 else 'account has no storage'}"
        in message
    )
    assert f"({status} " in message
    assert "PUT /large/" in message
    assert "signature" not in message


@pytest.mark.parametrize("request_", ["GET /api/datasets/org/blend/refs", CONTENT, COMMIT])
def test_an_hour_is_not_waited_for(hub: Hub, refusal: Any, releases: Path, request_: str):
    hub.fail(request_, status=429, retry_after_s=3600, times=1000)
    message = refusal(releases / "1.0.0")
    assert message.startswith(WHERE)
    assert "429 Too Many Requests" in message
    assert message.endswith("asks for time; try again in 60 minutes")
