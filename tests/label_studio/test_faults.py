"""Faults and kills: whatever befalls a sync, nothing is lost or doubled, and the next completes it.

A page that a server refuses, and a token of the newer kind, stand here as well.

A lead is killed before a request, when its body has been sent, when its answer has come, and before and after a
file takes its name.
"""

import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import count, cycle
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import Half, sync_project
from blend.loaders.label_studio.events import read_events
from blend.schemas.errors import BlendError, ConflictError
from helpers.label_studio.annotation_projects import push, write_project
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio, and processes that are killed

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
MOMENTS = 20
NEVER = 10**9
Make = Callable[[Path | str], ProjectFile]


@pytest.fixture
def make(label_studio: StudioForTests, project: Callable[..., ProjectFile], tmp_path: Path) -> Make:
    """Makes a project in Korean in a folder; the folder's name up to a dot is part of its own."""
    name = project(label_studio.url).project.name

    def made(folder: Path | str) -> ProjectFile:
        own = f"{name}.{str(folder).partition('.')[0]}"
        return write_project(tmp_path / str(folder), own, label_studio.url, ["ko-KR"], wanted="2")

    return made


def assert_there_once(studio: StudioForTests, *files: ProjectFile) -> None:
    titles = [project.title for project in studio.sdk.projects.list(page_size=1000)]
    for file in files:
        title = f"{file.project.name} answer ko-KR"
        assert titles.count(title) == 1
        assert set(studio.tasks(title)) == {FOOD, WORK}
        assert not any(plan.changes_anything for plan in push(file.path))


@pytest.fixture
def news(label_studio: StudioForTests, make: Make) -> ProjectFile:
    """A project with news of every kind, on top of what was pulled before."""
    file = make("base")
    push(file.path)
    tasks, mina = label_studio.tasks(f"{file.project.name} answer ko-KR"), label_studio.person("mina")
    first = label_studio.annotate(tasks[FOOD], mina, typed("밥", "국"))
    sync_project(file.path)
    label_studio.sdk.annotations.update(first, result=[typed("빵")])
    label_studio.annotate(tasks[WORK], mina, chosen("no-answer"))
    label_studio.annotate(tasks[WORK], label_studio.person("jun"), typed("18:00"))
    return file


def state_of(folder: Path) -> dict[str, object]:
    """What a pull has left: the responses, the events without days, and no leftovers."""
    return {
        "responses": (folder / "collected/responses/ko-KR.jsonl").read_text(),
        "events": [{**line, "seen": None} for line in read_events(folder / "pulled/events.jsonl")],
        "left over": sorted(path.name for path in folder.rglob("*.tmp")),
    }


def copies_of(file: ProjectFile) -> list[Path]:
    """The folder once for each moment, and once more for a sync that nothing befalls."""
    base = file.base
    return [shutil.copytree(base, base.with_name(f"copy-{number}")) for number in range(MOMENTS + 1)]


# Faults of the server and of the network.


Send = Callable[[httpx.Request], httpx.Response]


def half(content: bytes) -> bytes:
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
    "half a list": lambda request, send: answer(half(send(request).read())),
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
    label_studio: StudioForTests, make: Make, monkeypatch: pytest.MonkeyPatch
):
    faults, files = cycle(FAULTS), []
    for number in (n for n in range(20) for _ in range(3)):
        files.append(make(str(len(files))))
        if not befell(monkeypatch, next(faults), number, partial(push, files[-1].path)):
            break
    assert len(files) > 24
    for file in files:
        push(file.path)
    assert_there_once(label_studio, *files)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_sync_that_fails_anywhere_loses_doubles_and_changes_nothing(
    fault: str, news: ProjectFile, monkeypatch: pytest.MonkeyPatch
):
    before, (clean, *copies) = state_of(news.base), copies_of(news)
    sync_project(clean / "project.toml")
    after = state_of(clean)
    for number, copy in enumerate(copies):
        sync = partial(sync_project, copy / "project.toml")
        has_failed = befell(monkeypatch, fault, number, sync)
        assert state_of(copy)["responses"] in (before["responses"], after["responses"])
        sync()
        assert state_of(copy) == after
        if not has_failed:
            break
    assert number > 5


def test_a_page_without_what_annotations_refer_to_is_refused(label_studio: StudioForTests, make: Make):
    file = make("page")
    push(file.path)
    title = f"{file.project.name} answer ko-KR"
    number, mina = label_studio.project(title), label_studio.person("mina")
    config = label_studio.sdk.projects.get(number).label_config.strip().removesuffix("</View>")
    more = '<Choices name="mood" toName="question"><Choice value="fine"/></Choices></View>'
    label_studio.sdk.projects.update(number, label_config=config + more)
    label_studio.annotate(label_studio.tasks(title)[FOOD], mina, {**chosen("fine", control="mood"), "id": "m"})
    told = (
        f"{title}: the server does not take its new page; keep the parts that annotations refer to, or begin "
        "anew with a project file of another name, in another folder ("
    )
    with pytest.raises(ConflictError, match=f"^{re.escape(told)}.*mood"):
        push(file.path)


@pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")  # by which the SDK reads its tokens
def test_a_personal_access_token_will_do(
    label_studio: StudioForTests, make: Make, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.sdk.tokens.create().token)
    push((file := make("token")).path)
    assert_there_once(label_studio, file)


# Leads whose computer dies, and two at a time.


@pytest.fixture(autouse=True)
def _found_by_leads(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lead to this module by its name, as the process of a lead imports it."""
    monkeypatch.syspath_prepend(root)


def run_leads(half: Half, *projects: Path, moment: int = NEVER) -> list[tuple[bool, int]]:
    """Sync projects, all at a time; whether each was killed, and how many moments it had."""
    processes = _processes()
    passed = [processes.Value("i", 0, lock=False) for _ in projects]
    leads = [
        processes.Process(target=_lead, args=(half, project, moment, number, dict(os.environ)))
        for project, number in zip(projects, passed, strict=True)
    ]
    for lead in leads:
        lead.start()
    for lead in leads:
        lead.join()
        assert lead.exitcode in (0, -signal.SIGKILL), lead.exitcode
    return [(lead.exitcode != 0, number.value) for lead, number in zip(leads, passed, strict=True)]


@cache
def _processes() -> ForkServerContext:
    """One process imports what is needed and forks for every lead: importing takes longer than running."""
    context = get_context("forkserver")
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

    def trace(event: str, _: Any) -> None:
        if event == "http11.send_request_body.complete":
            pass_by()

    def sent(client: Any, request: Any, **options: Any) -> Any:
        request.extensions["trace"] = trace
        pass_by()
        answer = send(client, request, **options)
        pass_by()
        return answer

    def replaced(*paths: Any, **options: Any) -> None:
        pass_by()
        replace(*paths, **options)
        pass_by()

    httpx.Client.send, os.replace = sent, replaced  # type: ignore[assignment]
    sync_project(project, only=half)


def spread(ended: list[tuple[bool, int]]) -> list[int]:
    """Moments of a sync that was not killed, from the first to the last, evenly."""
    ((killed, total),) = ended
    assert not killed
    assert total > MOMENTS
    return [round(number * (total - 1) / (MOMENTS - 1)) for number in range(MOMENTS)]


def test_a_push_killed_at_any_of_20_moments_is_completed_by_the_next(label_studio: StudioForTests, make: Make):
    last, *files = (make(str(number)) for number in range(MOMENTS + 1))
    for moment, file in zip(spread(run_leads("push", last.path)), files, strict=True):
        assert run_leads("push", file.path, moment=moment) == [(True, moment + 1)]
        push(file.path)
    for file in files:
        # The server may have gone on importing what the killed one has sent: the next sync removes the copies.
        push(file.path)
    assert_there_once(label_studio, last, *files)


def test_two_leads_pushing_at_once_make_everything_once(label_studio: StudioForTests, make: Make):
    for race in range(3):
        files = [make(f"{race}.{lead}") for lead in range(2)]
        assert all(not killed for killed, _ in run_leads("push", *(file.path for file in files)))
        assert_there_once(label_studio, files[0])


def test_a_pull_killed_at_any_of_20_moments_is_completed_by_the_next(news: ProjectFile):
    clean, *copies = copies_of(news)
    moments = spread(run_leads("pull", clean / "project.toml"))
    assert state_of(clean)["responses"] != state_of(news.base)["responses"]
    for moment, copy in zip(moments, copies, strict=True):
        assert run_leads("pull", copy / "project.toml", moment=moment) == [(True, moment + 1)]
        assert run_leads("pull", copy / "project.toml")[0][0] is False
        assert state_of(copy) == state_of(clean)
