"""News: a real server is asked for nothing twice, and every change of its tasks is one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.syncing import sync_project
from blend.loaders.label_studio.client import RemoteProject, RemoteTask
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, typed


@pytest.mark.integration
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


def test_a_change_that_is_dated_before_others_is_one():
    project = RemoteProject(1, "title", "", "", 1)
    task = RemoteTask(1, {}, annotations=1, overlap=1, updated="2026-11-20T10:00:00+00:00")
    newest = replace(task, id=2, updated="2026-11-20T12:00:00+00:00")
    before = replace(project, tasks=[task, newest]).dated
    assert replace(project, tasks=[newest, task]).dated == before
    for changed in (
        [replace(task, updated="2026-11-20T11:00:00+00:00"), newest],
        [replace(task, updated="2026-11-19T00:00:00+00:00"), newest],  # a clock was set back
        [replace(task, id=3), newest],
        [newest],
    ):
        assert replace(project, tasks=changed).dated != before
