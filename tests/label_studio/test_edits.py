"""Edits alone: what is changed on a real server is pulled, wherever it stands, and though no count changes."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from blend.loaders.label_studio.plan import RemoteProject, RemoteTask
from blend.views.annotation import pull_lines
from helpers.label_studio.annotation_projects import push, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, typed

TEMPLATES = [f"food-{number:02}" for number in range(1, 6)]
NO_NEWS = ["No news: all files are as they were."]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def name_of(file: ProjectFile, person: str) -> str:
    return pseudonym(f"{person}@example.org", read_key(file.key_file))


def answered(studio: StudioForTests, file: ProjectFile) -> dict[tuple[str, str], int]:
    """Annotations by template and person, who have answered all questions; they are pulled."""
    write_questions(
        file.collected, {name: ("Food", f"What is eaten at {name} in {{country}}?") for name in TEMPLATES}
    )
    push(file.path)
    tasks = studio.tasks(f"{file.project.name} answer ko-KR")
    given = {
        (template, person): studio.annotate(
            tasks[f"answer/ko-KR/{template}"], studio.person(person), typed(f"{template} {person}")
        )
        for template in TEMPLATES
        for person in ("mina", "jun")
    }
    pull_project(file)
    assert pull_lines(pull_project(file)) == NO_NEWS
    return given


@pytest.mark.integration  # a real Label Studio
def test_an_answer_that_is_edited_alone_is_pulled_from_every_position(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    given = answered(label_studio, file)
    title = f"{file.project.name} answer ko-KR"
    responses = file.collected / "responses" / "ko-KR.jsonl"
    link = f"; {label_studio.url}/projects/{label_studio.project(title)}/data?labeling=1"
    edit = label_studio.sdk.annotations.update
    mina, lead = name_of(file, "mina"), name_of(file, "lead")
    # The last, the first, one in the middle; then that again whose edit is older than those of the others.
    for turn, template in enumerate(("food-05", "food-01", "food-03", "food-05")):
        annotation = given[template, "mina"]
        edit(annotation, result=[typed(f"edited {turn}")])
        assert pull_lines(pull_project(file)) == [
            f"{title}: 10 annotations (1 edited){link}",
            f"  edited: annotation {annotation} of {mina} on answer/ko-KR/{template}, by {lead}",
            f"{responses}: 10 rows",
            f"changed-by-another: {min(turn + 1, 3)}",
        ]
        now = {(row["template_id"], row["annotator"]): row["answers"] for row in rows(responses)}
        assert now[template, name_of(file, "mina")] == [f"edited {turn}"]
        assert pull_lines(pull_project(file)) == [*NO_NEWS, f"changed-by-another: {min(turn + 1, 3)}"]
    # Two at a time, and one that comes for one that goes: the counts are as they were.
    edit(given["food-02", "jun"], result=[typed("two")])
    edit(given["food-04", "jun"], result=[typed("four")])
    label_studio.sdk.annotations.delete(given["food-01", "jun"])
    task = label_studio.tasks(title)["answer/ko-KR/food-01"]
    label_studio.annotate(task, label_studio.person("seo"), typed("one"))
    assert pull_lines(pull_project(file))[0] == f"{title}: 11 annotations (1 added, 2 edited, 1 missing){link}"
    now = {(row["template_id"], row["annotator"]): row["answers"] for row in rows(responses)}
    assert [now["food-02", name_of(file, "jun")], now["food-04", name_of(file, "jun")]] == [["two"], ["four"]]
    assert now["food-01", name_of(file, "seo")] == ["one"]
    assert now["food-01", name_of(file, "jun")] == ["food-01 jun"]
    # Deleted alone, in the middle.
    label_studio.sdk.annotations.delete(given["food-03", "jun"])
    assert pull_lines(pull_project(file))[0] == f"{title}: 11 annotations (1 missing){link}"
    assert len(rows(responses)) == 11


@pytest.mark.integration
def test_syncing_asks_a_server_for_nothing_twice(
    label_studio: StudioForTests, project: Callable[..., ProjectFile], monkeypatch: pytest.MonkeyPatch
):
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    answered(label_studio, file)
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
