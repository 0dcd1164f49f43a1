"""The client: a Label Studio server, asked through its own SDK in few and large requests."""

import itertools
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from blend.loaders.label_studio.plan import Inventory, RemoteProject, RemoteTask
from blend.loaders.label_studio.studio_errors import KEY_VARIABLE, GoneError, another_program, translate_errors
from blend.loaders.servers.server_errors import public_address
from blend.schemas.addresses import is_on_this_machine, is_same_origin, is_server_address
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
# Of every task: the server looks for drafts only where a filter asks for them.
_DRAFTS = {"filter": "filter:tasks:draft_exists", "operator": "equal", "type": "Boolean"}
_EITHER = [{**_DRAFTS, "value": either} for either in (True, False)]
_WITH_DRAFTS = json.dumps({"filters": {"conjunction": "or", "items": _EITHER}})
_TASK_FIELDS = (
    "id,data,overlap,is_labeled,total_annotations,cancelled_annotations,updated_at,draft_exists"  # and no more
)

_Method = TypeVar("_Method", bound=Callable[..., Any])
_R = TypeVar("_R", RemoteProject, RemoteTask)


@contextmanager
def label_studio(url: str, *, timeout_s: float = TIMEOUT_S) -> Iterator["Studio"]:
    """A server that has been asked who it is.

    Args:
        url: Its address.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        MissingExtraError: If the SDK is not installed.
        InputError: If there is no token, or if the server is on another machine and ``LABEL_STUDIO_URL`` in the
            environment does not name it.
        ServerError: If it is not a Label Studio that is new enough and takes the token.
    """
    where = f"Label Studio at {public_address(url)}"
    token = os.environ.get(KEY_VARIABLE, "").strip()
    if not token:
        raise InputError(
            f"{where}: there is no access token; copy yours from that page (Account & Settings), and set "
            f"{KEY_VARIABLE} to it"
        )
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
        with translate_errors(where):
            # Never repeated: what makes something must not make it twice.
            sdk = LabelStudio(
                base_url=url, api_key=token, httpx_client=connections, timeout=timeout_s, max_retries=0
            )
        studio = Studio(sdk, where=where)
        studio.check()
        yield studio


def _translated(method: _Method) -> _Method:
    """Have a method of `Studio` raise our errors in place of those of the SDK."""

    @wraps(method)
    def asked(studio: "Studio", *args: Any, **kwargs: Any) -> Any:
        with translate_errors(studio.where):
            return method(studio, *args, **kwargs)

    return cast("_Method", asked)


class Studio:
    """A server, asked by means of its SDK; errors are messages that say what to do.

    Args:
        sdk: The client of the SDK.
        where: What messages call the server.
    """

    def __init__(self, sdk: "LabelStudio", *, where: str) -> None:
        self._sdk = sdk
        self.where = where

    def inventory(self, names: Collection[str]) -> Inventory:
        """Our projects with their tasks, by name: one request for all, and one per project for its tasks."""
        found: dict[str, list[RemoteProject]] = {}
        for project in self.projects():
            if (name := project.name) in names and name is not None:
                # Another push at the same time removes the copy that it has made.
                with suppress(GoneError):
                    found.setdefault(name, []).append(replace(project, tasks=self.tasks(project.id)))
        return found

    @_translated
    def projects(self) -> list[RemoteProject]:
        """All projects that the account sees, by number, without their tasks.

        Raises:
            ConflictError: If they change whenever they are listed.
        """

        def page(number: int) -> tuple[list[RemoteProject], int]:
            fields = "id,title,description,label_config,maximum_annotations"
            listed = self._sdk.projects.list(include=fields, page=number, page_size=1_000)
            return [_project(one) for one in listed.items or []], int(listed.response.count)

        return self._all_of(page, "its projects")

    @_translated
    def create(self, **settings: Any) -> int:
        """Make a project; returns its number."""
        return int(self._sdk.projects.create(**settings).id)

    @_translated
    def update(self, project: int, **settings: Any) -> None:
        """Change settings of a project."""
        self._sdk.projects.update(project, **settings)

    @_translated
    def delete(self, project: int) -> None:
        """Delete a project."""
        self._sdk.projects.delete(project)

    @_translated
    def tasks(self, project: int) -> list[RemoteTask]:
        """The tasks of a project, by number, without their annotations.

        Raises:
            ConflictError: If the project is gone, or changes whenever it is listed.
        """

        def page(number: int) -> tuple[list[RemoteTask], int]:
            listed = self._sdk.tasks.list(
                project=project,
                include=_TASK_FIELDS,
                fields="task_only",
                query=_WITH_DRAFTS,
                page=number,
                page_size=_TASKS_PER_PAGE,
                # While it removes a project, a server answers 500 or half a list, and only then 404.
                request_options={"max_retries": _LISTINGS - 1},
            )
            return [_task(one) for one in listed.items or []], int(listed.response.total)

        return self._all_of(page, f"the tasks of project {project}")

    def _all_of(self, page: Callable[[int], tuple[list[_R], int]], what: str) -> list[_R]:
        """What stands on all pages, by number; listed again if it changes meanwhile, as by another push.

        Counted here: the SDK takes an error of the server for the end of a list, and asks for a page too many.
        """
        for _ in range(_LISTINGS):
            listed: list[_R] = []
            for number in itertools.count(1):
                found, total = page(number)
                listed += found
                if len(listed) >= total:
                    return sorted(listed, key=lambda one: one.id)
                if not found:
                    break
            time.sleep(_PAUSE_S)
        raise ConflictError(f"{self.where}: {what} change while they are listed; run the command again")

    @_translated
    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Add tasks, in bulk. Never repeated by itself: a lost acknowledgement would double them."""
        for first in range(0, len(tasks), _TASKS_AT_A_TIME):
            self._sdk.projects.import_tasks(project, request=list(tasks[first : first + _TASKS_AT_A_TIME]))

    @_translated
    def delete_tasks(self, project: int, tasks: Sequence[int]) -> None:
        """Delete tasks in bulk."""
        if tasks:
            chosen = {"all": False, "included": list(tasks)}
            every = {"conjunction": "and", "items": []}
            self._sdk.actions.create(
                id="delete_tasks", project=project, selected_items=chosen, filters=every, ordering=[]
            )

    @_translated
    def ask(self, task: int, overlap: int, *, closed: bool) -> None:
        """Say after how many annotations a task is given to nobody any more, and whether that is now."""
        # The server does not infer the second from the first.
        self._sdk.tasks.update(str(task), overlap=overlap, is_labeled=closed)

    @_translated
    def delete_annotation(self, annotation: int) -> None:
        """Delete an annotation."""
        self._sdk.annotations.delete(annotation)

    @_translated
    def delete_draft(self, draft: int) -> None:
        """Delete what somebody began and did not send in."""
        from label_studio_sdk.core.api_error import ApiError

        # The SDK has no function for it: its connection and token are asked.
        answer = self._sdk._client_wrapper.httpx_client.request(f"api/drafts/{draft}", method="DELETE")
        if answer.status_code >= 300:
            raise ApiError(status_code=answer.status_code, body=answer.text)

    @_translated
    def export(self, project: int) -> bytes:
        """All tasks of a project with their annotations, as the server exports them."""
        parts = self._sdk.projects.exports.download_sync(project, export_type="JSON", download_all_tasks=True)
        return b"".join(parts)

    @_translated
    def accounts(self) -> dict[int, tuple[str | None, str]]:
        """E-mail address of every account, and when it was made, by its number."""
        return {
            int(user.id): (user.email, "" if user.date_joined is None else user.date_joined.isoformat())
            for user in self._sdk.users.list()
            if user.id is not None
        }

    @_translated
    def own_account(self) -> int:
        """The number of the account of the token."""
        return int(self._sdk.users.whoami().id or 0)

    def check(self) -> None:
        """Ask whether it is a Label Studio that is new enough and takes the token.

        Raises:
            ServerError: If it is not.
        """
        try:
            release = self._release()
        except GoneError:
            raise another_program(self.where) from None
        numbers = re.match(r"(\d+)\.(\d+)", release)
        if numbers is None:
            raise another_program(self.where)
        if (int(numbers[1]), int(numbers[2])) < NEEDED_VERSION:
            raise ServerError(
                f"{self.where}: is version {release}, and {'.'.join(map(str, NEEDED_VERSION))} or later is "
                "needed; update it with `pip install --upgrade label-studio`"
            )
        self.own_account()

    @_translated
    def _release(self) -> str:
        return str(self._sdk.versions.get().release)


def _project(one: Any) -> RemoteProject:
    title, description, config = one.title or "", one.description or "", one.label_config or ""
    return RemoteProject(one.id, title, description, config, one.maximum_annotations or 1)


def _task(one: Any) -> RemoteTask:
    return RemoteTask(
        one.id,
        dict(one.data or {}),
        # The server counts skipped ones apart.
        annotations=(one.total_annotations or 0) + (one.cancelled_annotations or 0),
        overlap=one.overlap or 0,
        closed=bool(one.is_labeled),
        updated=one.updated_at.isoformat() if one.updated_at is not None else "",
        begun=bool(one.draft_exists),
    )
