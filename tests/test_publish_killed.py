"""A publish that is killed: no reader ever sees a half release, and the next run finishes it.

One moment after another, spread over all requests of a publish, the server kills the client with SIGKILL. What
readers get is compared byte for byte; `tests/nets/test_net_publishing.py` loads it beside a publisher.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from queue import Queue
from typing import NamedTuple

import pytest

from helpers.hub.hub_releases import FOUR, REPO, held, make_release, published
from helpers.hub.hub_server import Hub, Moment
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration

COMMIT = "POST /api/datasets/org/blend/commit/main"
TAG = "POST /api/datasets/org/blend/tag/.*"
SPREAD = 15
MOMENTS: tuple[tuple[Moment, str | int], ...] = (
    *(("before", COMMIT), ("body", COMMIT), ("after", COMMIT), ("before", TAG), ("after", TAG)),
    *((("before", "body", "after")[nth % 3], nth) for nth in range(SPREAD)),
)
"""Those where the outcome turns, and others that are spread over all requests."""


class Releases(NamedTuple):
    old: Path
    new: Path
    """It replaces, adds and removes files."""


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("killed")
    old = make_release(folder / "old", "0.1.0", locales=(*FOUR, "am-ET"))
    more = (*FOUR, "zh-CN", "ja-JP", "su-JB", "ar-DZ")
    return Releases(old, make_release(folder / "new", "0.2.0", locales=more, after=old))


def start(hub: Hub, release: Path, home: Path) -> subprocess.Popen[bytes]:
    """Publish in a process of its own."""
    command = [sys.executable, "-m", "blend", "publish", str(release), REPO]
    return subprocess.Popen(
        [*command, "--force-version", "whatever changed, it is a test"],
        env=os.environ | hub.environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def n_requests(releases: Releases, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many requests the new release takes after the old one."""
    folder = tmp_path_factory.mktemp("counted")
    with Hub(folder / "hub").serving() as hub:
        assert start(hub, releases.old, folder).wait() == 0
        before = len(hub.requests)
        assert start(hub, releases.new, folder).wait() == 0
        return len(hub.requests) - before


@pytest.mark.parametrize(("moment", "at"), rest_nightly(MOMENTS, MOMENTS[1]))
def test_killed_at_any_moment(
    hub: Hub, releases: Releases, tmp_path: Path, request: pytest.FixtureRequest, moment: Moment, at: str | int
):
    """Publish the new release, kill it when the fault strikes, look at what is there, and publish it again."""
    fault = {"request": at, "moment": moment}
    if isinstance(at, int):
        fault |= {"request": ".*", "skip": at * request.getfixturevalue("n_requests") // SPREAD}
    assert start(hub, releases.old, tmp_path).wait() == 0
    started: Queue[subprocess.Popen[bytes]] = Queue()

    def kill() -> None:
        process = started.get()
        process.kill()
        process.wait()

    # What is not handled when the client dies is never handled; otherwise it would be, a little later.
    struck = hub.fail(**fault, action=kill, drop=True)
    process = start(hub, releases.new, tmp_path)
    started.put(process)
    assert process.wait() == -signal.SIGKILL
    assert struck.struck == 1
    hub.faults.clear()
    old, new = (published(release, hub.url) for release in releases)
    repository = hub.repository(REPO)
    assert set(repository.tags) <= {"v0.1.0", "v0.2.0"}
    assert held(repository, "main") in (old, new)
    assert all(held(repository, tag) == {"v0.1.0": old, "v0.2.0": new}[tag] for tag in repository.tags)
    assert start(hub, releases.new, tmp_path).wait() == 0
    assert set(repository.tags) == {"v0.1.0", "v0.2.0"}
    assert held(repository, "main") == held(repository, "v0.2.0") == new
    assert held(repository, "v0.1.0") == old
    titles = [commit.title for _, commit in repository.history("main")]
    assert titles == ["Release blend-sample 0.2.0", "Release blend-sample 0.1.0", "initial commit"]
