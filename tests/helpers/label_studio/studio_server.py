"""A Label Studio of one's own: the real server, with an environment and a data folder of its own, no telemetry.

``make label-studio`` tries it by hand: it prints address, sign-in and token. Tests get one by the fixture
`label_studio` (`studio_fixtures`).
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

ENVIRONMENT = Path(__file__).resolve().parents[3] / ".venv-label-studio"
"""Made by ``make .venv-label-studio/installed``."""

LEAD = "lead@example.org"
PASSWORD = "only-for-trying-1"
_DATABASE = "label_studio.sqlite3"
_FRESH = ENVIRONMENT / "fresh.sqlite3"
"""A database without anything in it: migrating one takes a minute, and is done once per environment."""

_KEPT: list[subprocess.Popen[bytes]] = []
"""Processes that outlive the calls that start them."""

_QUIET = {
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LOG_LEVEL": "WARNING",
}


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    url: str
    token: str
    """Of the lead, who has made the server."""
    process: int


def start(folder: Path, port: int | None = None) -> Running:
    """Start a server with its data in a folder, and wait until it answers.

    Args:
        folder: Made if it is not there; what a server left there is served again.
        port: One that is free when absent.

    Raises:
        RuntimeError: If it ends, or does not answer at all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if _FRESH.exists() and not (folder / _DATABASE).exists():
        shutil.copy(_FRESH, folder / _DATABASE)
    port = _free_port() if port is None else port
    token = _kept_token(folder)
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [
                ENVIRONMENT / "bin" / "label-studio", "start", "--no-browser", "--port", str(port),
                "--internal-host", "127.0.0.1", "--data-dir", folder, "--username", LEAD,
                "--password", PASSWORD, "--user-token", token,
            ],
            env=os.environ | _QUIET | {"LABEL_STUDIO_BASE_DATA_DIR": str(folder)},
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    _KEPT.append(process)
    url = f"http://127.0.0.1:{port}"
    while not _answers(url):
        if process.poll() is not None:
            told = (folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2_000:]
            raise RuntimeError(f"Label Studio has ended with {process.returncode}:\n{told}")
        time.sleep(0.25)
    return Running(url, token, process.pid)


def start_for(owner: int, folder: Path) -> Running:
    """Start a server that ends when a process does, however that ends."""
    with FileLock(f"{_FRESH}.lock"):
        make_fresh(folder.with_name(f"{folder.name}-fresh"))
    running = start(folder)
    ended = f"while kill -0 {owner} 2>/dev/null; do sleep 1; done; kill -s KILL -- -{running.process}"
    _KEPT.append(subprocess.Popen(["sh", "-c", ended], start_new_session=True))
    return running


def stop(running: Running) -> None:
    """End a server and whatever it has started."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.killpg(running.process, signal.SIGKILL)
        os.waitpid(running.process, 0)


def make_fresh(folder: Path) -> None:
    """Keep a migrated database for all later servers of this environment, unless there is one."""
    if _FRESH.exists():
        return
    # Any command migrates the database first; this one does nothing else.
    subprocess.run(
        [ENVIRONMENT / "bin" / "label-studio", "version", "--data-dir", folder],
        env=os.environ | _QUIET | {"LABEL_STUDIO_BASE_DATA_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    beside = _FRESH.with_suffix(".tmp")
    shutil.copy(folder / _DATABASE, beside)
    beside.rename(_FRESH)


@contextmanager
def serving(folder: Path, port: int | None = None) -> Iterator[Running]:
    """A server while the block runs."""
    running = start(folder, port)
    try:
        yield running
    finally:
        stop(running)


def main(folder: Path, port: int | None = None) -> None:
    """Serve until Ctrl-C, at the same address each time, and say how to work with it."""
    kept = folder / "port"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(str(_free_port()))
    with serving(folder.absolute(), port or int(kept.read_text())) as running:
        print(f"Label Studio on this machine, kept in {folder}; Ctrl-C ends it.\n", flush=True)
        print(f"Page:     {running.url}\nSign in:  {LEAD} / {PASSWORD}", flush=True)
        print("Others make accounts of their own there (Sign up).\n\nIn another terminal:\n", flush=True)
        print(f"export LABEL_STUDIO_URL={running.url}", flush=True)
        print(f"export LABEL_STUDIO_API_KEY={running.token}", flush=True)
        print(f'\nIn the project file:\n\n[server]\nurl = "{running.url}"', flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


def _kept_token(folder: Path) -> str:
    path = folder / "token"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(20))
    return path.read_text()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
