"""The client: a Label Studio server, asked in few and large requests.

Addresses, tokens and their renewal are those of its own SDK; what is sent and what comes are plain JSON, since
the SDK's models of thousands of tasks, and what it imports for them, take longer than all the rest of a sync.

Errors are turned into messages where requests are sent (`label_studio.connected`), and nowhere else.
"""

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from blend.loaders.label_studio import FailedError, GoneError, another_program, connected
from blend.schemas.errors import BlendError, ConflictError, ServerError

if TYPE_CHECKING:
    from label_studio_sdk.core.client_wrapper import SyncClientWrapper

_NEEDED_VERSION = (1, 23)
"""The oldest server that the tests have driven; older ones differ in tokens and exports."""

_TIMEOUT_S = 120.0
_TASKS_AT_A_TIME = 1_000
_LISTINGS = 3
_PAUSE_S = 1.0
# Of every task: the server looks for drafts only where a filter asks for them.
_DRAFTS = {"filter": "filter:tasks:draft_exists", "operator": "equal", "type": "Boolean"}
_EITHER = [{**_DRAFTS, "value": either} for either in (True, False)]
_WITH_DRAFTS = json.dumps({"filters": {"conjunction": "or", "items": _EITHER}})
_TASK_FIELDS = "id,data,overlap,is_labeled,total_annotations,cancelled_annotations,updated_at,draft_exists"
"""Fields that are sent of each task, and no more."""

_R = TypeVar("_R", "RemoteProject", "RemoteTask")
_T = TypeVar("_T")


class Account(NamedTuple):
    """An account of the server."""

    address: str | None
    """E-mail address."""
    joined: str = ""
    """When it was made, by which it is told from one of the same number on another server."""


class RemoteTask(NamedTuple):
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


class RemoteProject(NamedTuple):
    """A project on the server."""

    id: int
    title: str
    description: str
    config: str
    """Labelling configuration."""
    overlap: int
    """Annotations per task, where a task has no number of its own."""
    tasks: Sequence[RemoteTask] = ()
    """Its tasks when it was looked at."""

    @property
    def dated(self) -> str:
        """A digest that differs once anything of its tasks, annotations or drafts was made or changed.

        The server dates a task anew whenever an annotation of it is. All of the dates count, not the latest:
        which one that is, an answer in an order of the server's own choosing does not show, and after a clock
        was set back it is not that of the last change.
        """
        dated = sorted((task.id, task.updated, task.annotations, task.begun) for task in self.tasks)
        return sha256(repr(dated).encode()).hexdigest()


@contextmanager
def label_studio(url: str, *, timeout_s: float = _TIMEOUT_S) -> Iterator["Studio"]:
    """A server that has been asked who it is.

    Args:
        url: Its address.
        timeout_s: Seconds without an answer after which a request is given up.

    Raises:
        MissingExtraError, InputError: As `label_studio.connected`.
        ServerError: If it is not a Label Studio that is new enough and takes the token.
    """
    with connected(url, timeout_s) as (sdk, where):
        studio = Studio(sdk, where=where)
        studio.check_version()
        yield studio


class Studio:
    """A server, asked by means of its SDK.

    Every method may raise a `ServerError`, and a `GoneError` if what it is about is not there.

    Args:
        sdk: The client of the SDK.
        where: What messages call the server.
    """

    def __init__(self, sdk: "SyncClientWrapper", *, where: str) -> None:
        self._sdk = sdk
        self.where = where

    def _ask(self, method: str, path: str, take: Callable[[Any], _T], body: Any = None, **query: Any) -> _T:
        """Send a request; returns what is taken from the JSON of its answer, null where it is empty.

        What a Label Studio does not answer is refused: of a login page the SDK makes a token, too.
        """
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"}
        try:
            answer = self._sdk.httpx_client.request(
                f"api/{path}", method=method, params=query, content=content, headers=headers
            )
            return take(json.loads(answer.content or b"null"))
        except BlendError:
            raise
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            raise another_program(self.where) from None

    def _send(self, method: str, path: str, body: Any = None, **query: Any) -> None:
        """Send a request whose answer says nothing new."""
        self._ask(method, path, lambda _: None, body, **query)

    def check_version(self) -> None:
        """Check that the server is new enough and takes the token.

        Raises:
            ServerError: If it is not.
        """
        try:
            release = self._ask("GET", "version/", _release)
            self.own_account()
        except GoneError:
            raise another_program(self.where) from None
        if release < _NEEDED_VERSION:
            there, needed = (".".join(map(str, version)) for version in (release, _NEEDED_VERSION))
            raise ServerError(
                f"{self.where}: is version {there}, and {needed} or later is needed; update it with "
                "`pip install --upgrade label-studio`"
            )

    def projects(self) -> list[RemoteProject]:
        """All projects that the account sees, by number, without their tasks.

        Raises:
            ConflictError: If they change whenever they are listed.
        """
        fields = "id,title,description,label_config,maximum_annotations"
        return self._all_of("projects/", "results", _project, "its projects", include=fields, page_size=1_000)

    def create(self, **settings: Any) -> int:
        """Make a project; returns its number."""
        return self._ask("POST", "projects/", lambda made: int(made["id"]), settings)

    def update(self, project: int, **settings: Any) -> None:
        """Change settings of a project."""
        self._send("PATCH", f"projects/{project}/", settings)

    def delete(self, kind: Literal["projects", "annotations", "drafts"], number: int) -> None:
        """Delete something; drafts are what somebody began and did not send in."""
        self._send("DELETE", f"{kind}/{number}/")

    def tasks(self, project: int) -> list[RemoteTask]:
        """The tasks of a project, by number, without their annotations.

        Raises:
            ConflictError: If the project changes whenever it is listed.
        """
        asked = {"include": _TASK_FIELDS, "fields": "task_only", "query": _WITH_DRAFTS, "page_size": 5_000}
        return self._all_of(
            "tasks/", "tasks", _task, f"the tasks of project {project}", project=project, **asked
        )

    def _all_of(
        self, path: str, name: str, made: Callable[[Mapping[str, Any]], _R], what: str, **query: Any
    ) -> list[_R]:
        """What stands on all pages, by number; listed again if it changes meanwhile, as by another push.

        While it removes a project, a server answers 500 or half a list, and only then 404.
        """

        def page(found: Mapping[str, Any]) -> tuple[list[_R], int]:
            # Listings of tasks say "total", others "count".
            return [made(one) for one in found[name]], int(found["total" if "total" in found else "count"])

        failed: BlendError = ConflictError(
            f"{self.where}: {what} change while they are listed; run the command again"
        )
        for _ in range(_LISTINGS):
            listed: list[_R] = []
            try:
                for number in itertools.count(1):
                    found, total = self._ask("GET", path, page, page=number, **query)
                    listed += found
                    if len(listed) >= total:
                        return sorted(listed, key=lambda one: one.id)
                    if not found:
                        break
            except GoneError:
                # Of a list that is there, a further page is not: it was shorter than it says.
                if number == 1:
                    raise
            except FailedError as error:
                failed = error
            time.sleep(_PAUSE_S)
        raise failed

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Add tasks, in bulk. Never repeated by itself: a lost acknowledgement would double them."""
        for first in range(0, len(tasks), _TASKS_AT_A_TIME):
            self._send("POST", f"projects/{project}/import", tasks[first : first + _TASKS_AT_A_TIME])

    def delete_tasks(self, project: int, tasks: Sequence[int]) -> None:
        """Delete tasks in bulk."""
        if tasks:
            body = {"selectedItems": {"all": False, "included": list(tasks)}}
            self._send("POST", "dm/actions/", body, id="delete_tasks", project=project)

    def ask(self, task: int, overlap: int, *, closed: bool) -> None:
        """Say after how many annotations a task is given to nobody any more, and whether that is now."""
        # The server does not infer the second from the first.
        self._send("PATCH", f"tasks/{task}/", {"overlap": overlap, "is_labeled": closed})

    def export(self, project: int) -> Any:
        """All tasks of a project with their annotations, as the server exports them."""
        query = {"export_type": "JSON", "download_all_tasks": "true"}
        return self._ask("GET", f"projects/{project}/export", lambda found: found, **query)

    def accounts(self) -> dict[int, Account]:
        """All accounts by their number."""
        return self._ask("GET", "users/", lambda users: {int(one["id"]): _account(one) for one in users})

    def own_account(self) -> int:
        """The number of the account of the token."""
        return self._ask("GET", "current-user/whoami", lambda found: int(found["id"]))


def _release(found: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(int(part) for part in found["release"].split(".")[:2])


def _account(user: Mapping[str, Any]) -> Account:
    joined = user.get("date_joined")
    # One way to write a moment, whatever the server's: people are known again by it.
    return Account(user.get("email"), datetime.fromisoformat(joined).isoformat() if joined else "")


def _project(one: Mapping[str, Any]) -> RemoteProject:
    title, description, config = (one.get(name) or "" for name in ("title", "description", "label_config"))
    return RemoteProject(int(one["id"]), title, description, config, one.get("maximum_annotations") or 1)


def _task(one: Mapping[str, Any]) -> RemoteTask:
    return RemoteTask(
        int(one["id"]),
        dict(one.get("data") or {}),
        # The server counts skipped ones apart.
        annotations=(one.get("total_annotations") or 0) + (one.get("cancelled_annotations") or 0),
        overlap=one.get("overlap") or 0,
        closed=bool(one.get("is_labeled")),
        updated=one.get("updated_at") or "",
        begun=bool(one.get("draft_exists")),
    )
