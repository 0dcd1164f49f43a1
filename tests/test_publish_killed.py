"""A publish that is killed: no reader ever sees a half release, and the next run finishes it.

One moment after another, spread over all requests of a publish, the server kills the client with SIGKILL.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from blend.loaders.releases import read_manifest
from helpers.hub.hub_faults import Moment
from helpers.hub.hub_reader import Reader
from helpers.hub.hub_releases import FOUR, held, make_release, published
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import Repository, Store
from helpers.tiers import rest_nightly

pytestmark = pytest.mark.integration

REPO = "org/blend"
MOMENTS = 20
NEW, OLD = "0.2.0", "0.1.0"

COMMIT = "POST /api/datasets/org/blend/commit/main"
TAG = "POST /api/datasets/org/blend/tag/.*"
DECISIVE: tuple[tuple[str, Moment], ...] = (
    (COMMIT, "before"),
    (COMMIT, "body"),
    (COMMIT, "after"),
    (TAG, "before"),
    (TAG, "after"),
)
"""Where the outcome turns; the other moments are spread over all requests."""


class Scene:
    """A Hub with a published release, a newer one to publish, and a reader."""

    def __init__(self, folder: Path, hub: Hub, reader: Reader) -> None:
        self.folder = folder
        self.hub = hub
        self.reader = reader
        # The new release replaces, adds and removes files.
        self.old = make_release(folder / "old", OLD, locales=(*FOUR, "am-ET"))
        self.new = make_release(
            folder / "new", NEW, locales=(*FOUR, "zh-CN", "ja-JP", "su-JB", "ar-DZ"), after=self.old
        )
        assert self.publish(self.old).returncode == 0
        self.restore()
        assert self.publish(self.new).returncode == 0
        self.n_requests = len(hub.requests)

    def publish(self, release: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(release), env=self.environment(), capture_output=True, text=True)

    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.hub.environment(self.folder / "home")}

    def command(self, release: Path) -> list[str]:
        return [
            *(sys.executable, "-m", "blend", "publish", str(release), REPO),
            *("--force-version", "whatever changed, it is a test"),
        ]

    def restore(self) -> None:
        """Put the Hub back to where only the old release is published."""
        base, copy, there = self.folder / "base", self.folder / "copy", self.hub.store.repositories
        if not base.exists():
            shutil.copytree(self.hub.store.root, base)
            self.before = {name: copied(vars(repository)) for name, repository in there.items()}
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(base, copy)
        self.hub.store = Store(copy)
        for name, kept in self.before.items():
            self.hub.store.repositories[name] = Repository(**{**copied(kept), "store": self.hub.store})
        shutil.rmtree(self.folder / "home", ignore_errors=True)
        self.hub.faults.clear()
        self.hub.requests.clear()

    def publish_killed(self, **fault: Any) -> None:
        """Start to publish, and kill it when the fault strikes."""
        started: Queue[subprocess.Popen[bytes]] = Queue()

        def kill() -> None:
            process = started.get()
            process.kill()
            process.wait()

        # What is not handled when the client dies is never handled; otherwise it would be, a little later.
        struck = self.hub.fail(**fault, action=kill, drop=True)
        process = subprocess.Popen(
            self.command(self.new), env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        started.put(process)
        assert process.wait() == -signal.SIGKILL
        assert struck.struck == 1
        self.hub.faults.clear()

    def assert_complete(self, revision: str) -> None:
        """What a reader gets is one of the two releases, byte for byte, and loads and validates."""
        repository = self.hub.repository(REPO)
        release = {0: self.old, 1: self.new}[held(repository, revision) == published(self.new, self.hub.url)]
        assert held(repository, revision) == published(release, self.hub.url)
        expected: dict[str, dict[str, int]] = {}
        for table in read_manifest(release).tables:
            expected.setdefault(table.config, {})[table.split] = table.rows
        answer = self.reader.read(REPO, revision, repository.resolve(revision) or "")
        assert answer == {"rows": expected, "problems": []}


def copied(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a repository, with tables of commits and names of their own."""
    return {name: dict(value) if isinstance(value, dict) else value for name, value in fields.items()}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("killed")
    hub = Hub(folder / "hub")
    with hub.serving(), Reader(hub.environment(folder / "readers-home")) as reader:
        yield Scene(folder, hub, reader)


@pytest.mark.sampled
@pytest.mark.parametrize("nth", rest_nightly(range(MOMENTS), DECISIVE.index((COMMIT, "body"))))
def test_killed_at_any_moment(scene: Scene, nth: int):
    if nth < len(DECISIVE):
        request, moment = DECISIVE[nth]
        fault: dict[str, Any] = {"request": request, "moment": moment}
    else:
        spread = nth - len(DECISIVE)
        moments: tuple[Moment, ...] = ("before", "body", "after")
        skip = spread * scene.n_requests // (MOMENTS - len(DECISIVE))
        fault = {"request": ".*", "skip": skip, "moment": moments[spread % len(moments)]}
    scene.restore()
    scene.publish_killed(**fault)
    repository = scene.hub.repository(REPO)
    assert set(repository.tags) <= {"v0.1.0", "v0.2.0"}
    for revision in ("main", *repository.tags):
        scene.assert_complete(revision)
    rerun = scene.publish(scene.new)
    assert rerun.returncode == 0, rerun.stderr
    assert set(repository.tags) == {"v0.1.0", "v0.2.0"}
    assert held(repository, "main") == held(repository, "v0.2.0") == published(scene.new, scene.hub.url)
    assert held(repository, "v0.1.0") == published(scene.old, scene.hub.url)
    titles = [commit.title for _, commit in repository.history("main")]
    assert titles == ["Release blend-sample 0.2.0", "Release blend-sample 0.1.0", "initial commit"]
