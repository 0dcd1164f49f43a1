"""Files that travel in chunks (Xet, as the Hub's client has it by itself), and all that goes wrong there.

The client is the real one, in processes of its own: it reads its settings once, when it starts. Each failure
ends in one sentence within the limits, and leaves neither half a directory nor anything that readers see.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from helpers.hub.hub_releases import FOUR, digests, make_release, published
from helpers.hub.hub_server import Hub

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

REPO = "org/blend"
ALWAYS = 10_000

# The Hub's client waits longer from attempt to attempt; nobody has to wait for that here.
HURRIED = "import time; time.sleep = lambda seconds: None; from blend.cli import main; main()"

# Limits of seconds, where the real ones are a minute.
SHORT = {"HF_XET_CLIENT_READ_TIMEOUT": "1s", "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "1"}

WATCHED = """
import sys
from blend.loaders.releases.references import fetch_release
from blend.schemas.errors import BlendError

try:
    fetch_release("org/blend", "v1.0.0", timeout_s=1.0)
except BlendError as error:
    sys.exit(f"error: {error}")
"""


class Outcome(NamedTuple):
    code: int
    said: str
    """The last line on standard error."""
    errors: str
    """All of standard error."""


class Scene:
    """A Hub that takes chunks and holds version 1.0.0, and a user of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub = Hub(folder / "hub", xet=True)
        self.first = make_release(folder / "1.0.0", "1.0.0")
        self.second = make_release(folder / "1.1.0", "1.1.0", locales=(*FOUR, "zh-CN"), after=self.first)

    def forget(self) -> None:
        """A user of whom no cache knows anything, and a Hub that works."""
        shutil.rmtree(self.folder / "home", ignore_errors=True)
        shutil.rmtree(self.folder / "back", ignore_errors=True)
        self.hub.faults.clear()
        self.hub.requests.clear()

    def blend(self, *arguments: Any, **more: str) -> Outcome:
        return self.run([sys.executable, "-c", HURRIED, *map(str, arguments)], **more)

    def pull(self, **more: str) -> Outcome:
        return self.blend("pull", f"{REPO}@v1.0.0", self.folder / "back", **more)

    def on_a_small_disk(self, size: str, *arguments: Any) -> Outcome:
        """The same with the client's cache on a disk of its own."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        script = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"'
        command = ["unshare", "-rm", "sh", "-c", script, "sh", size, str(home)]
        return self.run([*command, sys.executable, "-c", HURRIED, *map(str, arguments)])

    def run(self, command: list[str], **more: str) -> Outcome:
        environment = {**os.environ, **self.hub.environment(self.folder / "home"), **more}
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        lines = run.stderr.strip().splitlines()
        assert "Traceback" not in run.stderr, run.stderr
        return Outcome(run.returncode, lines[-1] if lines else "", run.stderr)


@pytest.fixture(scope="module")
def the_scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    scene = Scene(tmp_path_factory.mktemp("chunks"))
    with scene.hub.serving():
        assert scene.blend("publish", scene.first, REPO).code == 0
        yield scene


@pytest.fixture
def scene(the_scene: Scene) -> Scene:
    the_scene.forget()
    return the_scene


def not_arrived(reason: str) -> str:
    return (
        f"error: Hub dataset org/blend: the files did not arrive in chunks ({reason}); try again, or set "
        "HF_HUB_DISABLE_XET=1, which transfers files whole"
    )


WHERE, DATA, KEY = "GET /v1/reconstructions/.*", "GET /xorbs/.*", "GET .*/xet-read-token/.*"


@pytest.mark.parametrize(
    ("request_", "how", "reason"),
    [
        pytest.param(WHERE, {"status": 403}, "403 Forbidden", id="where: 403"),
        pytest.param(WHERE, {"status": 404}, "404 Not Found", id="where: 404"),
        pytest.param(DATA, {"status": 403}, "403 Forbidden", id="data: 403"),
        pytest.param(DATA, {"status": 404}, "404 Not Found", id="data: 404"),
        pytest.param(DATA, {"status": 503}, "503 Service Unavailable", id="data: 503"),
        pytest.param(DATA, {"drop_after": 200}, "error", id="data: cut"),
        pytest.param(DATA, {"damage": True}, "rror", id="data: damaged"),
        pytest.param(DATA, {"delay_s": 30.0}, "rror", id="data: silent"),
        pytest.param(KEY, {"status": 503}, "503 Service Unavailable", id="key: 503"),
        pytest.param(KEY, {"status": 403}, "403 Forbidden", id="key: 403"),
    ],
)
def test_a_pull_that_fails_for_good(scene: Scene, request_: str, how: dict[str, Any], reason: str):
    scene.hub.fail(request_, times=ALWAYS, **how)
    failed = scene.pull(**SHORT)
    assert failed.code == 1
    before, _, after = not_arrived("*").partition("*")
    assert failed.said.startswith(before)
    assert reason in failed.said
    assert failed.said.endswith(after)
    assert not (scene.folder / "back").exists()
    # What the message says works.
    assert scene.pull(HF_HUB_DISABLE_XET="1").code == 0
    assert digests(scene.folder / "back") == published(scene.first, scene.hub.url)


@pytest.mark.parametrize("how", [{"drop_after": 200}, {"status": 503}, {"damage": True}], ids=str)
def test_a_pull_that_fails_for_a_moment(scene: Scene, how: dict[str, Any]):
    fault = scene.hub.fail(DATA, times=2, **how)
    assert scene.pull().said == ""
    assert fault.struck == 2
    assert digests(scene.folder / "back") == published(scene.first, scene.hub.url)


def test_a_store_that_sends_nothing_is_given_up(scene: Scene):
    scene.hub.fail(DATA, times=ALWAYS, delay_s=30.0)
    given_up = scene.run([sys.executable, "-c", WATCHED])
    assert given_up.code == 1
    assert given_up.said == (
        "error: Hub dataset org/blend: no byte of the files has come for 2 s; try again, or set "
        "HF_HUB_DISABLE_XET=1, which transfers files whole"
    )


FULL = (
    "error: Hub dataset org/blend: no space left on the disk; free some, or set HF_HOME to a folder on another "
    "one"
)


def test_a_disk_that_is_full_before_a_pull_is_done(scene: Scene):
    failed = scene.on_a_small_disk("100k", "pull", f"{REPO}@v1.0.0", scene.folder / "back")
    assert (failed.code, failed.said) == (1, FULL)
    assert not (scene.folder / "back").exists()


@pytest.mark.parametrize("size", ["60k", "100k"], ids=["while it is compared", "while it is sent"])
def test_a_disk_that_is_full_before_a_successor_is_published(scene: Scene, size: str):
    failed = scene.on_a_small_disk(size, "publish", scene.second, REPO)
    assert (failed.code, failed.said) == (1, FULL)
    assert list(scene.hub.repository(REPO).tags) == ["v1.0.0"]


SENT, KEPT, WRITE_KEY = "POST /v1/xorbs/.*", "POST /v./shards.*", "GET .*/xet-write-token/.*"


@pytest.mark.parametrize(
    ("request_", "how"),
    [
        pytest.param(SENT, {"delay_s": 30.0}, id="store is silent"),
        pytest.param(SENT, {"status": 403}, id="store: 403"),
        pytest.param(SENT, {"status": 503}, id="store: 503"),
        pytest.param(KEPT, {"delay_s": 30.0}, id="shards: silent"),
        pytest.param(WRITE_KEY, {"delay_s": 30.0}, id="key: silent"),
        pytest.param(WRITE_KEY, {"status": 503}, id="key: 503"),
    ],
)
def test_files_that_cannot_be_sent(scene: Scene, request_: str, how: dict[str, Any]):
    scene.hub.fail(request_, times=ALWAYS, **how)
    failed = scene.blend("publish", scene.second, REPO, **SHORT)
    assert failed.code == 1
    assert failed.said.startswith("error: Hub dataset org/blend: the files did not arrive (")
    assert failed.said.endswith(
        "); readers see nothing of them; run the same command again, or set HF_HUB_DISABLE_XET=1, which "
        "transfers files whole: what has arrived is not sent twice"
    )
    assert list(scene.hub.repository(REPO).tags) == ["v1.0.0"]
