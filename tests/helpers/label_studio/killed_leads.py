"""Leads whose computer dies: runs a push or a pull in a process that is killed with SIGKILL in the middle.

A run is made of moments: before a request, when its body has been sent, when its answer has come, before and
after a file takes its name. One process imports what is needed and forks for every run, since importing takes
longer than running.
"""

import os
import signal
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import httpx

from blend.builders.annotation.syncing import Half, sync_project
from blend.loaders.label_studio.events import held_in, read_events

_NEVER = 10**9


def run_leads(half: Half, *projects: Path, moment: int = _NEVER) -> list[tuple[bool, int]]:
    """Sync projects, all at a time; whether each was killed, and how many moments it had."""
    processes = _processes()
    passed = [processes.Value("i", 0, lock=False) for _ in projects]
    leads = [
        processes.Process(target=_lead, args=(half, project, moment, count, dict(os.environ)))
        for project, count in zip(projects, passed, strict=True)
    ]
    for lead in leads:
        lead.start()
    for lead in leads:
        lead.join()
        assert lead.exitcode in (0, -signal.SIGKILL), lead.exitcode
    return [(lead.exitcode == -signal.SIGKILL, count.value) for lead, count in zip(leads, passed, strict=True)]


@cache
def _processes() -> ForkServerContext:
    context = get_context("forkserver")
    # The client imports these when it is first used, which would be once per run.
    context.set_forkserver_preload(
        ["blend.builders.annotation.syncing", "label_studio_sdk.core.client_wrapper"]
    )
    return context


def _lead(half: Half, project: Path, moment: int, passed: Any, environment: dict[str, str]) -> None:
    """Sync, count the moments of this process, and end it at one of them."""
    os.environ.update(environment)
    send, replace = httpx.Client.send, os.replace

    def pass_by() -> None:
        passed.value += 1
        if passed.value > moment:
            os.kill(os.getpid(), signal.SIGKILL)

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
    sync_project(project, only=half)


def pulled_state(folder: Path) -> dict[str, object]:
    """What a pull has left: the responses, the events without days, and no leftovers."""
    lines = read_events(folder / "pulled" / "events.jsonl")
    return {
        "responses": (folder / "collected" / "responses" / "ko-KR.jsonl").read_text(),
        "events": [{**line, "seen": None} for line in lines],
        "held": len(held_in(lines, "answer.ko-KR")),
        "left over": sorted(path.name for path in folder.rglob("*.tmp")),
    }
