"""A publish that is killed or interrupted: no reader ever sees a half release, and the next run finishes it.

One moment after another, spread over all requests of a publish, the server kills the client with SIGKILL. What
readers get is compared byte for byte; `tests/nets/test_net_publishing.py` loads it beside a publisher.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import NamedTuple

import pytest

from helpers.hub.hub_releases import FOUR, REPO, held, make_release, published
from helpers.hub.hub_server import Hub, Moment
from helpers.hub.hub_store import ALICE
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration

FORCED = ("--force-version", "whatever changed, it is a test")
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


def start(hub: Hub, home: Path, *arguments: object, **more: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own, as a user of the Hub would."""
    return subprocess.Popen(
        [sys.executable, "-m", "blend", *map(str, arguments)],
        env=os.environ | {"COLUMNS": "200"} | hub.environment(home) | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def publish(hub: Hub, home: Path, release: Path) -> int:
    """Publish whatever changed, to the end; the exit code."""
    process = start(hub, home, "publish", release, REPO, *FORCED)
    process.communicate()
    return process.returncode


@pytest.fixture(scope="module")
def n_requests(releases: Releases, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many requests the new release takes after the old one."""
    folder = tmp_path_factory.mktemp("counted")
    with Hub(folder / "hub").serving() as hub:
        assert publish(hub, folder, releases.old) == 0
        before = len(hub.requests)
        assert publish(hub, folder, releases.new) == 0
        return len(hub.requests) - before


@pytest.mark.parametrize(("moment", "at"), rest_nightly(MOMENTS, MOMENTS[1]))
def test_killed_at_any_moment(
    hub: Hub, releases: Releases, tmp_path: Path, request: pytest.FixtureRequest, moment: Moment, at: str | int
):
    """Publish the new release, kill it when the fault strikes, look at what is there, and publish it again."""
    fault = {"request": at, "moment": moment}
    if isinstance(at, int):
        fault |= {"request": ".*", "skip": at * request.getfixturevalue("n_requests") // SPREAD}
    assert publish(hub, tmp_path, releases.old) == 0
    started: Queue[subprocess.Popen[str]] = Queue()

    def kill() -> None:
        process = started.get()
        process.kill()
        process.wait()

    # What is not handled when the client dies is never handled; otherwise it would be, a little later.
    struck = hub.fail(**fault, action=kill, drop=True)
    process = start(hub, tmp_path, "publish", releases.new, REPO, *FORCED)
    started.put(process)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert struck.struck == 1
    hub.faults.clear()
    old, new = (published(release, hub.url) for release in releases)
    repository = hub.repository(REPO)
    assert set(repository.tags) <= {"v0.1.0", "v0.2.0"}
    assert held(repository, "main") in (old, new)
    assert all(held(repository, tag) == {"v0.1.0": old, "v0.2.0": new}[tag] for tag in repository.tags)
    assert publish(hub, tmp_path, releases.new) == 0
    assert set(repository.tags) == {"v0.1.0", "v0.2.0"}
    assert held(repository, "main") == held(repository, "v0.2.0") == new
    assert held(repository, "v0.1.0") == old
    titles = [commit.title for _, commit in repository.history("main")]
    assert titles == ["Release blend-sample 0.2.0", "Release blend-sample 0.1.0", "initial commit"]


@pytest.mark.nightly
def test_ctrl_c(hub: Hub, releases: Releases, tmp_path: Path):
    stop = threading.Event()
    # The files are held back and then refused: only the signal can end the command in this way.
    hub.fail("PUT /large/.*", action=stop.wait, status=403, times=1000)
    process = start(hub, tmp_path, "publish", releases.old, REPO)
    while not any(request.startswith("PUT /large/") for request in hub.requests):
        assert process.poll() is None
        stop.wait(0.01)
    process.send_signal(signal.SIGINT)
    stop.set()
    _, errors = process.communicate()
    hub.faults.clear()
    assert process.returncode == 130
    # The client's own threads may say on their way out that they would have tried again.
    assert "interrupted; readers see no half release; run it again to finish" in errors.splitlines()
    assert "Traceback" not in errors
    assert publish(hub, tmp_path, releases.old) == 0
    assert held(hub.repository(REPO)) == published(releases.old, hub.url)


@pytest.mark.nightly
def test_tokens_are_never_printed_or_written(hub: Hub, releases: Releases, tmp_path: Path):
    outputs = []
    hub.fail("POST /api/datasets/org/blend/commit/main", status=503)
    for arguments in (
        ("publish", releases.old, REPO),
        ("publish", releases.old, REPO),
        ("pull", f"{REPO}@v0.1.0", tmp_path / "back"),
        ("publish", releases.old, "dave/mine"),
        ("publish", releases.old, REPO, "--private"),
    ):
        outputs += start(hub, tmp_path / "home", *arguments, HF_DEBUG="1").communicate()
    assert "503" in outputs[1]
    for text in outputs:
        assert ALICE.token not in text
        assert not re.search(r"hf_[A-Za-z0-9]{20,}", text)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert ALICE.token.encode() not in path.read_bytes(), path
