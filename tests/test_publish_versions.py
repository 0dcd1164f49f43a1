"""Publishing from the command line: stopped by Ctrl-C, and with a token that nobody ever reads."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.hub.hub_releases import REPO, held, make_release, published
from helpers.hub.hub_server import Hub
from helpers.hub.hub_store import ALICE

pytestmark = [pytest.mark.integration, pytest.mark.nightly]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_release(tmp_path_factory.mktemp("release") / "1.0.0", "1.0.0")


@pytest.fixture
def start(hub: Hub, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start a command in a process of its own, as a user of the Hub would."""

    def start(*arguments: Any, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "blend", *map(str, arguments)],
            env={**os.environ, "COLUMNS": "200", **hub.environment(tmp_path / "home"), **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def test_ctrl_c(hub: Hub, start: Callable[..., Any], release: Path):
    stop = threading.Event()
    # The files are held back and then refused: only the signal can end the command in this way.
    hub.fail("PUT /large/.*", action=stop.wait, status=403, times=1000)
    process = start("publish", release, REPO)
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
    again = start("publish", release, REPO)
    again.communicate()
    assert again.returncode == 0
    assert held(hub.repository(REPO)) == published(release, hub.url)


def test_tokens_are_never_printed_or_written(
    hub: Hub, start: Callable[..., Any], release: Path, tmp_path: Path
):
    outputs = []
    hub.fail("POST /api/datasets/org/blend/commit/main", status=503)
    for arguments in (
        ("publish", release, REPO),
        ("publish", release, REPO),
        ("pull", f"{REPO}@v1.0.0", tmp_path / "back"),
        ("publish", release, "dave/mine"),
        ("publish", release, REPO, "--private"),
    ):
        outputs += start(*arguments, HF_DEBUG="1").communicate()
    assert "503" in outputs[1]
    for text in outputs:
        assert ALICE.token not in text
        assert not re.search(r"hf_[A-Za-z0-9]{20,}", text)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert ALICE.token.encode() not in path.read_bytes(), path
