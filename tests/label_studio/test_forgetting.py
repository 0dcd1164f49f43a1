"""Somebody asks to be forgotten, on a real server: nothing of theirs is left anywhere, and others go on."""

import json
import shutil
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.progress import project_status
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.builders.annotation.server.topping_up import top_up_project
from blend.loaders.label_studio import client
from blend.schemas.errors import ServerError
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

annotate = partial(run, "annotate")
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
SECRET, ENGLISH = "아무도모르는국", "soup that nobody knows"
"""What only the person answered, and what a reviewer wrote for it."""
TODAY = datetime.now(UTC).date()


@pytest.fixture
def collected(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> ProjectFile:
    """Two people's answers, an earlier one of Kim's corrected, a draft of Kim's, and Rim's review of all."""
    file = project(label_studio.url, stages='["answer", "review"]', wanted="2")
    push_project(check_project(file.path))
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
    answers, reviews = (label_studio.project(title_of(file, stage)) for stage in ("answer", "review"))
    kim, lee = (pseudonym(f"{name}@example.org", read_key(file.key_file)) for name in ("kim", "lee"))
    account = label_studio.person("kim")
    for everything in (everything_on(label_studio, file), everything_in(file.base)):
        assert f"{SECRET} 1" in everything_in(file.pulled)
        assert SECRET in everything
        assert ENGLISH in everything
    told = annotate("forget", file.path, "kim@example.org", "--yes").splitlines()
    copies = " ".join(f"export/project-{n}-at-* media/export/{n}/" for n in sorted((answers, reviews)))
    assert told == [
        f"{kim}: 1 annotation and 2 lines of the history removed from {file.pulled}; they will not come back.",
        f"On {label_studio.url}: 1 annotation and 1 draft deleted; their answers removed from 1 review.",
        f"{file.collected}/responses/ko-KR.jsonl: 1 row now",
        f"{file.collected}/reviews/ko-KR.jsonl: 1 row now",
        "1 question with too few responses now: food-01 in ko-KR; `blend annotate top-up` asks for more.",
        "Left to do by hand:",
        f"  delete account {account} on the server, unless the person works in another project there",
        f"  delete the copies of exports in the data folder of the server: {copies}",
        f"  delete exports and copies of {file.pulled} that you kept elsewhere, and pages of --html",
        "  publish a new version of releases that hold what they answered (docs/publishing.md)",
    ]
    for everything in (everything_on(label_studio, file), everything_in(file.base)):
        for trace in (SECRET, ENGLISH, "kim@example.org"):
            assert trace not in everything
        assert "밥" in everything
        assert "rice" in everything
    (review,) = map(json.loads, (file.collected / "reviews" / "ko-KR.jsonl").read_text().splitlines())
    assert review["groups"] == [{"answers": ["밥"], "en_answers": ["rice"]}]
    # Others' work goes on as if the person had never been there: nothing is told anew, nothing asked twice.
    again = sync_project(file.path)
    assert not any(project.changes for project in again.pull.projects)
    assert not any(written.changed for written in again.pull.written)
    people = project_status(check_project(file.path), today=TODAY).people["annotator"]
    assert set(people) == {lee, pseudonym("rim@example.org", read_key(file.key_file))}
    assert len(label_studio.tasks(title_of(file, "review"))) == 1
    assert offered(label_studio, file, "seo") == FOOD


def test_without_the_server_more_are_asked_all_the_same(label_studio: StudioForTests, collected: ProjectFile):
    file = collected
    kim = pseudonym("kim@example.org", read_key(file.key_file))
    told = annotate("forget", file.path, kim, "--local-only")
    task = label_studio.tasks(title_of(file))[FOOD]
    (number,) = [
        one["id"]
        for one in label_studio.sdk.tasks.get(str(task)).annotations
        if one["completed_by"]["email"] == "kim@example.org"
    ]
    assert f"  delete on the server, in answer ko-KR: annotation {number} (task {task})\n" in told
    assert f"{SECRET} 1" not in everything_in(file.base)
    # What reviews there still show does not come back, whatever news there is.
    label_studio.annotate(label_studio.tasks(title_of(file))[WORK], label_studio.person("lee"), typed("18:00"))
    ((_, review),) = label_studio.tasks(title_of(file, "review")).items()
    label_studio.annotate(review, label_studio.person("rim"), skipped=True)
    synced = sync_project(file.path)
    assert [one.asked_again for one in synced.top_up] == [("food-01",)]
    assert SECRET not in everything_in(file.base)
    assert ENGLISH not in everything_in(file.base)
    yesterday = TODAY - timedelta(days=1)  # as of a machine whose clock is behind the server's
    (food,) = (
        project_status(check_project(file.path), today=yesterday)
        .questions.filter(locale="ko-KR", template_id="food-01")
        .to_dicts()
    )
    assert (food["still_needed"], food["open"]) == (1, True)
    assert offered(label_studio, file, "seo") == FOOD
    # Nor on another machine, to which neither pull folder nor pulled files come.
    left_here = shutil.ignore_patterns("pulled", "responses", "reviews", "clone")
    clone = shutil.copytree(file.base, file.base / "clone", ignore=left_here)
    synced = sync_project(clone / "project.toml")
    assert synced.top_up == []
    for trace in (SECRET, ENGLISH, "kim@example.org"):
        assert trace not in everything_in(clone)
    assert "rice" in everything_in(clone)
    shutil.rmtree(clone)
    # Deleted by hand later: one person more is asked, as before, and not two.
    label_studio.sdk.annotations.delete(number)
    pull_project(file)
    top_up_project(check_project(file.path))
    assert label_studio.sdk.tasks.get(str(task)).overlap == 2
    assert SECRET in everything_on(label_studio, file)
    annotate("forget", file.path, kim, "--yes")
    assert SECRET not in everything_on(label_studio, file)


def test_a_server_that_fails_in_between_is_asked_again(
    label_studio: StudioForTests, collected: ProjectFile, monkeypatch: pytest.MonkeyPatch
):
    file = collected
    for step in ("delete_annotation", "delete_draft", "propose", "annotate", "show"):
        with monkeypatch.context() as stopped, pytest.raises(ServerError):
            stopped.setattr(client.Studio, step, failing)
            annotate("forget", file.path, "kim@example.org", "--yes")
        assert SECRET not in everything_in(file.base)
    annotate("forget", file.path, "kim@example.org", "--yes")
    assert SECRET not in everything_on(label_studio, file)
    (review,) = map(json.loads, (file.collected / "reviews" / "ko-KR.jsonl").read_text().splitlines())
    assert review["groups"] == [{"answers": ["밥"], "en_answers": ["rice"]}]


def failing(*_arguments: object, **_named: object) -> None:
    raise ServerError("the server has gone")


def test_accounts_of_others_are_not_kept(label_studio: StudioForTests, collected: ProjectFile):
    stranger = f"{label_studio.person('stranger')}"
    path = collected.pulled / "accounts.json"
    kept = json.loads(path.read_text())
    assert sorted(kept.values()) == ["kim@example.org", "lee@example.org", "rim@example.org"]
    assert stranger not in kept
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    pull_project(collected)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
