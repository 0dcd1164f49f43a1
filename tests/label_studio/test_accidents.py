"""Accidents on a real server: whatever goes from it, what people gave counts until the lead accepts that."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile, pseudonym, read_key, read_project
from blend.builders.annotation.pulling import pull_project
from blend.builders.annotation.syncing import sync_project
from blend.cli.annotation_lines import pull_lines
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.events import read_events
from blend.schemas.errors import InputError, ServerError
from helpers.in_process import run
from helpers.label_studio import studio_server
from helpers.label_studio.annotation_projects import push, write_project
from helpers.label_studio.studio_fixtures import VARIABLE, StudioForTests, connected, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
STAGES = ("answer", "review")
SETTINGS = {"stages": '["answer", "review"]', "wanted": "2"}
annotate = partial(run, "annotate")


@dataclass
class Work:
    """A project in Korean, and what its people do on the server."""

    studio: StudioForTests
    file: ProjectFile

    @property
    def rows(self) -> list[str]:
        """All responses and reviews, line by line."""
        paths = [self.file.collected / kind / "ko-KR.jsonl" for kind in ("responses", "reviews")]
        return [line for path in paths if path.exists() for line in path.read_text().splitlines()]

    def name(self, person: str) -> str:
        """An account of this project alone, as some are deleted."""
        return f"{self.file.project.name}-{person}"

    def number(self, person: str) -> int:
        return self.studio.person(self.name(person))

    def who(self, person: str) -> str:
        return pseudonym(f"{self.name(person)}@example.org", read_key(self.file.key_file))

    def title(self, stage: str = "answer") -> str:
        return f"{self.file.project.name} {stage} ko-KR"

    def tasks(self, stage: str = "answer") -> dict[str, int]:
        return self.studio.tasks(self.title(stage))

    def answers(self, person: str, task: str, text: str) -> None:
        self.studio.annotate(self.tasks()[task], self.number(person), typed(text))

    def corrects(self, person: str, task: str, text: str) -> None:
        """Somebody changes in a browser what they have sent."""
        sent = self.studio.sdk.annotations.list(self.tasks()[task])
        (theirs,) = [one.id for one in sent if one.completed_by == self.number(person)]
        with self.studio.signed_in(self.name(person)) as browser:
            browser.patch(f"/api/annotations/{theirs}/", json={"result": [typed(text)]}).raise_for_status()

    def proposed(self, page: int) -> list[dict[str, Any]]:
        """How the page of a review is filled in."""
        (found,) = self.studio.sdk.tasks.get(str(page)).predictions
        return list(found.result)

    def touch(self) -> None:
        """Have the next pull find news: somebody skips a question and a review."""
        for stage in STAGES:
            self.studio.annotate(next(iter(self.tasks(stage).values())), self.number("seo"), skipped=True)

    def gone(self) -> dict[str, int]:
        """Annotations that a sync tells as gone, by the name of the stage."""
        pull = sync_project(self.file.path).pull
        assert pull is not None
        return {one.stage_locale.stage.name: len(one.gone) for one in pull.found if one.gone}

    def accept(self) -> None:
        """Have the lead accept what is gone."""
        sync_project(self.file.path, accept=lambda _: True)


def done(studio: StudioForTests, file: ProjectFile) -> Work:
    """Two people answer two questions, one of them reviews both; all of it is pulled."""
    push(file.path)
    work = Work(studio, file)
    for task, text in ((FOOD, "food"), (WORK, "work")):
        for person in ("mina", "jun"):
            work.answers(person, task, f"{text} {person}")
    sync_project(file.path)
    for page in work.tasks("review").values():
        studio.annotate(page, work.number("mina"), *work.proposed(page))
    sync_project(file.path)
    assert len(work.rows) == 6
    return work


@pytest.fixture
def work(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> Work:
    return done(label_studio, project(label_studio.url, **SETTINGS))


# The accidents.


def deletes_annotations(work: Work) -> None:
    """An annotator chooses *Delete Annotations* for all tasks."""
    number = work.studio.project(work.title())
    body = {"selectedItems": {"all": True, "excluded": []}, "project": str(number)}
    with work.studio.signed_in(work.name("seo")) as browser:
        action = f"/api/dm/actions?id=delete_tasks_annotations&project={number}"
        browser.post(action, json=body).raise_for_status()


def deletes_tasks(work: Work) -> None:
    for task in (work.tasks()[FOOD], min(work.tasks("review").values())):
        work.studio.sdk.tasks.delete(str(task))


def deletes_projects(work: Work) -> None:
    for stage in STAGES:
        work.studio.sdk.projects.delete(work.studio.project(work.title(stage)))


def deletes_account(work: Work) -> None:
    work.studio.sdk.users.delete(work.number("jun"))
    work.touch()


def removes_members(work: Work, people: Sequence[str] = ("mina", "jun")) -> None:
    token = {"Authorization": f"Token {work.studio.token}"}
    with httpx.Client(base_url=work.studio.url, headers=token) as lead:
        for person in people:
            lead.delete(f"/api/organizations/1/memberships/{work.number(person)}/").raise_for_status()
    work.touch()


_export = Studio.export


def short_export(studio: Studio, project: int) -> list[Any]:
    """An export that is valid JSON, and half a list."""
    tasks = _export(studio, project)
    return tasks[: len(tasks) // 2]


# A server that is set back.


class OwnServer:
    """A server of this test alone, which can be set back to an earlier day."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._database = folder, folder / "label_studio.sqlite3"
        self.running = studio_server.start(folder)

    @contextmanager
    def work(self, file: ProjectFile) -> Iterator[Work]:
        with connected(self.running) as studio:
            yield Work(studio, file)

    def backup(self, path: Path) -> Path:
        with sqlite3.connect(self._database) as now, sqlite3.connect(path) as kept:
            now.backup(kept)
        return path

    def set_back(self, path: Path) -> None:
        studio_server.stop(self.running)
        for old in self._folder.glob("label_studio.sqlite3*"):
            old.unlink()
        shutil.copy(path, self._database)
        self.running = studio_server.start(self._folder, int(self.running.url.rpartition(":")[2]))


@pytest.fixture
def own_server(
    label_studio: StudioForTests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OwnServer]:
    server = OwnServer(tmp_path / "own")
    monkeypatch.setenv(VARIABLE, server.running.token)
    yield server
    studio_server.stop(server.running)


@pytest.mark.landing
def test_a_project_outlives_all_accidents(
    own_server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = write_project(tmp_path, "all", own_server.running.url, **SETTINGS)
    events = file.pulled / "events.jsonl"
    with own_server.work(file) as work:
        done(work.studio, file)
        kept = own_server.backup(tmp_path / "kept.sqlite3")
        work.corrects("mina", FOOD, "쌀밥")
        sync_project(file.path)
        before, told = work.rows, events.read_text()
        work.touch()
        with (
            monkeypatch.context() as short,
            pytest.raises(ServerError, match=r"lacks annotations that it lists"),
        ):
            short.setattr(Studio, "export", short_export)
            sync_project(file.path)
        assert (work.rows, events.read_text()) == (before, told)
        for accident, gone in (
            (Work.touch, {}),
            (deletes_account, {}),
            (partial(removes_members, people=["mina"]), {}),
            (deletes_tasks, {"answer": 2, "review": 1}),
            (deletes_annotations, {"answer": 4, "review": 1}),
            (deletes_projects, {"answer": 4, "review": 2}),
        ):
            accident(work)
            for _ in range(2):
                found = work.gone()
                # Skipped tasks go as well.
                assert {stage: min(found[stage], number) for stage, number in gone.items()} == gone
                assert work.rows == before
    missing = [line["id"] for line in read_events(events) if line["event"] == "missing"]
    assert len(missing) == len(set(missing)) >= 6
    own_server.set_back(kept)
    with own_server.work(file) as work:
        assert work.gone().keys() <= {"answer", "review"}
        assert work.rows == before
        # She says it again, and that is no accident.
        work.corrects("mina", FOOD, "죽")
        sync_project(file.path)
        before = [line.replace("쌀밥", "죽") for line in before]
        assert work.rows == before
        deletes_projects(work)
        pull_project(file)
        with pytest.raises(InputError, match=r"Let go of them, .* Nobody is there to answer"):
            annotate("sync", file.path, "--accept-missing")
        assert work.rows == before
        work.accept()
        assert work.rows == []
        # What was accepted counts again once it is there again, as it was said last.
        own_server.set_back(kept)
        sync_project(file.path)
        assert work.rows == before


# Forgetting, and two leads.


@pytest.mark.parametrize("accident", [lambda _: None, deletes_account, removes_members])
def test_whoever_is_forgotten_is_nowhere_on_the_server_and_does_not_come_back(
    accident: Callable[[Work], None], work: Work
):
    with work.studio.signed_in(work.name("jun")) as browser:
        draft = {"result": [typed("food jun again")]}
        assert browser.post(f"/api/tasks/{work.tasks()[FOOD]}/drafts", json=draft).status_code == 201
    assert "food jun" in everything_on_server(work)
    accident(work)
    annotate("forget", work.file.path, work.who("jun"), "--yes")
    pull_project(work.file)
    paths = [path for path in work.file.base.rglob("*.*l*") if path.name != "project.toml"]
    here = "".join(path.read_text() for path in paths)
    for everything in (here, everything_on_server(work)):
        assert "food jun" not in everything
        assert "food mina" in everything
    assert work.who("jun") not in here
    # Others' work goes on as if the person had never been there: nothing is told anew.
    again = sync_project(work.file.path).pull
    assert again is not None
    assert (any(again.changes.values()), again.is_any_gone, dict(again.written)) == (False, False, {})


def everything_on_server(work: Work) -> str:
    """Whatever the server says of the tasks of a project."""
    tasks = [work.studio.sdk.tasks.get(str(task)) for stage in STAGES for task in work.tasks(stage).values()]
    return "\n".join(str(task.model_dump()) for task in tasks)


def test_a_clone_by_git_is_a_second_lead(work: Work):
    def git(folder: Path, *words: str) -> str:
        author = ("-c", "user.name=lead", "-c", "user.email=lead@example.org")
        command = ["git", *author, *words]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

    first = work.file
    (first.base / ".gitignore").write_text("annotators.key\nclone\n")
    git(first.base, "init", "-b", "main")
    git(first.base, "add", ".")
    git(first.base, "commit", "-m", "begin")
    kept = (".gitattributes", ".gitignore", "events.jsonl")
    assert git(first.base, "ls-files", "pulled").split() == [f"pulled/{name}" for name in kept]
    git(first.base, "clone", ".", "clone")
    shutil.copy(first.key_file, first.base / "clone")
    second = Work(work.studio, read_project(first.base / "clone" / "project.toml"))
    # What was there before it was cloned, and what comes later.
    work.studio.sdk.tasks.delete(str(work.tasks()[WORK]))
    work.answers("seo", FOOD, "국")
    lines, others = (pull_lines(pull_project(lead.file)) for lead in (work, second))
    assert [line.replace(str(first.base), str(second.file.base)) for line in lines] == others
    assert work.rows == second.rows
    git(second.file.base, "commit", "-am", "by the second lead")
    git(first.base, "commit", "-am", "by the first lead")
    git(first.base, "pull", "--no-rebase", "clone", "main")
    before = work.rows
    assert len(before) == 7
    assert (work.gone(), work.rows) == ({"answer": 2}, before)


# Pages that are at work.


def test_a_page_that_somebody_is_at_during_a_sync_stays_and_counts(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    work = Work(label_studio, project(label_studio.url, **SETTINGS))
    push(work.file.path)
    for person in ("mina", "jun"):
        work.answers(person, FOOD, f"food {person}")
    sync_project(work.file.path)
    (page,) = work.tasks("review").values()
    sent = {"result": work.proposed(page)}
    with label_studio.signed_in(work.name("seo")) as browser:
        begun = browser.post(f"/api/tasks/{page}/drafts", json=sent).raise_for_status().json()
        # Meanwhile the page is outdated by another answer.
        work.answers("han", FOOD, "국")
        sync_project(work.file.path)
        assert page in work.tasks("review").values()
        body = {**sent, "draft_id": begun["id"]}
        browser.post(f"/api/tasks/{page}/annotations", json=body).raise_for_status()
    sync_project(work.file.path)
    (review,) = [json.loads(line) for line in work.rows if "reviewer" in line]
    decided = sorted(answer for group in review["groups"] for answer in group["answers"])
    assert decided == ["food jun", "food mina"]
