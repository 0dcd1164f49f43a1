"""Answers that are not the Hub's, refusals, and errors that pass, wherever a release is used."""

import shutil
from itertools import product
from pathlib import Path

import pytest

from blend.builders.diff import diff_releases
from blend.loaders.releases.references import fetch_release, pull_release
from helpers.hub.hub_releases import digests, held, published
from helpers.hub.hub_server import Hub
from helpers.messages import wrong
from helpers.tiers import rest_nightly

REPO, WHERE = "org/blend", "Hub dataset org/blend"
NOT_THE_HUB = (
    f"{WHERE}: the Hub does not do what it is asked (the answer is not one of the Hub, perhaps of a proxy or "
    "of a page to log in at); try again"
)
ROUTES = ("GET .*/refs", "HEAD .*release.json", "GET .*release.json", "GET .*README.md", "GET /large/.*")


@pytest.fixture
def first(hub: Hub, publish, releases, hub_cache) -> Path:
    """Version 1.0.0, published; the cache knows nothing of it."""

    publish(releases / "1.0.0")
    shutil.rmtree(hub_cache, ignore_errors=True)
    hub.requests.clear()
    return releases / "1.0.0"


HOW = {"error": {"status": 500}, "cut": {"drop": True}}
EVERY_ROUTE = [(route, list(HOW)[number % len(HOW)]) for number, route in enumerate(ROUTES)]


@pytest.mark.sampled
@pytest.mark.parametrize(("route", "how"), rest_nightly(product(ROUTES, HOW), *EVERY_ROUTE))
def test_one_error_at_any_request_of_a_successor_or_a_comparison(
    hub: Hub, publish, releases, first: Path, quick, hub_cache, route: str, how: str
):
    fault = hub.fail(route, **HOW[how])
    diff = diff_releases(fetch_release(REPO, "v1.0.0", endpoint=hub.url), releases / "1.1.0")
    assert diff.old.version == "1.0.0"
    assert fault.struck == 1
    hub.fail(route, **HOW[how])
    publish(releases / "1.1.0")
    assert held(hub.repository(REPO), "v1.1.0") == published(releases / "1.1.0", hub.url)


@pytest.mark.landing
@pytest.mark.sampled
@pytest.mark.parametrize(
    "route",
    [
        "GET /api/datasets/org/blend",
        "GET .*/refs",
        "GET .*/tree/.*",
        "GET .*/commits/.*",
        "POST .*/preupload/.*",
        "POST .*/objects/batch",
        "POST .*/commit/main",
    ],
)
def test_an_answer_that_is_not_the_hubs(hub: Hub, refusal, releases, quick, route: str):
    hub.store.create(REPO, private=False, author="bob")
    hub.fail(route, status=200, times=1000)
    message = refusal(releases / "1.0.0")
    assert message.startswith(WHERE)
    assert "the answer is not one of the Hub" in message
    assert hub.repository(REPO).tags == {}


@pytest.mark.landing
@pytest.mark.parametrize(
    ("status", "n_asked", "message"),
    [
        (503, 6, f"{WHERE}: the Hub does not do what it is asked (503 Service Unavailable); try again"),
        (
            403,
            1,
            (
                f"{WHERE}: you may not read this (403 Forbidden); ask its owners for access, then log in with "
                "`hf auth login`"
            ),
        ),
        (200, 6, NOT_THE_HUB),
    ],
)
def test_a_pull_that_the_hub_does_not_answer(
    hub: Hub, first: Path, quick, tmp_path: Path, status: int, n_asked: int, message: str
):
    hub.fail("GET .*/refs", status=status, times=1000)
    assert wrong(lambda: pull_release(f"{REPO}@v1.0.0", tmp_path / "back", endpoint=hub.url)) == message
    assert digests(tmp_path / "back") == {}
    assert len(hub.requests) == n_asked
