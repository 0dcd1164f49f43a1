"""A real server is asked for nothing twice; the whole message for projects that were changed by hand."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from blend.schemas.errors import BlendError, ConflictError
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"


def message(call: Callable[[], object], kind: type[BlendError]) -> str:
    with pytest.raises(kind) as raised:
        call()
    return str(raised.value)


def pushed(studio: StudioForTests, project: Callable[..., ProjectFile]) -> tuple[ProjectFile, str]:
    file = project(studio.url)
    push(file.path)
    return file, f"{file.project.name} answer ko-KR"


@pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")  # by which the SDK reads its tokens
def test_a_personal_access_token_will_do(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.sdk.tokens.create().token)
    _, title = pushed(label_studio, project)
    assert set(label_studio.tasks(title)) == {FOOD, WORK}


def test_a_change_that_would_orphan_annotations(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    config = label_studio.sdk.projects.get(number).label_config
    more = '<Choices name="mood" toName="question"><Choice value="fine"/></Choices></View>'
    label_studio.sdk.projects.update(number, label_config=config.strip().removesuffix("</View>") + more)
    mood = {**chosen("fine", control="mood"), "id": "m"}
    label_studio.annotate(label_studio.tasks(title)[FOOD], label_studio.person("mina"), mood)
    told = message(lambda: push(file.path), ConflictError)
    assert told.startswith(
        f"{title}: the server does not take its new page; give the project file another name, which makes new "
        "projects, or keep the parts that annotations refer to ("
    )
    assert "mood" in told


def test_two_projects_of_one_mark(label_studio: StudioForTests, project: Callable[..., ProjectFile]):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    original = label_studio.sdk.projects.get(number)
    copy = label_studio.sdk.projects.create(
        title=f"{title} copy", description=original.description, label_config=original.label_config
    ).id
    assert message(lambda: push(file.path), ConflictError) == (
        f"Label Studio at {label_studio.url}: projects {number} and {copy} are both marked as "
        f"{file.project.name}/answer/ko-KR; remove the last line from the description of the one that is not "
        "to count"
    )


def test_syncing_asks_a_server_for_nothing_twice(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    push(file.path)
    for task in label_studio.tasks(f"{file.project.name} answer ko-KR").values():
        label_studio.annotate(task, label_studio.person("mina"), typed("밥"))
    sync_project(file.path)
    sync_project(file.path)
    asked: list[str] = []
    send = httpx.Client.send

    def counted(client: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path} {request.url.params.get('project', '')}".strip())
        return send(client, request, **options)

    monkeypatch.setattr(httpx.Client, "send", counted)
    done = sync_project(file.path)
    assert done.plans is not None
    assert not any(plan.changes_anything for plan in done.plans)
    numbers = sorted(plan.remote.id for plan in done.plans if plan.remote is not None)
    assert len(numbers) == 4
    assert sorted(asked) == sorted(
        ["GET /api/version/", "GET /api/current-user/whoami", "GET /api/projects/"]
        + [f"GET /api/tasks/ {number}" for number in numbers]
    )
