"""Leads whose computer dies: runs a push or a pull in a process that is killed with SIGKILL in the middle.

A run is made of moments: before a request, when its body has been sent, when its answer has come, before and
after a file takes its name. One process imports what is needed and forks for every run, since importing takes
longer than running.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

NEVER = 10**9


class Leads:
    """Starts runs; see `leads`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, command: str, *projects: Path, moment: int = NEVER) -> list[tuple[bool, int]]:
        """Run a command on projects, all at a time; whether each was killed, and how many moments it had."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join([command, str(moment), *map(str, projects)]) + "\n")
        self._process.stdin.flush()
        ended = []
        for part in self._process.stdout.readline().split():
            signalled, moments = map(int, part.split(":"))
            assert signalled in (0, signal.SIGKILL), f"{command} ended with {signalled}"
            ended.append((signalled == signal.SIGKILL, moments))
        assert len(ended) == len(projects)
        return ended


@contextmanager
def leads() -> Iterator[Leads]:
    """Leads while the block runs."""
    command = [sys.executable, __file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=dict(os.environ)) as process:
        try:
            yield Leads(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def main() -> None:
    """Read runs from standard input, one per line: command, moment, project files."""
    import httpx
    import label_studio_sdk

    # It imports everything when it is first used, which would be once per run.
    for part in ("actions", "annotations", "projects", "tasks", "types", "users", "versions"):
        for module in walk_packages([f"{label_studio_sdk.__path__[0]}/{part}"], f"label_studio_sdk.{part}."):
            import_module(module.name)

    from blend.builders.annotation.project import read_project
    from blend.builders.annotation.pulling import pull_project
    from blend.builders.annotation.syncing import sync_project

    commands: dict[str, Callable[[Path], object]] = {
        "push": lambda path: sync_project(path, only="push"),
        "pull": lambda path: pull_project(read_project(path)),
    }
    for line in sys.stdin:
        command, moment, *projects = line.rstrip("\n").split("\t")
        running = []
        for project in projects:
            told, tells = os.pipe()
            if (child := os.fork()) == 0:
                try:
                    _count(httpx, int(moment), tells)
                    commands[command](Path(project))
                except BaseException as error:
                    print(f"{command}: {error!r}", file=sys.stderr, flush=True)
                    os._exit(1)
                os._exit(0)
            os.close(tells)
            running.append((child, told))
        ended = []
        for child, told in running:
            with os.fdopen(told, "rb") as moments:
                counted = len(moments.read())
            _, status = os.waitpid(child, 0)
            ended.append(f"{status & 127 or status >> 8}:{counted}")
        print(*ended, flush=True)


def _count(httpx: Any, moment: int, tells: int) -> None:
    """Write a byte at every moment of this process, and end it at one of them."""
    left = iter(range(moment, -1, -1))

    def pass_by() -> None:
        os.write(tells, b".")
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    send, replace = httpx.Client.send, os.replace

    def sent(client: Any, request: Any, **options: Any) -> Any:
        def trace(event: str, _: Any) -> None:
            if event == "http11.send_request_body.complete":
                pass_by()

        request.extensions["trace"] = trace
        pass_by()
        answer = send(client, request, **options)
        pass_by()
        return answer

    def replaced(*paths: Any, **options: Any) -> None:
        pass_by()
        replace(*paths, **options)
        pass_by()

    httpx.Client.send = sent
    os.replace = replaced  # type: ignore[assignment]


if __name__ == "__main__":
    main()
