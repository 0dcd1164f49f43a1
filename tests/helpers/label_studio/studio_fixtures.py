"""What the tests of annotation share: a Label Studio for each process that runs them."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.label_studio import studio_server
from helpers.label_studio.studio_server import ENVIRONMENT, Running

if TYPE_CHECKING:
    import httpx
    from label_studio_sdk import LabelStudio

    from blend.builders.annotation.project import ProjectFile

VARIABLE = "LABEL_STUDIO_API_KEY"


@dataclass
class StudioForTests:
    """A running server, and what tests ask of it besides what the package does."""

    url: str
    token: str
    sdk: "LabelStudio"
    """The server's own client."""

    def person(self, name: str) -> int:
        """The number of an account of that name, made if it is not there."""
        email = f"{name}@example.org"
        if email not in self._people():
            with self.signed_in(name):
                pass
        return self._people()[email]

    @contextmanager
    def signed_in(self, name: str) -> Iterator["httpx.Client"]:
        """A connection with which a person's browser asks, their account made if it is not there.

        By the page, as nobody can sign in to an account that was made by the server's interface.
        """
        import httpx

        form = {"email": f"{name}@example.org", "password": "only-for-tests-1"}
        page = "/user/login/" if form["email"] in self._people() else "/user/signup/"
        with httpx.Client(base_url=self.url, timeout=120) as browser:
            browser.get(page)
            token = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            assert browser.post(page, data={**form, **token}).status_code == 302
            browser.headers["X-CSRFToken"] = browser.cookies["csrftoken"]
            yield browser

    def _people(self) -> dict[str, int]:
        """Numbers of accounts by address."""
        return {user.email: user.id for user in self.sdk.users.list()}

    def project(self, title: str) -> int:
        """The number of the one project of that title."""
        (found,) = [p.id for p in self.sdk.projects.list(page_size=1000) if p.title == title]
        return int(found)

    def tasks(self, title: str) -> dict[str, int]:
        """Numbers of the tasks of a project by their ids of ours; fails if one is there twice."""
        listed = list(self.sdk.tasks.list(project=self.project(title), page_size=5000, fields="task_only"))
        numbers = {task.data["blend_id"]: task.id for task in listed}
        assert len(numbers) == len(listed), "a task is there twice"
        return numbers

    def annotate(self, task: int, person: int, *results: dict[str, Any], skipped: bool = False) -> int:
        """Enter an annotation as somebody; returns its number."""
        made = self.sdk.annotations.create(
            task, completed_by=person, result=list(results), was_cancelled=skipped, lead_time=12.5
        )
        return int(made.id)


def typed(*texts: str, control: str = "answers") -> dict[str, Any]:
    """The result of typing texts."""
    return {"from_name": control, "to_name": "question", "type": "textarea", "value": {"text": list(texts)}}


def chosen(option: str, control: str = "non_answer") -> dict[str, Any]:
    """The result of choosing an option."""
    return {"from_name": control, "to_name": "question", "type": "choices", "value": {"choices": [option]}}


def ticked(control: str, *options: str) -> dict[str, Any]:
    """The result of ticking options of several."""
    return {**chosen("", control), "value": {"choices": list(options)}}


def ranked(**columns: list[str]) -> dict[str, Any]:
    """The result of dragging answers into columns."""
    return {"from_name": "groups", "to_name": "answers", "type": "ranker", "value": {"ranker": columns}}


@pytest.fixture(scope="session")
def _studio(tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]) -> Running:
    if find_spec("label_studio_sdk") is None:
        missing("the package label-studio-sdk")
    if not (ENVIRONMENT / "installed").exists():
        missing("Label Studio's server (make .venv-label-studio/installed)")
    return studio_server.start_for(os.getpid(), tmp_path_factory.getbasetemp() / "label-studio")


@contextmanager
def connected(running: Running) -> Iterator[StudioForTests]:
    """What tests ask of a server that runs."""
    import httpx
    from label_studio_sdk import LabelStudio

    with httpx.Client(timeout=120) as client:
        sdk = LabelStudio(base_url=running.url, api_key=running.token, httpx_client=client, max_retries=0)
        yield StudioForTests(running.url, running.token, sdk)


@pytest.fixture
def label_studio(_studio: Running, monkeypatch: pytest.MonkeyPatch) -> Iterator[StudioForTests]:
    """The server, with what other tests made on it; its token is in the environment."""
    monkeypatch.setenv(VARIABLE, _studio.token)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with connected(_studio) as studio:
        yield studio


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., "ProjectFile"]:
    """Makes a project of two questions in Korean and Persian, with a name of its own on the server."""
    from helpers.label_studio.annotation_projects import write_project

    name = f"t{secrets.token_hex(5)}"
    return lambda url, **settings: write_project(tmp_path, name, url, **settings)
