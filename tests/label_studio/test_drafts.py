"""Drafts on a real server: what somebody has begun and not sent in stays, and the page that it is on."""

from collections.abc import Callable

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.views.annotation import push_lines
from helpers.label_studio.annotation_projects import QUESTIONS, write_questions
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
STAYS = "1 task stays though it would be shown anew or removed: it has a draft"


def test_pages_that_somebody_has_begun_stay_until_they_are_sent_or_discarded(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url, stages='["answer", "review"]', wanted="1")
    push_project(check_project(file.path))
    answers, reviews = (f"{file.project.name} {stage} ko-KR" for stage in ("answer", "review"))
    asked = label_studio.tasks(answers)
    label_studio.annotate(asked[FOOD], label_studio.person("mina"), typed("밥"))
    sync_project(file.path)
    ((page, number),) = label_studio.tasks(reviews).items()
    with label_studio.signed_in("jun") as browser:
        drafts = [
            browser.post(f"/api/tasks/{task}/drafts", json={"result": [typed("일곱 시")]}).json()["id"]
            for task in (number, asked[WORK])
        ]
        # Another question, and another answer, for which another page of the review comes.
        write_questions(file.collected, {**QUESTIONS, "work-01": ("Work life", "When is lunch in {country}?")})
        label_studio.annotate(asked[FOOD], label_studio.person("seo"), typed("국"))
        lines = push_lines(sync_project(file.path).push, dry_run=False)
        assert {f"{title}: {STAYS}" for title in (answers, reviews)} <= set(lines)
        assert label_studio.tasks(answers) == asked
        assert label_studio.tasks(reviews)[page] == number
        assert len(label_studio.tasks(reviews)) == 2
        sent = browser.post(f"/api/tasks/{number}/annotations/", json={"result": [], "draft_id": drafts[0]})
        assert sent.status_code == 201
        assert browser.delete(f"/api/drafts/{drafts[1]}").status_code == 204
    lines = push_lines(sync_project(file.path).push, dry_run=False)
    assert f"{answers}: 1 task shown anew" in lines
    assert f"{reviews}: 1 task is not asked for any more, and stays" in lines
    assert not [line for line in lines if STAYS in line]
    assert label_studio.tasks(answers)[WORK] != asked[WORK]


def test_a_question_that_is_dropped_is_given_to_nobody_until_it_is_back(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    more = {**QUESTIONS, "tea-01": ("Food", "When is tea drunk in {country}?"), "age-01": QUESTIONS["food-01"]}
    file = project(label_studio.url, wanted="2")
    write_questions(file.collected, more)
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    asked = label_studio.tasks(title)
    label_studio.annotate(asked[WORK], label_studio.person("mina"), typed("18:00"))
    with label_studio.signed_in("jun") as browser:
        drafted = browser.post(f"/api/tasks/{asked['answer/ko-KR/tea-01']}/drafts", json={"result": []})
        assert drafted.status_code == 201
    sync_project(file.path)
    write_questions(file.collected, {"food-01": QUESTIONS["food-01"]})
    pull_project(file)
    lines = push_lines(sync_project(file.path).push, dry_run=False)
    assert lines[:3] == [
        f"{title}: 1 outdated task removed, 2 tasks given to nobody any more",
        f"{title}: {STAYS}",
        f"{title}: 1 task is not asked for any more, and stays",
    ]
    left = {name: number for name, number in asked.items() if name != "answer/ko-KR/age-01"}
    assert label_studio.tasks(title) == left
    with label_studio.signed_in("seo") as browser:
        path = f"/api/projects/{label_studio.project(title)}/next"
        assert browser.get(path).json()["id"] == asked[FOOD]
        label_studio.annotate(asked[FOOD], label_studio.person("seo"), typed("밥"))
        assert browser.get(path).status_code == 404
        assert not any(plan.changes_anything for plan in sync_project(file.path).push)
        write_questions(file.collected, more)
        sync_project(file.path)
        assert browser.get(path).json()["id"] == asked[WORK]
        assert label_studio.tasks(title).keys() == asked.keys()


def test_of_two_copies_that_with_a_draft_stays(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url)
    push_project(check_project(file.path))
    title = f"{file.project.name} answer ko-KR"
    number, first = label_studio.project(title), label_studio.tasks(title)
    tasks = [{"data": label_studio.sdk.tasks.get(str(first[name])).data} for name in (FOOD, WORK)]
    label_studio.sdk.projects.import_tasks(number, request=tasks)
    listed = {task.id: task.data for task in label_studio.sdk.tasks.list(project=number, fields="task_only")}
    (copy,) = [task for task, data in listed.items() if data["blend_id"] == FOOD and task != first[FOOD]]
    with label_studio.signed_in("jun") as browser:
        drafted = browser.post(f"/api/tasks/{copy}/drafts", json={"result": [typed("밥")]})
        assert drafted.status_code == 201
    push_project(check_project(file.path))
    assert label_studio.tasks(title) == {FOOD: copy, WORK: first[WORK]}
