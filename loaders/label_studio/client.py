"""The client: what is asked of a Label Studio server, through its own SDK, in few and large requests."""

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blend.loaders.files.atomic import atomic_file
from blend.loaders.label_studio.studio_errors import GoneError, another_program, no_token, translate_errors
from blend.loaders.servers.server_errors import public_address
from blend.schemas.base.addresses import is_on_this_machine, is_same_origin, is_server_address
from blend.schemas.errors import ConflictError, InputError, MissingExtraError, ServerError

if TYPE_CHECKING:
    from label_studio_sdk import LabelStudio

NEEDED_VERSION = (1, 23)
"""The oldest server that the tests have driven; older ones differ in tokens and exports."""

ADDRESS_VARIABLE = "LABEL_STUDIO_URL"
"""Environment variable by which a user allows that the token goes to another machine."""

TIMEOUT_S = 120.0
"""Seconds without an answer after which a request is given up."""

_TASKS_AT_A_TIME = 1_000
_TASKS_PER_PAGE = 5_000
_LISTINGS = 3
_PAUSE_S = 1.0
_PROJECT_FIELDS = "id,title,description,label_config,maximum_annotations"
# Of every task: the server looks for drafts only where a filter asks for them.
_WITH_DRAFTS = json.dumps(
    {
        "filters": {
            "conjunction": "or",
            "items": [
                {"filter": "filter:tasks:draft_exists", "operator": "equal", "type": "Boolean", "value": either}
                for either in (True, False)
            ],
        }
    }
)
_NUMBERS = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class RemoteProject:
    """A project on the server."""

    id: int
    title: str
    description: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, where a task has no number of its own."""


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task on the server."""

    id: int
    data: Mapping[str, Any]
    annotations: int
    """Annotations, skipped ones included."""
    overlap: int
    """Annotations after which the task is given to nobody any more."""
    closed: bool = False
    """Whether it is given to nobody any more."""
    updated: str = ""
    """When it, or an annotation of it, was last made, changed or deleted."""
    begun: bool = False
    """Whether it has a draft: what somebody has begun and not sent in."""

    @property
    def blend_id(self) -> str | None:
        """The id by which the task is known again; null for a task that somebody else made."""
        value = self.data.get("blend_id")
        return value if isinstance(value, str) else None

    @property
    def touched(self) -> bool:
        """Whether it holds anybody's work, so that it may not be removed or shown anew."""
        return self.annotations > 0 or self.begun


class Studio:
    """A server, asked by means of its SDK; errors are messages that say what to do.

    Args:
        sdk: The client of the SDK.
        where: What messages call the server.
        variable: Environment variable of the token, as messages name it.
    """

    def __init__(self, sdk: "LabelStudio", *, where: str, variable: str) -> None:
        self._sdk = sdk
        self.where = where
        self._variable = variable

    def check(self) -> None:
        """Ask whether it is a Label Studio that is new enough and takes the token.

        Raises:
            ServerError: If not.
        """
        try:
            with self._translate_errors():
                release = str(self._sdk.versions.get().release)
        except GoneError:
            raise another_program(self.where) from None
        numbers = _NUMBERS.match(release)
        if numbers is None:
            raise ServerError(
                f"{self.where}: does not say its version, so it is not a Label Studio; correct key server.url "
                "of the project file"
            )
        if (int(numbers[1]), int(numbers[2])) < NEEDED_VERSION:
            raise ServerError(
                f"{self.where}: is version {release}, and {'.'.join(map(str, NEEDED_VERSION))} or later is "
                "needed; update it with `pip install --upgrade label-studio`"
            )
        with self._translate_errors():
            self._sdk.users.whoami()

    def projects(self) -> list[RemoteProject]:
        """All projects that the account sees, by number."""
        listed: list[Any] = []
        with self._translate_errors():
            for page in range(1, 1_000_000):
                answer = self._sdk.projects.list(include=_PROJECT_FIELDS, page=page, page_size=1_000)
                listed += answer.items or []
                # Counted here: the SDK asks for a page after the last.
                if not answer.items or len(listed) >= answer.response.count:
                    break
            found = [
                RemoteProject(
                    id=project.id,
                    title=project.title or "",
                    description=project.description or "",
                    config=project.label_config or "",
                    overlap=project.maximum_annotations or 1,
                )
                for project in listed
            ]
        return sorted(found, key=lambda project: project.id)

    def create(self, **settings: Any) -> int:
        """Make a project; returns its number."""
        with self._translate_errors():
            return int(self._sdk.projects.create(**settings).id)

    def update(self, project: int, **settings: Any) -> None:
        """Change settings of a project."""
        with self._translate_errors():
            self._sdk.projects.update(project, **settings)

    def delete(self, project: int) -> None:
        """Delete a project."""
        with self._translate_errors():
            self._sdk.projects.delete(project)

    def tasks(self, project: int) -> list[RemoteTask]:
        """The tasks of a project, by number, without their annotations.

        Listed again if they change meanwhile: another push may be removing the project.

        Raises:
            ConflictError: If the project is gone, or changes whenever it is listed.
        """
        for _ in range(_LISTINGS):
            listed: list[RemoteTask] = []
            for page in range(1, 1_000_000):
                found, total = self._page_of_tasks(project, page)
                listed += found
                # Counted here: the SDK takes an error of the server for the end of the list.
                if len(listed) >= total:
                    return sorted(listed, key=lambda task: task.id)
                if not found:
                    break
            time.sleep(_PAUSE_S)
        raise ConflictError(
            f"{self.where}: the tasks of project {project} change while they are listed; run the command again"
        )

    def _page_of_tasks(self, project: int, page: int) -> tuple[list[RemoteTask], int]:
        """Tasks of one page, and how many tasks there are on all of them."""
        with self._translate_errors():
            listed = self._sdk.tasks.list(
                project=project,
                include="id,data,overlap,is_labeled,total_annotations,cancelled_annotations,updated_at,draft_exists",
                fields="task_only",
                query=_WITH_DRAFTS,
                page=page,
                page_size=_TASKS_PER_PAGE,
                # While it removes a project, a server answers 500 or half a list, and only then 404.
                request_options={"max_retries": _LISTINGS - 1},
            )
            found = [
                RemoteTask(
                    id=task.id,
                    data=dict(task.data or {}),
                    # The server counts skipped ones apart.
                    annotations=(task.total_annotations or 0) + (task.cancelled_annotations or 0),
                    overlap=task.overlap or 0,
                    closed=bool(task.is_labeled),
                    updated=task.updated_at.isoformat() if task.updated_at is not None else "",
                    begun=bool(task.draft_exists),
                )
                for task in listed.items or []
            ]
            return found, int(listed.response.total)

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Add tasks, in bulk. Never repeated by itself: a lost acknowledgement would double them."""
        for first in range(0, len(tasks), _TASKS_AT_A_TIME):
            with self._translate_errors():
                self._sdk.projects.import_tasks(project, request=list(tasks[first : first + _TASKS_AT_A_TIME]))

    def delete_tasks(self, project: int, tasks: Sequence[int]) -> None:
        """Delete tasks in bulk."""
        if tasks:
            with self._translate_errors():
                self._sdk.actions.create(
                    id="delete_tasks",
                    project=project,
                    selected_items={"all": False, "included": list(tasks)},
                    filters={"conjunction": "and", "items": []},
                    ordering=[],
                )

    def ask(self, task: int, overlap: int, *, closed: bool) -> None:
        """Say after how many annotations a task is given to nobody any more, and whether that is now."""
        with self._translate_errors():
            # The server does not infer the second from the first.
            self._sdk.tasks.update(str(task), overlap=overlap, is_labeled=closed)

    def delete_annotation(self, annotation: int) -> None:
        """Delete an annotation."""
        with self._translate_errors():
            self._sdk.annotations.delete(annotation)

    def delete_draft(self, draft: int) -> None:
        """Delete what somebody began and did not send in."""
        from label_studio_sdk.core.api_error import ApiError

        with self._translate_errors():
            # The SDK has no function for it: its connection and token are asked.
            answer = self._sdk._client_wrapper.httpx_client.request(f"api/drafts/{draft}", method="DELETE")
            if answer.status_code >= 300:
                raise ApiError(status_code=answer.status_code, body=answer.text)

    def export(self, project: int, path: Path) -> None:
        """Write all tasks of a project with their annotations to a file, as the server exports them."""
        with self._translate_errors(), atomic_file(path) as beside, beside.open("wb") as file:
            for part in self._sdk.projects.exports.download_sync(
                project, export_type="JSON", download_all_tasks=True
            ):
                file.write(part)

    def accounts(self) -> dict[int, tuple[str | None, str]]:
        """E-mail address of every account, and when it was made, by its number."""
        with self._translate_errors():
            return {
                int(user.id): (user.email, "" if user.date_joined is None else user.date_joined.isoformat())
                for user in self._sdk.users.list()
                if user.id is not None
            }

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with translate_errors(self.where, variable=self._variable):
            yield


@contextmanager
def label_studio(url: str, *, variable: str, timeout_s: float = TIMEOUT_S) -> Iterator[Studio]:
    """A server that has been asked who it is.

    Args:
        url: Its address.
        variable: Environment variable that holds the access token.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        MissingExtraError: If the SDK is not installed.
        InputError: If there is no token, or if the server is on another machine and ``LABEL_STUDIO_URL`` in the
            environment does not name it.
        ServerError: If it is not a Label Studio that is new enough and takes the token.
    """
    where = f"Label Studio at {public_address(url)}"
    token = os.environ.get(variable, "").strip()
    if not token:
        raise no_token(where, variable)
    # The address stands in a file that may come from somebody else: their server would get the token.
    named = os.environ.get(ADDRESS_VARIABLE, "").strip()
    if not is_on_this_machine(url) and not (is_server_address(named) and is_same_origin(url, named)):
        raise InputError(
            f"{where}: the project file names this server; your token goes to no other machine unless you "
            f"name it as well; set {ADDRESS_VARIABLE} to {public_address(url)} if you trust it"
        )
    try:
        import httpx
        from label_studio_sdk import LabelStudio
    except ImportError as error:
        raise MissingExtraError("annotation with Label Studio", extra="annotate") from error
    with httpx.Client(timeout=timeout_s) as connections:
        with translate_errors(where, variable=variable):
            # Never repeated: what makes something must not make it twice.
            sdk = LabelStudio(
                base_url=url, api_key=token, httpx_client=connections, timeout=timeout_s, max_retries=0
            )
        studio = Studio(sdk, where=where, variable=variable)
        studio.check()
        yield studio
