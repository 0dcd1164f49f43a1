"""Somebody asks to be forgotten, on a real server: nothing of theirs is left anywhere, and others go on."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from helpers.in_process import run
from helpers.label_studio.annotation_projects import push
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

annotate = partial(run, "annotate")
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
SECRET, ENGLISH = "아무도모르는국", "soup that nobody knows"
"""What only the person answered, and what a reviewer wrote for it."""


@pytest.fixture
def collected(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> ProjectFile:
    """Two people's answers, an earlier one of Kim's corrected, a draft of Kim's, and Rim's review of all."""
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    push(file.path)
    tasks = label_studio.tasks(title_of(file))
    kim, lee, rim = map(label_studio.person, ("kim", "lee", "rim"))
    first = label_studio.annotate(tasks[FOOD], kim, typed(f"{SECRET} 1"))
    pull_project(file)
    label_studio.sdk.annotations.update(first, result=[typed("밥", SECRET)])
    label_studio.annotate(tasks[FOOD], lee, typed("밥"))
    sync_project(file.path)
    review_title = title_of(file, "review")
    ((_, number),) = label_studio.tasks(review_title).items()
    items = {one["title"]: one["id"] for one in label_studio.sdk.tasks.get(str(number)).data["answers"]}
    assert set(items) == {"밥", SECRET}
    columns = {"g1": [items["밥"]], "g2": [items[SECRET]]}
    ranked = {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}
    english = (typed("rice", control="english_1"), typed(ENGLISH, control="english_2"))
    label_studio.annotate(number, rim, ranked, *english)
    with label_studio.signed_in("kim") as browser:
        draft = {"result": [typed(f"{SECRET} 2")]}
        assert browser.post(f"/api/tasks/{tasks[WORK]}/drafts", json=draft).status_code == 201
    pull_project(file)
    return file


def title_of(file: ProjectFile, stage: str = "answer") -> str:
    return f"{file.project.name} {stage} ko-KR"


def everything_on(studio: StudioForTests, file: ProjectFile) -> str:
    """Whatever the server says of the tasks of a project."""
    found = []
    for stage in ("answer", "review"):
        number = studio.project(title_of(file, stage))
        exported = studio.sdk.projects.exports.download_sync(
            number, export_type="JSON", download_all_tasks=True
        )
        found.append(json.dumps(json.loads(b"".join(exported)), ensure_ascii=False))
        for task in studio.sdk.tasks.list(project=number, fields="all"):
            found.append(str(studio.sdk.tasks.get(str(task.id)).model_dump()))
            found.append(str([one.model_dump() for one in studio.sdk.predictions.list(task=task.id)]))
    return "\n".join(found)


def everything_in(folder: Path) -> str:
    """Whatever files say, with letters as they are."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()]
    return "\n".join(texts) + "\n".join(map(in_letters, texts))


def in_letters(text: str) -> str:
    return text.encode().decode("unicode_escape", errors="ignore") if "\\u" in text else ""


def offered(studio: StudioForTests, file: ProjectFile, name: str) -> str | None:
    """What somebody is given who presses *Label All Tasks*."""
    number = studio.project(title_of(file))
    with studio.signed_in(name) as browser:
        answer = browser.get(f"/api/projects/{number}/next")
    return answer.json()["data"]["blend_id"] if answer.status_code == 200 else None


def test_nothing_is_left_here_and_on_the_server(label_studio: StudioForTests, collected: ProjectFile):
    file = collected
    for everything in (everything_on(label_studio, file), everything_in(file.base)):
        assert f"{SECRET} 1" in everything_in(file.pulled)
        assert SECRET in everything
        assert ENGLISH in everything
    told = annotate("forget", file.path, "kim@example.org", "--yes")
    assert f"On {label_studio.url}: 1 annotation and 1 draft deleted, and 1 page of reviews" in told
    for everything in (everything_on(label_studio, file), everything_in(file.base)):
        for trace in (SECRET, ENGLISH, "kim@example.org"):
            assert trace not in everything
        assert "밥" in everything
    assert "rice" in everything_in(file.base)
    (review,) = map(json.loads, (file.collected / "reviews" / "ko-KR.jsonl").read_text().splitlines())
    assert review["groups"] == [{"answers": ["밥"], "en_answers": ["rice"]}]
    # Others' work goes on as if the person had never been there: nothing is told anew, nothing asked twice.
    again = sync_project(file.path)
    assert again.pull is not None
    assert not any(again.pull.changes.values())
    assert not again.pull.is_any_gone
    assert not again.pull.written
    assert offered(label_studio, file, "seo") == FOOD
    # The review's page is made anew once there are answers enough, with what was decided.
    assert label_studio.tasks(title_of(file, "review")) == {}
    label_studio.annotate(label_studio.tasks(title_of(file))[FOOD], label_studio.person("seo"), typed("밥"))
    sync_project(file.path)
    (page,) = label_studio.tasks(title_of(file, "review")).values()
    (proposed,) = label_studio.sdk.tasks.get(str(page)).predictions
    assert typed("rice", control="english_1")["value"] in [one["value"] for one in proposed.result]
