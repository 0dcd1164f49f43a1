"""A real server is asked for nothing twice; the whole message for projects that were changed by hand."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from blend.schemas.errors import ConflictError
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, chosen, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
Made = Callable[..., ProjectFile]


def pushed(studio: StudioForTests, project: Made, **settings: str) -> tuple[ProjectFile, str]:
    file = project(studio.url, **settings)
    push(file.path)
    return file, f"{file.project.name} answer ko-KR"


def refused(file: ProjectFile) -> str:
    with pytest.raises(ConflictError) as raised:
        push(file.path)
    return str(raised.value)


@pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")  # by which the SDK reads its tokens
def test_a_personal_access_token_will_do(
    label_studio: StudioForTests, project: Made, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.sdk.tokens.create().token)
    _, title = pushed(label_studio, project)
    assert set(label_studio.tasks(title)) == {FOOD, WORK}


def test_a_change_that_would_orphan_annotations(label_studio: StudioForTests, project: Made):
    file, title = pushed(label_studio, project)
    number = label_studio.project(title)
    config = label_studio.sdk.projects.get(number).label_config.strip().removesuffix("</View>")
    more = '<Choices name="mood" toName="question"><Choice value="fine"/></Choices></View>'
    label_studio.sdk.projects.update(number, label_config=config + more)
    mood = {**chosen("fine", control="mood"), "id": "m"}
    label_studio.annotate(label_studio.tasks(title)[FOOD], label_studio.person("mina"), mood)
    told = refused(file)
    assert told.startswith(
        f"{title}: the server does not take its new page; give the project file another name, which makes new "
        "projects, or keep the parts that annotations refer to ("
    )
    assert "mood" in told


def test_two_projects_of_one_mark(label_studio: StudioForTests, project: Made):
    file, title = pushed(label_studio, project)
    number, projects = label_studio.project(title), label_studio.sdk.projects
    found = projects.get(number)
    copy = projects.create(title="copy", description=found.description, label_config=found.label_config).id
    assert refused(file) == (
        f"Label Studio at {label_studio.url}: projects {number} and {copy} are both marked as "
        f"{file.project.name}/answer/ko-KR; remove the last line from the description of the one that is not "
        "to count"
    )


def test_syncing_asks_a_server_for_nothing_twice(
    label_studio: StudioForTests, project: Made, monkeypatch: pytest.MonkeyPatch
):
    file, title = pushed(label_studio, project, stages='["answer", "review"]', wanted="2")
    for task in label_studio.tasks(title).values():
        label_studio.annotate(task, label_studio.person("mina"), typed("밥"))
    for _ in range(2):
        sync_project(file.path)
    answered: Counter[str] = Counter()
    send = httpx.Client.send

    def counted(client: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        answer = send(client, request, **options)
        # A database that is locked for a moment makes the server fail, and a list is asked for again then.
        if answer.status_code < 500:
            answered[f"{request.method} {request.url.path} {request.url.params.get('project', '')}"] += 1
        return answer

    monkeypatch.setattr(httpx.Client, "send", counted)
    plans = sync_project(file.path).plans or ()
    assert not any(plan.changes_anything for plan in plans)
    numbers = [plan.remote.id for plan in plans if plan.remote is not None]
    assert len(numbers) == 4
    paths = ("version/ ", "current-user/whoami ", "projects/ ", *(f"tasks/ {number}" for number in numbers))
    assert answered == Counter(f"GET /api/{path}" for path in paths)
