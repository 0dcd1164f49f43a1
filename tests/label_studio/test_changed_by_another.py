"""Everybody on a real server can change everybody's answers: a finding, until the author agrees."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from blend.builders.annotation.check import check_project
from blend.builders.annotation.project import ProjectFile
from blend.builders.annotation.pseudonyms import pseudonym, read_key
from blend.builders.annotation.server.forgetting import forget_person
from blend.builders.annotation.server.pulling import pull_project
from blend.builders.annotation.server.pushing import push_project
from blend.builders.annotation.server.syncing import sync_project
from blend.views.annotation import pull_lines
from helpers.label_studio.annotator_in_browser import annotator
from helpers.label_studio.studio_fixtures import StudioForTests, typed

pytestmark = pytest.mark.integration  # a real Label Studio

THEN = "what it says now counts. events.jsonl holds the versions that were pulled: ask both"
FOOD, WORK = "answer/ko-KR/food-01", "answer/ko-KR/work-01"


class Person:
    """Somebody who is signed in, without a browser."""

    def __init__(self, client: httpx.Client, email: str) -> None:
        self._client = client
        self.email = email
        client.get("/user/signup/")
        form = {"email": email, "password": "only-for-tests-1", "csrfmiddlewaretoken": self._token}
        client.post("/user/signup/", data=form).raise_for_status()
        self.number = int(client.get("/api/current-user/whoami").json()["id"])

    @property
    def _token(self) -> str:
        return str(self._client.cookies["csrftoken"])

    def ask(self, method: str, path: str, **body: Any) -> Any:
        answer = self._client.request(method, path, json=body, headers={"X-CSRFToken": self._token})
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def answers(self, task: int, *results: dict[str, Any]) -> int:
        return int(self.ask("POST", f"/api/tasks/{task}/annotations/", result=list(results))["id"])

    def changes(self, annotation: int, *results: dict[str, Any]) -> None:
        self.ask("PATCH", f"/api/annotations/{annotation}/", result=list(results))


@pytest.fixture
def two(
    label_studio: StudioForTests, project: Callable[..., ProjectFile]
) -> Iterator[tuple[ProjectFile, Person, Person]]:
    """A pushed project, and two people who are signed in."""
    file = project(label_studio.url)
    push_project(check_project(file.path))
    options: Any = {"base_url": label_studio.url, "follow_redirects": True, "timeout": 120}
    options["headers"] = {"Referer": label_studio.url}
    with httpx.Client(**options) as first, httpx.Client(**options) as second:
        name = file.project.name
        yield file, Person(first, f"{name}.a@example.org"), Person(second, f"{name}.b@example.org")


def test_whoever_changes_anothers_answer_is_told_until_its_author_sends_it_again(
    label_studio: StudioForTests, two: tuple[ProjectFile, Person, Person]
):
    file, author, other = two
    title = f"{file.project.name} answer ko-KR"
    tasks = label_studio.tasks(title)
    key = read_key(file.key_file)
    a, b = pseudonym(author.email, key), pseudonym(other.email, key)
    responses = file.collected / "responses" / "ko-KR.jsonl"
    answer = author.answers(tasks[FOOD], typed("밥"))
    pull_project(file)
    author.changes(answer, typed("쌀밥"))  # one's own
    assert pull_lines(pull_project(file)) == [
        f"{title}: 1 annotation (1 edited)",
        f"  edited: annotation {answer} of {a} on {FOOD}",
        f"{responses}: 1 row",
    ]
    other.changes(answer, typed("빵"))
    done = pull_project(file)
    assert pull_lines(done) == [
        f"{title}: 1 annotation (1 edited)",
        f"  edited: annotation {answer} of {a} on {FOOD}, by {b}",
        f"{responses}: 1 row",
        "changed-by-another: 1",
    ]
    expected = [
        (
            "changed-by-another",
            f"task {tasks[FOOD]}, annotation {answer}",
            "ko-KR",
            "food-01",
            f"{a} gave it, and {b} has changed it since; {THEN}",
        )
    ]
    assert done.findings.rows() == expected
    assert sync_project(file.path).pull.findings.rows() == expected
    # It says what the author means: who sends it as it is agrees with it.
    author.changes(answer, typed("빵"))
    assert pull_project(file).findings.is_empty()
    assert pull_project(file).findings.is_empty()


def test_what_was_changed_before_it_was_ever_pulled_is_told_and_what_was_entered_for_somebody_is_not(
    label_studio: StudioForTests, two: tuple[ProjectFile, Person, Person]
):
    file, author, other = two
    tasks = label_studio.tasks(f"{file.project.name} answer ko-KR")
    answer = author.answers(tasks[FOOD], typed("밥"))
    label_studio.annotate(
        tasks[WORK], author.number, typed("18:00")
    )  # entered by the lead, in the author's name
    # What is dated within a second of its making was made that way.
    while (one := label_studio.sdk.annotations.get(answer)).updated_at - one.created_at < timedelta(seconds=2):
        other.changes(answer, typed("빵"))
    found = pull_project(file).findings.filter(kind="changed-by-another")
    assert found["source"].to_list() == [f"task {tasks[FOOD]}, annotation {answer}"]
    # The one who changed it is forgotten: the finding names nobody.
    key = read_key(file.key_file)
    other.answers(tasks[WORK], typed("17:00"))
    pull_project(file)
    forget_person(file, other.email)
    found = pull_project(file).findings.filter(kind="changed-by-another")
    assert found["detail"].to_list() == [
        f"{pseudonym(author.email, key)} gave it, and somebody who is forgotten has changed it since; {THEN}"
    ]
    held = (file.pulled / "events.jsonl").read_text()
    assert pseudonym(other.email, key) not in held


def test_an_answer_that_somebody_else_changes_in_the_browser_is_told(
    label_studio: StudioForTests, two: tuple[ProjectFile, Person, Person], chromium: str
):
    file, author, _ = two
    title = f"{file.project.name} answer ko-KR"
    task = label_studio.tasks(title)[FOOD]
    author.answers(task, typed("밥"))
    sync_project(file.path)
    with annotator(chromium, label_studio.url) as person:
        person.sign_up(f"{file.project.name}.c@example.org")
        person.reopen(label_studio.project(title), task)
        person.update("국")
    found = sync_project(file.path).pull
    assert found.findings["kind"].to_list() == ["changed-by-another"]
    key = read_key(file.key_file)
    (change,) = found.projects[0].changes
    assert (change["annotator"], change["changed_by"]) == (
        pseudonym(author.email, key), pseudonym(f"{file.project.name}.c@example.org", key),
    )  # fmt: skip
