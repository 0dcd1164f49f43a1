"""A server in memory, and what people do there; tests on a real one hold that it answers as this one."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

from blend.builders.annotation.project import ProjectFile, pseudonym, read_key
from blend.loaders.label_studio.client import Account, RemoteProject, RemoteTask, Studio
from helpers.in_process import run
from helpers.label_studio.studio_fixtures import ranked, typed

annotate = partial(run, "annotate")
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"
LEAD = 1
"""The number of the lead's account."""


class FakeStudio(Studio):
    """Projects, tasks, accounts and what people send, with a clock that moves on at every change."""

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


def who(file: ProjectFile, name: str) -> str:
    return pseudonym(f"{name}@example.org", read_key(file.key_file))


def rows(file: ProjectFile, kind: str = "responses") -> list[dict[str, Any]]:
    path = file.collected / kind / "ko-KR.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def page(fake: FakeStudio, stage: str = "review") -> str:
    """The newest page about breakfast of a stage whose pages are made anew."""
    ids = [task.blend_id or "" for _, task in fake.of_tasks.values()]
    return [name for name in ids if name.startswith(f"{stage}/ko-KR/food-01/")][-1]


def review(fake: FakeStudio, name: str, *groups: tuple[str, str], invalid: str = "") -> None:
    """Send the newest review of breakfast: an answer a group, with its English."""
    task = fake.of_tasks[fake.task(page(fake))][1]
    items = {item["title"]: item["id"] for item in task.data["answers"]}
    columns = {f"g{n}": [items[answer]] for n, (answer, _) in enumerate(groups, start=1)}
    columns["invalid"] = [items[invalid]] if invalid else []
    english = [typed(text, control=f"english_{n}") for n, (_, text) in enumerate(groups, start=1)]
    fake.annotate(page(fake), name, ranked(**columns), *english)
