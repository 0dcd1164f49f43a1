"""Publishing from the command line: stopped by Ctrl-C, and no token told anywhere."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from helpers.hub.hub_releases import held, make_release, published
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE, Account

pytestmark = pytest.mark.integration

REPO = "org/blend"


class Client:
    """Runs commands as a user of the Hub would, in processes of their own."""

    def __init__(self, hub: Hub, home: Path) -> None:
        self.hub = hub
        self.home = home

    def start(self, *arguments: Any, account: Account | None = ALICE, **more: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "COLUMNS": "200", **self.hub.environment(self.home, account), **more}
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: Any, **more: Any) -> tuple[int, str, str]:
        process = self.start(*arguments, **more)
        out, errors = process.communicate()
        return process.returncode, out, errors


@pytest.fixture
def client(hub: Hub, tmp_path: Path) -> Client:
    return Client(hub, tmp_path / "home")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_release(tmp_path_factory.mktemp("releases") / "1.0.0", "1.0.0")


@pytest.mark.nightly
def test_ctrl_c(hub: Hub, client: Client, release: Path):
    stop = threading.Event()
    # The files are held back and then refused: only the signal can end the command in this way.
    hub.fail("PUT /large/.*", action=stop.wait, status=403, times=1000)
    process = client.start("-m", "blend", "publish", release, REPO)
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
    assert client.run("-m", "blend", "publish", release, REPO)[0] == 0
    assert held(hub.repository(REPO)) == published(release, hub.url)


@pytest.mark.nightly
def test_tokens_are_never_printed_or_written(hub: Hub, client: Client, release: Path, tmp_path: Path):
    outputs = []
    hub.fail("POST /api/datasets/org/blend/commit/main", status=503)
    for arguments in (
        ("publish", release, REPO),
        ("publish", release, REPO),
        ("pull", f"{REPO}@v1.0.0", tmp_path / "back"),
        ("publish", release, "dave/mine"),
        ("publish", release, REPO, "--private"),
    ):
        _, out, errors = client.run("-m", "blend", *arguments, HF_DEBUG="1")
        outputs += [out, errors]
    assert "503" in outputs[1]
    for text in outputs:
        assert ALICE.token not in text
        assert not re.search(r"hf_[A-Za-z0-9]{20,}", text)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert ALICE.token.encode() not in path.read_bytes(), path
