"""Faults: whatever befalls any request of a sync, nothing is lost or doubled, and the next completes it."""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from blend.schemas.errors import BlendError
from helpers.label_studio.annotation_projects import push, write_project
from helpers.label_studio.killed_leads import pulled_state
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = [pytest.mark.integration, pytest.mark.nightly]  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
Send = Callable[[httpx.Request], httpx.Response]


def changed(content: bytes) -> bytes:
    """A list that is valid JSON and lacks its second half; anything else as it is."""
    value = json.loads(content or b"null")
    for name in ("tasks", "results"):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            value[name] = value[name][: len(value[name]) // 2]
    return json.dumps(value[: len(value) // 2] if isinstance(value, list) else value).encode()


def answer(content: bytes) -> httpx.Response:
    return httpx.Response(200, content=content, headers={"Content-Type": "application/json"})


def hang(request: httpx.Request, send: Send) -> httpx.Response:
    send(request)
    raise httpx.ReadTimeout("", request=request)


def lost(request: httpx.Request, send: Send) -> httpx.Response:
    send(request)
    return httpx.Response(500, json={"detail": "after it was done"})


FAULTS: Mapping[str, Callable[[httpx.Request, Send], httpx.Response]] = {
    "500": lambda request, send: httpx.Response(500, json={"detail": "down"}),
    "500 once it is done": lost,
    "429": lambda request, send: httpx.Response(429, headers={"Retry-After": "0"}),
    "403": lambda request, send: httpx.Response(403, json={"detail": "forbidden"}),
    "hangs once it is done": hang,
    "half an answer": lambda request, send: answer((body := send(request).read())[: len(body) // 2]),
    "half a list": lambda request, send: answer(changed(send(request).read())),
}


def befell(monkeypatch: pytest.MonkeyPatch, fault: str, number: int, sync: Callable[[], Any]) -> bool:
    """Sync while a request fails, the first being 0; whether there was such a request."""
    handle, sent = httpx.HTTPTransport.handle_request, count()

    def handled(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if next(sent) != number:
            return handle(transport, request)
        return FAULTS[fault](request, lambda request: handle(transport, request))

    with monkeypatch.context() as patched, suppress(BlendError):
        patched.setattr(httpx.HTTPTransport, "handle_request", handled)
        sync()
    return next(sent) > number


def test_a_push_that_fails_anywhere_is_completed_by_the_next(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    name, faults, files = project(label_studio.url).project.name, cycle(FAULTS), []
    for number in (n for n in range(20) for _ in range(3)):
        case = f"{name}.{len(files)}"
        files.append(write_project(tmp_path / case, case, label_studio.url, ["ko-KR"]))
        if not befell(monkeypatch, next(faults), number, partial(push, files[-1].path)):
            break
    assert len(files) > 24
    for file in files:
        push(file.path)
        assert set(label_studio.tasks(f"{file.project.name} answer ko-KR")) == {FOOD, WORK}
    assert not any(plan.changes_anything for file in files for plan in push(file.path))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_sync_that_fails_anywhere_loses_doubles_and_changes_nothing(
    fault: str, label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    name = project(label_studio.url).project.name
    file = write_project(tmp_path / "base", name, label_studio.url, ["ko-KR"], wanted="2")
    push(file.path)
    tasks, mina = label_studio.tasks(f"{name} answer ko-KR"), label_studio.person("mina")
    first = label_studio.annotate(tasks[FOOD], mina, typed("밥", "국"))
    sync_project(file.path)
    before = pulled_state(file.base)["responses"]
    label_studio.sdk.annotations.update(first, result=[typed("빵")])
    label_studio.annotate(tasks[WORK], mina, chosen("no-answer"))
    label_studio.annotate(tasks[WORK], label_studio.person("jun"), typed("18:00"))
    clean, *copies = (shutil.copytree(file.base, tmp_path / f"copy-{number}") for number in range(20))
    sync_project(clean / "project.toml")
    after = pulled_state(clean)
    for number, copy in enumerate(copies):
        sync = partial(sync_project, copy / "project.toml")
        has_failed = befell(monkeypatch, fault, number, sync)
        assert pulled_state(copy)["responses"] in (before, after["responses"])
        sync()
        assert pulled_state(copy) == after
        if not has_failed:
            break
    assert number > 5
