"""A server in memory, for tests of what leads do; tests on a real one hold that it answers as this one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from blend.builders.annotation import pulling
from blend.loaders.label_studio.client import RemoteProject, RemoteTask, Studio

LEAD = 1


class FakeStudio(Studio):
    """Projects, tasks, accounts and what people send, with a clock that moves on at every change."""

    def __init__(self) -> None:
        self.where = "Label Studio at http://fake"
        self._now = datetime(2026, 11, 20, 10, tzinfo=UTC)
        self._numbers = 0
        self.of_accounts: dict[int, tuple[str | None, str]] = {LEAD: ("lead@example.org", "2026-01-01")}
        self.of_projects: dict[int, RemoteProject] = {}
        self.of_tasks: dict[int, tuple[int, RemoteTask]] = {}
        self.given: dict[int, list[dict[str, Any]]] = {}
        """Annotations by task."""
        self.typed: dict[int, list[dict[str, Any]]] = {}
        """Drafts by task."""
        self.asked: list[str] = []
        """Requests, by the names of methods."""

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _moment(self) -> str:
        self._now += timedelta(minutes=1)
        return self._now.isoformat()

    # What people do.

    def person(self, name: str) -> int:
        """The number of an account, made if it is not there."""
        address = f"{name}@example.org"
        found = next((number for number, one in self.of_accounts.items() if one[0] == address), None)
        if found is None:
            found = 100 + len(self.of_accounts)
            self.of_accounts[found] = (address, self._moment())
        return found

    def task(self, blend_id: str) -> int:
        """The number of a task."""
        return next(number for number, (_, task) in self.of_tasks.items() if task.blend_id == blend_id)

    def annotate(self, blend_id: str, name: str, *results: dict[str, Any], skipped: bool = False) -> int:
        """Send what somebody did, or change what they have sent."""
        number, who, now = self.task(blend_id), self.person(name), self._moment()
        sent = self.given.setdefault(number, [])
        mine = next((one for one in sent if one["completed_by"] == who), None)
        if mine is not None:
            mine |= {"result": list(results), "updated_at": now, "updated_by": who}
        else:
            by = {"completed_by": who, "updated_by": who, "created_at": now, "updated_at": now}
            more = {"lead_time": 30.0, "was_cancelled": skipped, "result": list(results)}
            one = self._number()
            mine = {"id": one, "unique_id": f"u{one}", **by, **more}
            sent.append(mine)
        self._touch(number, now)
        return int(mine["id"])

    def draft(self, blend_id: str, name: str, *, of: int | None = None) -> None:
        """Type something, perhaps into what was sent, and go away."""
        number = self.task(blend_id)
        self.typed.setdefault(number, []).append(
            {"id": self._number(), "user": self.person(name), "annotation": of, "result": []}
        )
        self._touch(number)

    def _touch(self, number: int, now: str = "") -> None:
        project, task = self.of_tasks[number]
        given = len(self.given.get(number, ()))
        begun = bool(self.typed.get(number))
        changed = replace(task, annotations=given, begun=begun, updated=now or task.updated)
        people = sum(not one["was_cancelled"] for one in self.given.get(number, ()))
        self.of_tasks[number] = project, replace(changed, closed=people >= task.overlap)

    # What the client asks.

    def projects(self) -> list[RemoteProject]:
        self.asked.append("projects")
        return list(self.of_projects.values())

    def create(self, **settings: Any) -> int:
        number = self._number()
        title, description, config = (settings[name] for name in ("title", "description", "label_config"))
        self.of_projects[number] = RemoteProject(
            number, title, description, config, settings["maximum_annotations"]
        )
        return number

    def update(self, project: int, **settings: Any) -> None:
        self.asked.append("update")
        names = {"label_config": "config", "maximum_annotations": "overlap"}
        changes = {names[name]: value for name, value in settings.items()}
        self.of_projects[project] = replace(self.of_projects[project], **changes)
        for number, (of, task) in self.of_tasks.items():
            if of == project and "overlap" in changes:
                self.of_tasks[number] = of, replace(task, overlap=changes["overlap"])
                self._touch(number)

    def delete(self, kind: str, number: int) -> None:
        if kind == "projects":
            self.delete_tasks(number, [task for task, (of, _) in self.of_tasks.items() if of == number])
            del self.of_projects[number]
        for kept in self.given if kind == "annotations" else self.typed:
            held = self.given if kind == "annotations" else self.typed
            if left := [one for one in held[kept] if one["id"] != number]:
                pass
            if len(left) < len(held[kept]):
                held[kept] = left
                self._touch(kept, self._moment())

    def tasks(self, project: int) -> list[RemoteTask]:
        self.asked.append("tasks")
        return [task for of, task in self.of_tasks.values() if of == project]

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        for task in tasks:
            number, overlap = self._number(), self.of_projects[project].overlap
            made = RemoteTask(number, task["data"], 0, overlap, updated=self._moment())
            self.of_tasks[number] = project, made

    def delete_tasks(self, project: int, tasks: Sequence[int]) -> None:
        for number in tasks:
            del self.of_tasks[number]
            self.given.pop(number, None)

    def ask(self, task: int, overlap: int, *, closed: bool) -> None:
        self.asked.append("ask")
        project, now = self.of_tasks[task]
        self.of_tasks[task] = project, replace(now, overlap=overlap, closed=closed)

    def export(self, project: int) -> bytes:
        self.asked.append("export")
        tasks = [
            {"id": number, "data": dict(task.data), "annotations": given, "drafts": self.typed.get(number, [])}
            for number, (of, task) in self.of_tasks.items()
            for given in [self.given.get(number, [])]
            if of == project
        ]
        return json.dumps(tasks).encode()

    def accounts(self) -> dict[int, tuple[str | None, str]]:
        self.asked.append("accounts")
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
