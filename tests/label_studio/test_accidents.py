"""Accidents on a real server: whatever goes from it, what people gave counts until the lead accepts that."""

import json
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from blend.builders.annotation.project import ProjectFile, pseudonym, read_key, read_project
from blend.builders.annotation.pulling import Pull, accept_missing, pull_project
from blend.builders.annotation.syncing import Sync, sync_project
from blend.loaders.label_studio.client import Studio
from blend.loaders.label_studio.events import held
from blend.schemas.errors import InputError, ServerError
from blend.views.annotation import pull_lines
from helpers.in_process import run
from helpers.label_studio import studio_server
from helpers.label_studio.annotation_projects import push, write_project
from helpers.label_studio.studio_fixtures import VARIABLE, StudioForTests, connected, typed

pytestmark = pytest.mark.integration  # a real Label Studio

FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
annotate = partial(run, "annotate")


def name(file: ProjectFile, person: str) -> str:
    """An account of this project alone, as some are deleted."""
    return f"{file.project.name}-{person}"


def who(file: ProjectFile, person: str) -> str:
    return pseudonym(f"{name(file, person)}@example.org", read_key(file.key_file))


def title(file: ProjectFile, stage: str = "answer") -> str:
    return f"{file.project.name} {stage} ko-KR"


def rows(file: ProjectFile) -> list[str]:
    """All responses and reviews, line by line."""
    paths = [file.collected / kind / "ko-KR.jsonl" for kind in ("responses", "reviews")]
    return [line for path in paths if path.exists() for line in path.read_text().splitlines()]


def events(file: ProjectFile) -> Counter[str]:
    lines = (file.pulled / "events.jsonl").read_text().splitlines()
    return Counter(json.loads(line)["event"] for line in lines)


def work(studio: StudioForTests, file: ProjectFile) -> ProjectFile:
    """Two people answer two questions, one of them reviews both; all of it is pulled."""
    push(file.path)
    mina, jun = (studio.person(name(file, person)) for person in ("mina", "jun"))
    for template, text in ((FOOD, "food"), (WORK, "work")):
        for person, number in (("mina", mina), ("jun", jun)):
            studio.annotate(studio.tasks(title(file))[template], number, typed(f"{text} {person}"))
    sync_project(file.path)
    for task in studio.tasks(title(file, "review")).values():
        (proposed,) = studio.sdk.tasks.get(str(task)).predictions
        studio.annotate(task, mina, *proposed.result)
    sync_project(file.path)
    assert len(rows(file)) == 6
    return file


STAGES = {"stages": '["answer", "review"]', "wanted": "2"}


@pytest.fixture
def file(label_studio: StudioForTests, project: Callable[..., ProjectFile]) -> ProjectFile:
    return work(label_studio, project(label_studio.url, **STAGES))


def told(done: Sync | Pull) -> dict[str, int]:
    """Annotations that are told as gone, by the name of the stage."""
    pull = done.pull if isinstance(done, Sync) else done
    assert pull is not None
    return {one.stage_locale.stage.name: len(one.gone) for one in pull.found if one.gone}


def accept(file: ProjectFile) -> int:
    """Have the lead accept what is gone; how many annotations that was."""
    with held(file.pulled) as folder:
        return sum(map(len, accept_missing(file, folder).changes.values()))


# The accidents.


def deletes_annotations(studio: StudioForTests, file: ProjectFile) -> None:
    """An annotator chooses *Delete Annotations* for all tasks."""
    number = studio.project(title(file))
    body = {"selectedItems": {"all": True, "excluded": []}, "project": str(number)}
    with studio.signed_in(name(file, "seo")) as browser:
        action = f"/api/dm/actions?id=delete_tasks_annotations&project={number}"
        browser.post(action, json=body).raise_for_status()


def deletes_tasks(studio: StudioForTests, file: ProjectFile) -> None:
    studio.sdk.tasks.delete(str(studio.tasks(title(file))[FOOD]))
    studio.sdk.tasks.delete(str(min(studio.tasks(title(file, "review")).values())))


def deletes_projects(studio: StudioForTests, file: ProjectFile) -> None:
    for stage in ("answer", "review"):
        studio.sdk.projects.delete(studio.project(title(file, stage)))


def deletes_account(studio: StudioForTests, file: ProjectFile) -> None:
    studio.sdk.users.delete(studio.person(name(file, "jun")))
    touch(studio, file)


def removes_members(studio: StudioForTests, file: ProjectFile, people: Sequence[str] = ("mina", "jun")) -> None:
    with httpx.Client(base_url=studio.url, headers={"Authorization": f"Token {studio.token}"}) as lead:
        for person in people:
            number = studio.person(name(file, person))
            lead.delete(f"/api/organizations/1/memberships/{number}/").raise_for_status()
    touch(studio, file)


def touch(studio: StudioForTests, file: ProjectFile) -> None:
    """Have the next pull find news: somebody skips a question and a review."""
    for stage in ("answer", "review"):
        task = next(iter(studio.tasks(title(file, stage)).values()))
        studio.annotate(task, studio.person(name(file, "seo")), skipped=True)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("accident", "gone"),
    [
        (deletes_annotations, {"answer": 4}),
        (deletes_tasks, {"answer": 2, "review": 1}),
        (deletes_projects, {"answer": 4, "review": 2}),
        (deletes_account, {}),
        (removes_members, {}),
    ],
)
def test_nothing_is_lost_by(
    accident: Callable[[StudioForTests, ProjectFile], None],
    gone: dict[str, int],
    label_studio: StudioForTests,
    file: ProjectFile,
):
    before = rows(file)
    accident(label_studio, file)
    for _ in range(3):
        assert told(sync_project(file.path)) == gone
        assert rows(file) == before
    assert events(file)["missing"] == sum(gone.values())


@pytest.mark.nightly
def test_nothing_is_lost_by_a_short_export(
    label_studio: StudioForTests, file: ProjectFile, monkeypatch: pytest.MonkeyPatch
):
    before = rows(file)
    label_studio.annotate(
        label_studio.tasks(title(file))[FOOD], label_studio.person(name(file, "seo")), typed("국")
    )
    with monkeypatch.context() as short, pytest.raises(ServerError, match=r"lacks annotations that it lists"):
        short.setattr(Studio, "export", short_export)
        pull_project(file)
    assert (rows(file), events(file)["missing"]) == (before, 0)
    assert told(pull_project(file)) == {}
    assert len(rows(file)) == len(before) + 1


_export = Studio.export


def short_export(studio: Studio, project: int) -> bytes:
    """An export that is valid JSON, and half a list."""
    tasks = json.loads(_export(studio, project))
    return json.dumps(tasks[: len(tasks) // 2]).encode()


# A server that is set back.


class OwnServer:
    """A server of this test alone, which can be set back to an earlier day."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running = studio_server.start(folder)

    @contextmanager
    def studio(self) -> Iterator[StudioForTests]:
        with connected(self.running) as studio:
            yield studio

    def backup(self, path: Path) -> Path:
        with sqlite3.connect(self.folder / "label_studio.sqlite3") as now, sqlite3.connect(path) as kept:
            now.backup(kept)
        return path

    def set_back(self, path: Path) -> None:
        studio_server.stop(self.running)
        for old in self.folder.glob("label_studio.sqlite3*"):
            old.unlink()
        shutil.copy(path, self.folder / "label_studio.sqlite3")
        self.running = studio_server.start(self.folder, int(self.running.url.rpartition(":")[2]))


@pytest.fixture
def own_server(
    label_studio: StudioForTests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OwnServer]:
    server = OwnServer(tmp_path / "own")
    monkeypatch.setenv(VARIABLE, server.running.token)
    yield server
    studio_server.stop(server.running)


@pytest.mark.nightly
def test_nothing_is_lost_by_a_server_that_is_set_back_to_a_backup(own_server: OwnServer, tmp_path: Path):
    with own_server.studio() as studio:
        file = work(studio, write_project(tmp_path, "back", own_server.running.url, **STAGES))
        kept = own_server.backup(tmp_path / "kept.sqlite3")
        (hers,) = [
            one.id
            for one in studio.sdk.annotations.list(studio.tasks(title(file))[FOOD])
            if one.completed_by == studio.person(name(file, "mina"))
        ]
        with studio.signed_in(name(file, "mina")) as browser:
            browser.patch(f"/api/annotations/{hers}/", json={"result": [typed("쌀밥")]}).raise_for_status()
        studio.annotate(studio.tasks(title(file))[FOOD], studio.person(name(file, "seo")), typed("국"))
        sync_project(file.path)
        before = rows(file)
        own_server.set_back(kept)
    with own_server.studio() as studio:
        for _ in range(2):
            assert told(sync_project(file.path)) == {"answer": 2}
            assert rows(file) == before
        # She says it again, and that is no accident.
        with studio.signed_in(name(file, "mina")) as browser:
            browser.patch(f"/api/annotations/{hers}/", json={"result": [typed("죽")]}).raise_for_status()
        assert told(sync_project(file.path)) == {"answer": 1}
        assert rows(file) == [line.replace("쌀밥", "죽") for line in before]
        assert accept(file) == 1
        assert len(rows(file)) == len(before) - 1


@pytest.mark.landing
def test_a_project_outlives_all_accidents(
    own_server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with own_server.studio() as studio:
        file = work(studio, write_project(tmp_path, "all", own_server.running.url, **STAGES))
        kept, before = own_server.backup(tmp_path / "kept.sqlite3"), rows(file)
        touch(studio, file)
        with monkeypatch.context() as short, pytest.raises(ServerError, match="lacks annotations"):
            short.setattr(Studio, "export", short_export)
            sync_project(file.path)
        for accident, gone in (
            (touch, {}),
            (deletes_account, {}),
            (partial(removes_members, people=["mina"]), {}),
            (deletes_tasks, {"answer": 2, "review": 1}),
            (deletes_annotations, {"answer": 4, "review": 1}),
            (deletes_projects, {"answer": 4, "review": 2}),
        ):
            accident(studio, file)
            found = told(sync_project(file.path))
            # Skipped tasks go as well.
            assert {stage: min(found[stage], number) for stage, number in gone.items()} == gone
            assert rows(file) == before
    own_server.set_back(kept)
    assert told(sync_project(file.path)).keys() <= {"answer", "review"}
    assert rows(file) == before
    with own_server.studio() as studio:
        deletes_projects(studio, file)
        pull_project(file)
        with pytest.raises(InputError, match=r"Let go of them, .* Nobody is there to answer"):
            annotate("sync", file.path, "--accept-missing")
        assert rows(file) == before
        assert accept(file) > 0
        assert rows(file) == []
    # What was accepted counts again once it is there again.
    own_server.set_back(kept)
    sync_project(file.path)
    assert rows(file) == before


# Forgetting, and two leads.


@pytest.mark.nightly
@pytest.mark.parametrize("accident", [lambda *_: None, deletes_account, removes_members])
def test_whoever_is_forgotten_is_nowhere_on_the_server_and_does_not_come_back(
    accident: Callable[[StudioForTests, ProjectFile], None], label_studio: StudioForTests, file: ProjectFile
):
    with label_studio.signed_in(name(file, "jun")) as browser:
        task = label_studio.tasks(title(file))[FOOD]
        draft = {"result": [typed("food jun again")]}
        assert browser.post(f"/api/tasks/{task}/drafts", json=draft).status_code == 201
    assert "food jun" in everything_on(label_studio, file)
    accident(label_studio, file)
    annotate("forget", file.path, who(file, "jun"), "--yes")
    pull_project(file)
    held = "".join(path.read_text() for path in file.base.rglob("*.*l*") if path.name != "project.toml")
    for everything in (held, everything_on(label_studio, file)):
        assert "food jun" not in everything
        assert "food mina" in everything
    assert who(file, "jun") not in held
    # Others' work goes on as if the person had never been there: nothing is told anew.
    again = sync_project(file.path).pull
    assert again is not None
    assert (any(again.changes.values()), again.is_any_gone, dict(again.written)) == (False, False, {})


def everything_on(studio: StudioForTests, file: ProjectFile) -> str:
    """Whatever the server says of the tasks of a project."""
    found = []
    for stage in ("answer", "review"):
        number = studio.project(title(file, stage))
        found += studio.sdk.projects.exports.download_sync(number, download_all_tasks=True)
        for task in studio.sdk.tasks.list(project=number, fields="all"):
            found.append(str(studio.sdk.tasks.get(str(task.id)).model_dump()).encode())
    return b"\n".join(found).decode()


# Corrections and pages that are at work.


@pytest.mark.nightly
def test_a_correction_after_a_sheet_counts_and_the_sheet_stays(label_studio: StudioForTests, file: ProjectFile):
    sheet = file.collected / "reviews" / "ko-KR.own.jsonl"
    groups = [{"answers": [f"food {person}"], "en_answers": ["food"]} for person in ("mina", "jun")]
    review = json.dumps({"template_id": "food-01", "reviewer": "r02", "groups": groups})
    sheet.write_text(f"{review}\n")
    task, mina = label_studio.tasks(title(file))[FOOD], label_studio.person(name(file, "mina"))
    (hers,) = [one.id for one in label_studio.sdk.annotations.list(task) if one.completed_by == mina]
    with label_studio.signed_in(name(file, "mina")) as browser:
        browser.patch(f"/api/annotations/{hers}/", json={"result": [typed("죽")]}).raise_for_status()
    before = rows(file)
    done = sync_project(file.path)
    assert [line.replace("food mina", "죽") for line in before[:4]] == rows(file)[:4]
    assert sheet.read_text() == f"{review}\n"
    lost = "reviews/ko-KR.own.jsonl:1: decides on 'food mina', which nobody answers any more"
    assert any(told.startswith(lost) for told in done.passed_over)


@pytest.mark.nightly
def test_a_page_that_somebody_is_at_during_a_sync_stays_and_counts(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
):
    file = project(label_studio.url, **STAGES)
    push(file.path)
    task = label_studio.tasks(title(file))[FOOD]
    for person in ("mina", "jun"):
        label_studio.annotate(task, label_studio.person(name(file, person)), typed(f"food {person}"))
    sync_project(file.path)
    (page,) = label_studio.tasks(title(file, "review")).values()
    (proposed,) = label_studio.sdk.tasks.get(str(page)).predictions
    with label_studio.signed_in(name(file, "seo")) as browser:
        begun = browser.post(f"/api/tasks/{page}/drafts", json={"result": proposed.result})
        assert begun.status_code == 201
        # Meanwhile the page is outdated by another answer.
        label_studio.annotate(task, label_studio.person(name(file, "han")), typed("국"))
        sync_project(file.path)
        assert page in label_studio.tasks(title(file, "review")).values()
        sent = browser.post(
            f"/api/tasks/{page}/annotations", json={"result": proposed.result, "draft_id": begun.json()["id"]}
        )
        assert sent.status_code == 201
    sync_project(file.path)
    (review,) = [json.loads(line) for line in rows(file) if "reviewer" in line]
    assert sorted(answer for group in review["groups"] for answer in group["answers"]) == [
        "food jun",
        "food mina",
    ]


@pytest.mark.nightly
def test_a_clone_by_git_is_a_second_lead(label_studio: StudioForTests, file: ProjectFile, tmp_path: Path):
    def git(folder: Path, *words: str) -> str:
        author = ("-c", "user.name=lead", "-c", "user.email=lead@example.org")
        return subprocess.run(
            ["git", *author, *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout

    (file.base / ".gitignore").write_text("annotators.key\nclone\n")
    git(file.base, "init", "-b", "main")
    git(file.base, "add", ".")
    git(file.base, "commit", "-m", "begin")
    assert git(file.base, "ls-files", "pulled").split() == [
        "pulled/.gitattributes", "pulled/.gitignore", "pulled/events.jsonl",
    ]  # fmt: skip
    git(file.base, "clone", ".", "clone")
    shutil.copy(file.key_file, file.base / "clone")
    clone = read_project(file.base / "clone" / "project.toml")
    # What was there before it was cloned, and what comes later.
    label_studio.sdk.tasks.delete(str(label_studio.tasks(title(file))[WORK]))
    seo = label_studio.person(name(file, "seo"))
    label_studio.annotate(label_studio.tasks(title(file))[FOOD], seo, typed("국"))
    assert pull_lines(pull_project(clone)) == [
        line.replace(str(file.base), str(clone.base)) for line in pull_lines(pull_project(file))
    ]
    assert rows(clone) == rows(file)
    git(clone.base, "commit", "-am", "by the second lead")
    git(file.base, "commit", "-am", "by the first lead")
    git(file.base, "pull", "--no-rebase", "clone", "main")
    before = rows(file)
    assert len(before) == 7
    assert told(pull_project(file)) == {"answer": 2}
    assert rows(file) == before
