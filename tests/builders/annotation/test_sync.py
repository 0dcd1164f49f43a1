"""Leads and people on a server in memory: what a sync brings, asks and tells, and what becomes of it."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from blend.builders.annotation import pulling, syncing
from blend.builders.annotation.project import ProjectFile, pseudonym, read_key
from blend.builders.annotation.pulling import Pull
from blend.builders.annotation.starting import check_project
from blend.builders.annotation.syncing import forget_person, sync_project
from blend.cli import app
from blend.loaders.label_studio.client import Account, RemoteProject, RemoteTask, Studio
from blend.loaders.label_studio.events import held
from blend.loaders.responses import read_responses
from blend.schemas.errors import BlendError
from helpers.in_process import run
from helpers.label_studio.annotation_projects import QUESTIONS, write_project, write_questions
from helpers.label_studio.exported import write_lines
from helpers.label_studio.studio_fixtures import chosen, ranked, typed
from helpers.messages import wrong

FILES = Path(__file__).with_name("damaged_files.toml")
annotate = partial(run, "annotate")
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
KEPT = "changed or not asked for any more, and kept, since people have worked there"
GONE = "gone from the server, or older there, and still counted"
LEAD = 1
"""The number of the lead's account."""


class FakeStudio(Studio):
    """A server in memory, with a clock that moves on; tests on a real one hold that it answers as this one."""

    def __init__(self) -> None:
        self.where = "Label Studio at http://fake"
        self._numbers, self._minutes = count(1), count(1)
        self.of_accounts = {LEAD: Account("lead@example.org", "2026-01-01")}
        self.of_projects: dict[int, RemoteProject] = {}
        self.of_tasks: dict[int, tuple[int, RemoteTask]] = {}
        self.given: dict[int, list[dict[str, Any]]] = {}
        """Annotations by task."""
        self.typed: dict[int, list[dict[str, Any]]] = {}
        """Drafts by task."""
        self.asked: list[str] = []
        """Requests, by the names of methods."""

    def _moment(self) -> str:
        return (datetime(2026, 11, 20, 10, tzinfo=UTC) + timedelta(minutes=next(self._minutes))).isoformat()

    # What people do.

    def person(self, name: str) -> int:
        """The number of an account, made if it is not there."""
        address = f"{name}@example.org"
        known = {account.address: number for number, account in self.of_accounts.items()}
        if address not in known:
            known[address] = 100 + len(known)
            self.of_accounts[known[address]] = Account(address, self._moment())
        return known[address]

    def task(self, blend_id: str) -> int:
        """The number of a task."""
        return next(number for number, (_, task) in self.of_tasks.items() if task.blend_id == blend_id)

    def annotate(self, blend_id: str, name: str, *results: dict[str, Any]) -> int:
        """Send what somebody did, or change what they have sent."""
        number, who, now = self.task(blend_id), self.person(name), self._moment()
        sent = self.given.setdefault(number, [])
        if who not in [one["completed_by"] for one in sent]:
            one = next(self._numbers)
            made = {"id": one, "unique_id": f"u{one}", "completed_by": who, "created_at": now}
            sent.append(made | {"lead_time": 30.0, "was_cancelled": False})
        (mine,) = (one for one in sent if one["completed_by"] == who)
        mine |= {"result": list(results), "updated_at": now, "updated_by": who}
        self.touch(number, now)
        return int(mine["id"])

    def draft(self, blend_id: str, name: str, *, of: int | None = None) -> None:
        """Type something, perhaps into what was sent, and go away."""
        number = self.task(blend_id)
        self.person(name)
        # Drafts have the address where annotations have the number.
        typed = {"id": next(self._numbers), "user": f"{name}@example.org", "annotation": of, "result": []}
        self.typed.setdefault(number, []).append(typed)
        self.touch(number)

    def touch(self, number: int, now: str = "") -> None:
        """Count anew what a task holds."""
        project, task = self.of_tasks[number]
        given, begun = len(self.given.get(number, ())), bool(self.typed.get(number))
        changed = task._replace(annotations=given, begun=begun, updated=now or task.updated)
        self.of_tasks[number] = project, changed._replace(closed=given >= task.overlap)

    # What the client asks.

    def projects(self) -> list[RemoteProject]:
        self.asked.append("projects")
        return list(self.of_projects.values())

    def create(self, **settings: Any) -> int:
        number, names = next(self._numbers), ("title", "description", "label_config", "maximum_annotations")
        self.of_projects[number] = RemoteProject(number, *(settings[name] for name in names))
        return number

    def update(self, project: int, **settings: Any) -> None:
        self.asked.append("update")
        names = {"label_config": "config", "maximum_annotations": "overlap"}
        changes = {names[name]: value for name, value in settings.items()}
        self.of_projects[project] = self.of_projects[project]._replace(**changes)
        for task in self.tasks(project) if "overlap" in changes else ():
            self.of_tasks[task.id] = project, task._replace(overlap=changes["overlap"])
            self.touch(task.id)

    def delete(self, kind: str, number: int) -> None:
        for task, sent in (self.given if kind == "annotations" else self.typed).items():
            if left := [one for one in sent if one["id"] == number]:
                sent.remove(left[0])
                self.touch(task, self._moment() if kind == "annotations" else "")

    def tasks(self, project: int) -> list[RemoteTask]:
        self.asked.append("tasks")
        return [task for of, task in self.of_tasks.values() if of == project]

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        for task in tasks:
            number, overlap = next(self._numbers), self.of_projects[project].overlap
            made = RemoteTask(number, task["data"], 0, overlap, updated=self._moment())
            self.of_tasks[number] = project, made

    def delete_tasks(self, project: int, tasks: Sequence[int]) -> None:
        for number in tasks:
            del self.of_tasks[number]
            self.given.pop(number, None)

    def ask(self, task: int, overlap: int, *, closed: bool) -> None:
        self.asked.append("ask")
        project, now = self.of_tasks[task]
        self.of_tasks[task] = project, now._replace(overlap=overlap, closed=closed)

    def export(self, project: int) -> list[dict[str, Any]]:
        return [
            {
                "id": number,
                "data": task.data,
                "annotations": [dict(one) for one in self.given.get(number, ())],
                "drafts": [dict(one) for one in self.typed.get(number, ())],
            }
            for number, (of, task) in self.of_tasks.items()
            if of == project
        ]

    def accounts(self) -> dict[int, Account]:
        return dict(self.of_accounts)

    def own_account(self) -> int:
        return LEAD


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeStudio:
    """A server that commands of this test find wherever they look."""
    studio = FakeStudio()

    @contextmanager
    def connected(*_: Any, **__: Any) -> Iterator[FakeStudio]:
        yield studio

    monkeypatch.setattr(pulling, "label_studio", connected)
    return studio


@pytest.fixture
def file(tmp_path: Path, fake: FakeStudio) -> ProjectFile:
    """A project that asks two questions in Korean of two people each, and is on the server."""
    file = write_project(tmp_path, "t", "http://fake", ["ko-KR"], stages='["answer", "review"]', wanted="2")
    sync_project(file.path)
    return file


def who(file: ProjectFile, name: str) -> str:
    return pseudonym(f"{name}@example.org", read_key(file.key_file))


def rows(file: ProjectFile, kind: str = "responses") -> list[dict[str, Any]]:
    path = file.collected / kind / "ko-KR.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def page(fake: FakeStudio, template: str = "food-01") -> str:
    """The newest page of a review."""
    ids = [task.blend_id or "" for _, task in fake.of_tasks.values()]
    return [name for name in ids if name.startswith(f"review/ko-KR/{template}/")][-1]


def review(fake: FakeStudio, name: str, *groups: tuple[str, str], invalid: str = "") -> None:
    """Send the newest review of breakfast: an answer a group, with its English."""
    task = fake.of_tasks[fake.task(page(fake))][1]
    items = {item["title"]: item["id"] for item in task.data["answers"]}
    columns = {f"g{n}": [items[answer]] for n, (answer, _) in enumerate(groups, start=1)}
    columns["invalid"] = [items[invalid]] if invalid else []
    english = [typed(text, control=f"english_{n}") for n, (_, text) in enumerate(groups, start=1)]
    fake.annotate(page(fake), name, ranked(**columns), *english)


@pytest.fixture
def reviewed(file: ProjectFile, fake: FakeStudio) -> ProjectFile:
    """Two people have answered what is eaten for breakfast, and a third has reviewed it."""
    fake.annotate(FOOD, "kim", typed("라면", "김밥"))
    fake.annotate(FOOD, "lee", typed("라면"))
    sync_project(file.path)
    review(fake, "rim", ("라면", "instant noodles"), ("김밥", "gimbap"))
    sync_project(file.path)
    return file


def pull(file: ProjectFile) -> Pull:
    """What a sync has pulled."""
    found = sync_project(file.path).pull
    assert found is not None
    return found


def asked_of(fake: FakeStudio) -> list[tuple[int, bool]]:
    """Of how many both questions are asked, and whether of nobody any more."""
    tasks = [fake.of_tasks[fake.task(name)][1] for name in (FOOD, WORK)]
    return [(task.overlap, task.closed) for task in tasks]


# What comes, and what is asked.


def test_a_first_sync_brings_everything_and_the_same_again_changes_nothing(tmp_path: Path, fake: FakeStudio):
    file = write_project(tmp_path, "t", "http://fake", stages='["answer", "review"]')
    told = annotate("sync", file.path, "--dry-run").splitlines()
    assert told[:2] == ["t answer ko-KR: new, 2 tasks", "t review ko-KR: new, 0 tasks"]
    assert told[-1] == "Nothing was changed; without --dry-run it would be."
    assert not fake.of_projects
    told = annotate("sync", file.path)
    assert re.search(r"\nt answer ko-KR: http://fake/projects/\d+/data\?labeling=1\n", told)
    annotate("sync", file.path)
    fake.asked.clear()
    assert "Everything is there: 4 projects. Nothing was changed." in annotate("sync", file.path)
    # One request for all projects, and one for the tasks of each.
    assert fake.asked == ["projects", *["tasks"] * 4]
    before = dict(fake.of_tasks)
    write_questions(file.collected, {**QUESTIONS, "food-02": ("Food", "What do people in {country} drink?")})
    assert "t answer ko-KR: 1 task added" in annotate("sync", file.path, "--only", "push")
    assert before.items() < fake.of_tasks.items()
    fake.of_projects[99] = next(iter(fake.of_projects.values()))._replace(id=99)
    assert wrong(lambda: sync_project(file.path)) == (
        f"{fake.where}: projects {min(fake.of_projects)} and 99 are both marked as t/answer/ko-KR; remove the "
        "last line from the description of the one that is not to count"
    )


def test_answers_come_as_they_were_typed_with_a_link(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "mina", typed("밥", " 국 "))
    fake.annotate(FOOD, "jun", chosen("other"), typed("안 먹어요", control="reason"))
    number = next(project.id for project in fake.of_projects.values() if "answer" in project.title)
    responses = file.collected / "responses/ko-KR.jsonl"
    assert annotate("sync", file.path, "--only", "pull").splitlines() == [
        f"t answer ko-KR: 2 annotations (2 added); http://fake/projects/{number}/data?labeling=1",
        f"{responses}: 2 rows",
    ]
    assert len(read_responses(file.collected).responses) == 2
    expected = [
        {"template_id": "food-01", "annotator": who(file, "mina"), "answers": ["밥", " 국 "]},
        {"template_id": "food-01", "annotator": who(file, "jun"), "non_answer": "other", "reason": "안 먹어요"},
    ]
    assert rows(file) == sorted(expected, key=lambda row: str(row["annotator"]))
    assert annotate("sync", file.path, "--only", "pull") == "No news: all files are as they were.\n"
    assert "@" not in (file.pulled / "events.jsonl").read_text()


def test_more_is_asked_exactly_where_the_rule_says_so(file: ProjectFile, fake: FakeStudio):
    file.path.write_text(file.path.read_text().replace("wanted = 2", "wanted = 3\nmax_idk = 1"))
    sync_project(file.path)
    for name, idk in (("a", FOOD), ("a", WORK), ("b", WORK)):
        fake.annotate(idk, name, chosen("idk"))
    fake.annotate(FOOD, "b", typed("밥"))

    # One that is given to people still costs no request, however many do not know.
    told = annotate("sync", file.path)
    assert "t answer ko-KR: dropped, since too many do not know: work-01\n" in told
    assert (asked_of(fake), fake.asked.count("ask")) == ([(3, False), (2, True)], 1)
    fake.annotate(FOOD, "c", typed("국"))
    assert "t answer ko-KR: 1 task asked of more people\n" in annotate("sync", file.path)
    assert (asked_of(fake), fake.asked.count("ask")) == ([(4, False), (2, True)], 2)
    fake.annotate(FOOD, "d", typed("국"))
    annotate("sync", file.path)
    assert (asked_of(fake), fake.asked.count("ask")) == ([(4, True), (2, True)], 2)


def test_another_number_of_responses_takes_one_sync(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "a", chosen("idk"))
    for name in ("a", "b"):
        fake.annotate(WORK, name, typed("18:00"))
    sync_project(file.path)
    file.path.write_text(file.path.read_text().replace("wanted = 2", "wanted = 4"))
    fake.asked.clear()
    told = annotate("sync", file.path)
    assert "t answer ko-KR: 4 annotations per task, 1 task asked of more people\n" in told
    assert asked_of(fake) == [(4, False), (4, False)]
    assert (fake.asked.count("update"), fake.asked.count("ask")) == (1, 0)  # all at once
    assert "Everything is there" in annotate("sync", file.path)


def test_what_is_begun_is_told_and_its_page_stays(file: ProjectFile, fake: FakeStudio):
    fake.draft(WORK, "jun")
    other = ("Work life", "When is lunch in {country}?")
    write_questions(file.collected, {**QUESTIONS, "work-01": other})
    before = fake.task(WORK)
    told = annotate("sync", file.path)
    assert f"t answer ko-KR: 1 task {KEPT}: work-01\n" in told
    assert told.endswith(
        f"Begun and not sent: 1 by {who(file, 'jun')}; `blend annotate status` has a reminder for each "
        "person.\n"
    )
    assert fake.task(WORK) == before
    with pytest.raises(SystemExit) as ended:
        app(["annotate", "sync", str(file.path), "--exit-code"])
    assert ended.value.code == 3
    fake.annotate(WORK, "jun", typed("12:00"))
    fake.delete("drafts", fake.typed[before][0]["id"])
    assert "not sent" not in annotate("sync", file.path)


def test_a_question_that_is_dropped_takes_its_answers_along_until_it_is_back(
    reviewed: ProjectFile, fake: FakeStudio
):
    file, everything = reviewed, rows(reviewed)
    write_questions(file.collected, {"work-01": QUESTIONS["work-01"]})
    assert "if it is not asked any more, delete the row, or run" in wrong(lambda: check_project(file.path))
    detail = "which is not asked in ko-KR any more; left out, and kept in the pull folder until it is"
    assert pull(file).findings.filter(kind="not-asked")["detail"].to_list() == [
        f"2 responses of 'food-01', {detail}",
        f"1 review of 'food-01', {detail}",
    ]
    assert rows(file) == []
    assert fake.of_tasks[fake.task(FOOD)][1].closed
    write_questions(file.collected)
    sync_project(file.path)
    assert rows(file) == everything
    assert len(rows(file, "reviews")) == 1


def test_an_answer_that_is_corrected_leaves_its_review(reviewed: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "kim", typed("우동"))
    done = pull(reviewed)
    detail = "the review decides on '김밥', which nobody answers any more; left out of it"
    lost = done.findings.filter(kind="lost-answer").select("source", "template_id", "detail").rows()
    assert lost == [("review of food-01", "food-01", detail)]
    assert [change["event"] for changes in done.changes.values() for change in changes] == ["edited"]
    (left,) = rows(reviewed, "reviews")
    assert left["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]


def test_what_is_gone_counts_until_the_lead_accepts_it_and_is_paid(file: ProjectFile, fake: FakeStudio):
    number = fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    fake.delete("annotations", number)
    project, _ = fake.of_tasks[fake.task(FOOD)]
    by = f"1 by {who(file, 'kim')}, on food-01; see http://fake/projects/{project}/data\n"
    assert f"t answer ko-KR: {GONE}: {by}" in annotate("sync", file.path)
    nobody = "Nobody is there to answer, and nothing was changed; leave out --accept-missing"
    assert wrong(lambda: annotate("sync", file.path, "--accept-missing")).endswith(nobody)
    assert len(rows(file)) == 1
    sync_project(file.path, accept=lambda _: True)
    assert rows(file) == []
    # A name that was seen stays, whatever becomes of the account.
    del fake.of_accounts[fake.person("kim")]
    file.path.write_text("rate = 36\n" + file.path.read_text())
    table = file.base / "pay.csv"
    told = annotate("status", file.path, "--payment", table)
    assert "kim@example.org" in told
    assert " let " in told
    assert pl.read_csv(table).rows() == [(who(file, "kim"), 0, 0.0, 1, 30.0, 36.0, 0.3)]


def test_what_another_account_has_changed_is_told_until_its_author_agrees(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "kim", typed("라면"))
    sync_project(file.path)
    sent = fake.given[fake.task(FOOD)][0]
    fake.annotate(FOOD, "kim", typed("빵"))
    sent["updated_by"] = fake.person("lee")
    ((kind, detail),) = pull(file).findings.select("kind", "detail").rows()
    assert kind == "changed-by-another"
    assert detail.startswith(f"{who(file, 'kim')} gave it, and {who(file, 'lee')} has changed it since; what ")
    fake.annotate(FOOD, "kim", typed("빵"))
    assert pull(file).findings.is_empty()


# Files.


@pytest.mark.parametrize("case", tomllib.loads(FILES.read_text("utf-8"))["cases"])
def test_files_that_are_damaged_or_of_others_stop_a_sync(
    file: ProjectFile, fake: FakeStudio, case: dict[str, str]
):
    fake.annotate(FOOD, "kim", typed("밥"))
    path = file.base / case["file"]
    path.parent.mkdir(exist_ok=True)
    path.write_text(case["content"])
    told = wrong(lambda: sync_project(file.path)).removeprefix(f"{file.path}, key key_file: ")
    assert told == f"{path}{case['told'].replace('FOLDER', str(file.base))}"
    assert path.read_text() == case["content"]


def test_rows_of_ones_own_stay_beside_pulled_ones(file: ProjectFile, fake: FakeStudio):
    fake.annotate(FOOD, "kim", typed("밥"))
    row = {"template_id": "food-01", "annotator": "a01", "answers": ["국"]}
    write_lines(file.collected / "responses/ko-KR.own.jsonl", [row])
    with (
        held(file.pulled),
        pytest.raises(BlendError, match="another `blend annotate` is at work with"),
    ):
        sync_project(file.path)
    sync_project(file.path)
    answers = read_responses(file.collected, collecting=True).responses["answers"].to_list()
    assert sorted(answers) == [["국"], ["밥"]]


@pytest.mark.parametrize("is_pulled", [False, True])
def test_a_sync_is_content_with_reviews_accepted_from_a_sheet(
    file: ProjectFile, fake: FakeStudio, monkeypatch: pytest.MonkeyPatch, is_pulled: bool
):
    monkeypatch.chdir(file.base)
    of_responses = '[[sources]]\nkind = "responses"\nlocation = "collected"\n'
    Path("recipe.toml").write_text(f'name = "x"\nversion = "0.1.0"\nlicense = "cc-by-4.0"\n{of_responses}')
    fake.annotate(FOOD, "kim", typed("라면", "김밥"))
    fake.annotate(FOOD, "lee", typed("라면"))
    sync_project(file.path)
    if is_pulled:
        review(fake, "rim", ("라면", "instant noodles"), ("김밥", "gimbap"))
        sync_project(file.path)

    def accept(sheet: str, *more: str) -> None:
        before = rows(file, "reviews")
        run("reviews", "propose", "recipe.toml", "--all", "--out", sheet)
        run("reviews", "accept", sheet, "--out", "collected/reviews", *more)
        sync_project(file.path)
        assert rows(file, "reviews") == before

    accept("first.csv", "--reviewer", "r1")
    assert len(rows(file, "reviews")) == is_pulled
    # An answer goes on which both decide.
    forget_person(file, who(file, "kim"))
    own = (file.collected / "reviews/ko-KR.own.jsonl").read_bytes()
    lost = "reviews/ko-KR.own.jsonl:1: decides on '김밥', which nobody answers any more"
    assert any(told.startswith(lost) for told in sync_project(file.path).passed_over)
    assert (file.collected / "reviews/ko-KR.own.jsonl").read_bytes() == own
    assert wrong(lambda: read_responses(file.collected)).startswith("reviews/ko-KR.own.jsonl:1")
    accept("second.csv", "--reviewer", "r2", "--update")
    assert read_responses(file.collected).reviews["reviewer"].to_list() == ["r2"]


def test_tasks_and_pages_are_written_for_another_server(reviewed: ProjectFile, tmp_path: Path):
    out = tmp_path / "tasks"
    assert annotate("sync", reviewed.path, "--to", out).splitlines() == [
        *(f"{out}/{stage}.ko-KR.{kind}" for stage in ("answer", "review") for kind in ("json", "xml")),
        "Make a project for each: its labelling configuration is the .xml, its tasks are the .json.",
    ]
    tasks = json.loads((out / "answer.ko-KR.json").read_text("utf-8"))
    assert [task["data"]["blend_id"] for task in tasks] == [FOOD, WORK]
    assert wrong(lambda: annotate("sync", reviewed.path, "--to", out, "--dry-run")).startswith("--to asks no")


# Status.


def test_status_says_who_did_what_and_whom_to_remind(reviewed: ProjectFile, fake: FakeStudio):
    file, number = reviewed, fake.of_tasks[fake.task(FOOD)][0]
    fake.draft(WORK, "lee")
    fake.draft(FOOD, "lee", of=fake.annotate(FOOD, "lee", typed("라면")))
    fake.annotate(WORK, "kim", typed("   "))
    fake.person("seo")
    pages, table = file.base / "status.html", file.base / "pay.csv"
    file.path.write_text("rate = 12\n" + file.path.read_text())
    told = annotate("status", file.path, "--html", pages, "--payment", table)
    link, kim = f"http://fake/projects/{number}/data", who(file, "kim")
    assert f"t answer ko-KR: {link}?labeling=1\n" in told
    assert "kim@example.org" in told
    assert "lead@example.org" not in told
    food, page = (f"task={fake.task(task)}" for task in (FOOD, WORK))
    begun = "1 question waits for you, and you have not begun"
    reminders = [
        ("kim", "blank or far too long, open the tab with your name above the question, and change it", page),
        ("lee", "changed and not sent, open the tab with your name above the question, press Update", food),
        ("lee", "begun and not sent, press Submit", page),
        ("lee", "1 question waits for you", "labeling=1"),
        ("rim", "1 question waits for you", "labeling=1"),
        ("seo", begun, "labeling=1"),
    ]
    assert told.partition("Reminders, to be sent by you:\n")[2].splitlines() == [
        f"  {name}@example.org: {what}: {link}?{where}"
        for name, what, where in sorted(reminders, key=lambda row: who(file, row[0]))
    ]
    # Names stand on the screen alone, and nothing finer than a day leaves the pull folder.
    text = pages.read_text("utf-8")
    assert kim in text
    assert f'<a href="{link}?{page}">open</a>' in text
    assert f'<a href="{link}?labeling=1">' in text
    assert "example.org" not in text + table.read_text() + annotate("status", file.path, "--json")
    assert "10:0" not in text
    paid = {row["person"]: row for row in pl.read_csv(table).to_dicts()}
    figures = {"counted": 1, "seconds": 30.0, "let_go": 0, "seconds_let_go": 0.0, "rate": 12.0, "pay": 0.1}
    assert paid[kim] == {"person": kim, **figures}
    found = json.loads(annotate("status", file.path, "--offline", "--json"))
    (korean,) = found["locales"]
    counts = ("questions", "complete", "open", "valid", "needed", "reviewed", "to_review")
    assert [korean[name] for name in counts] == [2, 1, 1, 2, 2, 1, 0]
    assert {row["annotator"] for row in found["reminders"]} == {kim, who(file, "lee")}
    # Those whom the project file names are reminded, and nobody else.
    named = 'locale = "ko-KR"\nannotators = ["han@example.org", "kim@example.org"]'
    file.path.write_text(file.path.read_text().replace('locale = "ko-KR"', named))
    told = annotate("status", file.path)
    assert "  han@example.org: 2 questions wait for you, and you have not begun: " in told
    assert "  seo@" not in told
    assert "unknown-annotator" in annotate("sync", file.path)


def named(file: ProjectFile, **people: str) -> None:
    """Name people of the locale in the project file."""
    lists = "".join(f'{key} = ["{who}@example.org"]\n' for key, who in people.items())
    text = file.path.read_text().replace('locale = "ko-KR"\n', f'locale = "ko-KR"\n{lists}')
    file.path.write_text(text.replace("wanted = 2", "wanted = 1"))


def test_status_says_where_nobody_is_left_to_ask(file: ProjectFile, fake: FakeStudio):
    named(file, annotators="kim")
    fake.annotate(FOOD, "kim", typed("라면"))
    assert "all who are named" not in annotate("status", file.path)
    fake.annotate(WORK, "kim", chosen("idk"))
    told = annotate("status", file.path)
    assert (
        "ko-KR: all who are named have answered or skipped work-01; name more people in annotators.\n" in told
    )


def test_a_page_with_new_answers_waits_for_its_reviewer(reviewed: ProjectFile, fake: FakeStudio):
    named(reviewed, reviewers="rim")
    assert "for a review" not in annotate("status", reviewed.path)
    fake.annotate(FOOD, "seo", typed("죽"))
    annotate("sync", reviewed.path)
    reminder = "  rim@example.org: 1 question waits for a review: http://fake/"
    assert reminder in annotate("status", reviewed.path)
    (korean,) = json.loads(annotate("status", reviewed.path, "--offline", "--json"))["locales"]
    assert (korean["reviewed"], korean["to_review"]) == (0, 1)


RECIPE = 'name = "t"\nversion = "1.0.0"\n[saq]\nwanted = 2\n[[sources]]\nkind = "responses"\nlocation = "."\n'


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        (".", "the recipe has answers of enough regions (4 of 4 questions cannot become "),
        ("gone", "a build takes what people gave ("),
    ],
)
def test_options_wait_for_what_makes_questions(
    reviewed: ProjectFile, fake: FakeStudio, location: str, reason: str
):
    (reviewed.collected / "recipe.toml").write_text(RECIPE.replace('"."', f'"{location}"'))
    text = reviewed.path.read_text().replace('"review"', '"review", "mcq-review"')
    reviewed.path.write_text('recipe = "collected/recipe.toml"\n' + text)
    told = annotate("sync", reviewed.path)
    (waits,) = (line for line in told.splitlines() if line.startswith("t mcq-review ko-KR: gets"))
    assert waits.startswith(f"t mcq-review ko-KR: gets its tasks once {reason}")
    assert waits.endswith("), by `blend annotate sync`")


def test_a_sync_says_which_verdicts_the_recipe_does_not_name(file: ProjectFile, fake: FakeStudio):
    (file.collected / "recipe.toml").write_text(RECIPE)
    file.path.write_text('recipe = "collected/recipe.toml"\n' + file.path.read_text())
    verdicts = file.base / "decided" / "verdicts.jsonl"
    assert "Note: builds" not in annotate("sync", file.path)
    verdicts.parent.mkdir()
    verdicts.write_text("{}\n")
    assert annotate("sync", file.path).endswith(
        f"Note: builds do not read {verdicts}, since {file.collected / 'recipe.toml'} names no verdicts; write "
        'verdicts = "../decided/verdicts.jsonl" below [mcq].\n'
    )


# Being forgotten.


def assert_nowhere(file: ProjectFile, annotator: str) -> None:
    """Nothing tells of Kim, nor of what only Kim answered, and what a reviewer wrote for it."""
    for path in [*file.pulled.rglob("*"), *file.collected.rglob("*")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            for trace in ("kim@", annotator, "김밥", json.dumps("김밥").strip('"'), "gimbap"):
                assert trace not in text, path


def test_who_is_forgotten_is_nowhere_and_does_not_come_back(reviewed: ProjectFile, fake: FakeStudio):
    file, kim = reviewed, who(reviewed, "kim")
    fake.draft(WORK, "kim")
    old = json.loads(json.dumps(fake.given))
    assert wrong(lambda: annotate("forget", file.path, "kim@example.org")) == (
        "Delete everything that kim@example.org did in t, here and on http://fake, also from the table of "
        "payment? Nobody is there to answer, and nothing was changed; say --yes"
    )
    account, projects = fake.person("kim"), sorted(fake.of_projects)
    copies = " ".join(f"export/project-{number}-at-* media/export/{number}/" for number in projects)
    kept = f"exports and copies of {file.pulled} that you kept elsewhere, old versions of its events in git"
    assert annotate("forget", file.path, "kim@example.org", "--yes").splitlines() == [
        f"{kim}: 1 line of the events removed from {file.pulled}; they will not come back.",
        "On http://fake: 1 annotation and 1 draft deleted, and 1 page of reviews that showed their answers.",
        f"{file.collected}/responses/ko-KR.jsonl: 1 row now",
        f"{file.collected}/reviews/ko-KR.jsonl: 1 row now",
        "Left to do by hand:",
        f"  delete account {account} on the server, unless the person works in another project there",
        f"  delete the copies of exports in the data folder of the server: {copies}",
        f"  delete {kept}, and status pages",
        "  publish a new version of releases that hold what they answered (docs/publishing.md)",
    ]
    assert_nowhere(file, kim)
    (left,) = rows(file, "reviews")
    assert left["groups"] == [{"answers": ["라면"], "en_answers": ["instant noodles"]}]
    # A server that was set back to a backup brings nothing back, nor does another order to forget.
    fake.given[fake.task(FOOD)] = old[str(fake.task(FOOD))]
    fake.touch(fake.task(FOOD), "later")
    sync_project(file.path)
    assert_nowhere(file, kim)
    forget_person(file, kim)
    assert_nowhere(file, kim)
    # The page of the review comes anew with what was decided, once there are answers enough.
    fake.annotate(FOOD, "seo", typed("라면"))
    sync_project(file.path)
    assert fake.of_tasks[fake.task(page(fake))][1].data["answers"][0]["title"] == "라면"
    read_responses(file.collected)


def test_forgetting_that_is_stopped_anywhere_goes_on(reviewed: ProjectFile, monkeypatch: pytest.MonkeyPatch):
    kim, own = who(reviewed, "kim"), reviewed.collected / "reviews/ko-KR.own.jsonl"
    own.write_text(json.dumps(rows(reviewed, "reviews")[0] | {"reviewer": "r02"}) + "\n")

    def interrupted(*_arguments: object, **_named: object) -> None:
        raise KeyboardInterrupt

    for step in ("remember", "rewritten", "_erase", "_clear_reviews"):
        with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
            stopped.setattr(syncing, step, interrupted)
            forget_person(reviewed, kim)
        # Nor does a pull in between bring anything back.
        sync_project(reviewed.path, only="pull")
    # What people wrote as files themselves is theirs to change.
    done = forget_person(reviewed, kim)
    theirs = f"remove answers that were theirs alone from {own}, and sheets of `blend reviews propose`"
    assert theirs in done.by_hand
    own.unlink()
    assert_nowhere(reviewed, kim)


def test_whoever_did_nothing_cannot_be_forgotten(reviewed: ProjectFile):
    assert wrong(lambda: forget_person(reviewed, "p-000000000000")) == (
        "p-000000000000 has done nothing in this project, as far as it was pulled; `blend annotate status` "
        "lists who has"
    )


def test_what_others_have_begun_or_the_person_has_typed_over_is_left_to_do(
    reviewed: ProjectFile, fake: FakeStudio
):
    lees = fake.annotate(FOOD, "lee", typed("라면", "죽"))
    next(one for one in fake.given[fake.task(FOOD)] if one["id"] == lees)["updated_by"] = fake.person("kim")
    fake.draft(page(fake), "seo")
    number = fake.task(page(fake))
    told = annotate("forget", reviewed.path, "kim@example.org", "--yes")
    project = fake.of_tasks[number][0]
    assert f"  look at http://fake/projects/{project}/data?task={number}: a reviewer has begun it" in told
    assert f"  have annotation {lees} of {who(reviewed, 'lee')} on {FOOD} sent again by its author" in told
    assert_nowhere(reviewed, who(reviewed, "kim"))
