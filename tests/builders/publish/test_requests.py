"""How often the Hub is asked: every answer takes its while, and at 100 ms each that is most of a publish."""

from pathlib import Path
from typing import Any

import pytest

from helpers.hub import hub_api
from helpers.hub.hub_server import Hub

pytestmark = pytest.mark.landing


def asked(hub: Hub) -> list[str]:
    """What was asked, without the contents of files and what confirms each; forgotten after."""
    found = [request for request in hub.requests if "/large/" not in request and "lfs/" not in request]
    hub.requests.clear()
    return sorted(request.replace("/api/datasets/org/blend", "").rsplit("/", 1)[0] for request in found)


def test_requests_of_a_first_release_a_successor_and_a_repetition(
    hub: Hub, publish: Any, releases: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hub_api, "PAGE_ENTRIES", 1000)  # as the Hub itself
    publish(releases / "1.0.0")
    first = asked(hub)
    publish(releases / "1.1.0")
    successor = asked(hub)
    publish(releases / "1.1.0")
    again = asked(hub)
    # Looking (is it there, where are its tags), making it, looking again, modes, card, commit, comparing, tag,
    # and whether a branch has its name.
    assert len(first) == 13, first
    # No repository to make; but the one table that differs to fetch, a HEAD and a GET.
    assert len(successor) == 12, successor
    assert len(again) == 3, again
