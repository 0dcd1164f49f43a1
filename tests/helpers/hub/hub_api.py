"""The Hub's answers about accounts, repositories, revisions and commits."""

import base64
import fnmatch
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from helpers.hub.hub_store import Entry, Repository

if TYPE_CHECKING:
    from helpers.hub.hub_server import Handler

REPO = r"(?P<repo>[^/]+/[^/]+)"
KIND = "(?:datasets|models)"
"""Models and datasets share one set of names here."""
REVISION = r"(?P<revision>[^/]+)"
CREATED = "2026-11-01T12:00:00.000Z"
LARGE_BYTES = 10 * 1024 * 1024
"""Size from which any file is stored as a large one."""
PAGE_ENTRIES = 20
"""Entries per page of a listing; small, so that clients have to turn pages."""


def readable(handler: "Handler", repo: str) -> Repository | None:
    """The repository, or null when the refusal has been sent."""
    account, repository = handler.account, handler.hub.store.repositories.get(repo)
    if handler.token is not None and account is None:
        handler.refuse(401, "Invalid credentials in Authorization header")
        return None
    if repository is None or (repository.private and not (account and account.may_read(repo))):
        handler.refuse(401 if account is None else 404, "Repository not found", code="RepoNotFound")
        return None
    return repository


def readable_at(handler: "Handler", repo: str, revision: str) -> tuple[Repository, str] | None:
    """The repository and the commit, or null when the refusal has been sent."""
    repository = readable(handler, repo)
    if repository is None:
        return None
    commit = repository.resolve(revision)
    if commit is None:
        handler.refuse(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
        return None
    return repository, commit


def writable(handler: "Handler", repo: str) -> Repository | None:
    """The repository, or null when the refusal has been sent."""
    repository = readable(handler, repo)
    if repository is None:
        return None
    if handler.account is None or not handler.account.may_write(repo):
        handler.refuse(403, "You don't have the rights to write to this repository")
        return None
    return repository


def whoami(handler: "Handler") -> None:
    account = handler.account
    if account is None:
        return handler.refuse(401, "Invalid credentials in Authorization header")
    orgs = [{"name": name} for name in account.writes_to if name != account.name]
    return handler.json({"type": "user", "name": account.name, "orgs": orgs, "auth": {"type": "access_token"}})


def create(handler: "Handler") -> None:
    asked, account = json.loads(handler.body), handler.account
    if account is None:
        return handler.refuse(401, "Invalid credentials in Authorization header")
    repo = f"{asked['organization'] or account.name}/{asked['name']}"
    url = f"{handler.hub.url}/datasets/{repo}"
    if not account.may_write(repo):
        return handler.refuse(403, "You don't have the rights to create a dataset under this namespace")
    with handler.hub.store.lock:
        if repo in handler.hub.store.repositories:
            return handler.refuse(409, "You already created this dataset repo", url=url)
        handler.hub.store.create(repo, private=asked.get("visibility") == "private", author=account.name)
    return handler.json({"url": url, "name": repo, "id": repo})


def describe(handler: "Handler", repo: str, revision: str = "main") -> None:
    repository = readable(handler, repo)
    if repository is None:
        return None
    commit = repository.resolve(revision)
    if commit is None and (revision != "main" or repository.commits):
        return handler.refuse(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
    return handler.json(
        {
            "id": repo,
            "author": repo.partition("/")[0],
            "sha": commit,
            "private": repository.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "createdAt": CREATED,
            "lastModified": CREATED,
            "siblings": [{"rfilename": path} for path in repository.files(commit or "main")],
        }
    )


def refs(handler: "Handler", repo: str) -> None:
    repository = readable(handler, repo)
    if repository is None:
        return
    kinds = (("branches", "heads", repository.branches), ("tags", "tags", repository.tags))
    listed = {
        kind: [
            {"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": commit}
            for name, commit in sorted(names.items())
        ]
        for kind, folder, names in kinds
    }
    handler.json({**listed, "converts": []})


def commits(handler: "Handler", repo: str, revision: str) -> None:
    if found := readable_at(handler, repo, revision):
        repository, head = found
        items = [
            {
                "id": oid,
                "title": commit.title,
                "message": commit.description,
                "date": CREATED,
                "authors": [{"user": commit.author}],
            }
            for oid, commit in repository.history(head)
        ]
        send_page(handler, items)


def tree(handler: "Handler", repo: str, revision: str, path: str = "") -> None:
    if found := readable_at(handler, repo, revision):
        repository, commit = found
        below = f"{path.strip('/')}/" if path else ""
        listed = list_tree(
            repository.files(commit), below, handler.query.get("recursive") in (["True"], ["true"])
        )
        if below and not listed:
            return handler.refuse(404, f"{path} does not exist", code="EntryNotFound")
        return send_page(handler, listed)
    return None


def list_tree(files: dict[str, Entry], below: str, recursive: bool) -> list[dict[str, Any]]:
    """Files and folders below a path, as the Hub lists them."""
    listed: dict[str, dict[str, Any]] = {}
    for path, entry in files.items():
        if not path.startswith(below):
            continue
        parts = path.removeprefix(below).split("/")
        for depth in range(1, len(parts) if recursive else min(len(parts), 2)):
            folder = below + "/".join(parts[:depth])
            listed[folder] = {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0}
        if recursive or len(parts) == 1:
            listed[path] = describe_entry(path, entry)
    return [listed[path] for path in sorted(listed)]


def describe_entry(path: str, entry: Entry) -> dict[str, Any]:
    """A file, as the Hub describes it."""
    described: dict[str, Any] = {"type": "file", "path": path, "size": entry.size, "oid": entry.oid}
    if entry.sha256 is not None:
        described["lfs"] = {"oid": entry.sha256, "size": entry.size, "pointerSize": 130}
    return described


def send_page(handler: "Handler", items: list[Any]) -> None:
    """A page of a listing, with the address of the next."""
    start = int(handler.query.get("cursor", ["0"])[0])
    headers = {}
    if start + PAGE_ENTRIES < len(items):
        rest = "&".join(f"{name}={value[0]}" for name, value in handler.query.items() if name != "cursor")
        address = f"{handler.hub.url}{handler.raw_path}?{rest}&cursor={start + PAGE_ENTRIES}"
        headers["Link"] = f'<{address}>; rel="next"'
    handler.json(items[start : start + PAGE_ENTRIES], headers=headers)


def paths_info(handler: "Handler", repo: str, revision: str) -> None:
    if found := readable_at(handler, repo, revision):
        repository, commit = found
        files = repository.files(commit)
        asked = parse_qs(handler.body.decode()).get("paths", [])
        infos = [describe_entry(path, files[path]) for path in asked if path in files]
        infos += [
            {"type": "directory", "path": path, "oid": "0" * 40}
            for path in asked
            if any(file.startswith(f"{path}/") for file in files)
        ]
        handler.json(infos)


def preupload(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    if repository is None:
        return
    asked, files = json.loads(handler.body), repository.files(revision)
    attributes = repository.content(".gitattributes", revision).decode() if ".gitattributes" in files else ""
    ignored = asked.get("gitIgnore") or (
        repository.content(".gitignore", revision).decode() if ".gitignore" in files else ""
    )
    answers = []
    for file in asked["files"]:
        there = files.get(file["path"])
        answers.append(
            {
                "path": file["path"],
                "uploadMode": "lfs" if _is_large(file, attributes) else "regular",
                "shouldIgnore": any(_matches(file["path"], line) for line in ignored.splitlines()),
                "oid": None if there is None else there.sha256 or there.oid,
            }
        )
    handler.json({"files": answers})


def _is_large(file: dict[str, Any], attributes: str) -> bool:
    patterns = [line.split()[0] for line in attributes.splitlines() if "filter=lfs" in line]
    return file["size"] >= LARGE_BYTES or any(_matches(file["path"], pattern) for pattern in patterns)


def _matches(path: str, pattern: str) -> bool:
    if not pattern or pattern.startswith("#"):
        return False
    folder = pattern.rstrip("/")
    return fnmatch.fnmatch(path.rsplit("/", 1)[-1], pattern) or path.startswith(f"{folder}/")


def commit(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    if repository is None:
        return None
    lines = [json.loads(line) for line in handler.body.splitlines() if line]
    header = lines[0]["value"]
    request = None
    if "create_pr" in handler.query:
        request = 1 + sum(name.startswith("refs/pr/") for name in repository.branches)
    with handler.hub.store.lock:
        if request is not None:
            start, revision = repository.resolve(revision), f"refs/pr/{request}"
            if start is not None:
                repository.branches[revision] = start
        head = repository.branches.get(revision)
        if head is None and repository.commits and request is None:
            return handler.refuse(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
        if header.get("parentCommit") not in (None, head):
            return handler.refuse(412, "A commit has happened since. Please refresh and try again.")
        files = dict(repository.files(revision))
        for line in lines[1:]:
            problem = _apply(handler, files, line["key"], line["value"])
            if problem is not None:
                return handler.refuse(*problem)
        oid = repository.add_commit(
            files,
            branch=revision,
            title=header["summary"],
            description=header["description"],
            author=handler.account.name if handler.account else "",
        )
    url = f"{handler.hub.url}/datasets/{repo}/commit/{oid}"
    opened = {} if request is None else {"pullRequestUrl": f"{handler.hub.url}/{repo}/discussions/{request}"}
    return handler.json({"success": True, "commitOid": oid, "commitUrl": url, **opened})


def _apply(
    handler: "Handler", files: dict[str, Entry], key: str, value: dict[str, Any]
) -> tuple[int, str] | None:
    """Make one change to the files; what is wrong with it, or null."""
    store, path = handler.hub.store, value["path"]
    if key == "file":
        files[path] = store.keep_regular(base64.b64decode(value["content"]))
    elif key == "lfsFile":
        if not store.large_path(value["oid"]).exists():
            return 400, f"LFS pointer {path} pointed to a file that does not exist"
        files[path] = store.large_entry(value["oid"], value["size"])
    elif key == "deletedFile":
        if files.pop(path, None) is None:
            return 404, "A file with this name doesn't exist"
    else:
        return 400, f"this server knows no {key}"
    return None


def create_tag(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    if repository is None:
        return None
    target, name = repository.resolve(revision), json.loads(handler.body)["tag"]
    if target is None:
        return handler.refuse(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
    with handler.hub.store.lock:
        if name in repository.tags:
            return handler.refuse(409, f"Tag reference exists already: {name}")
        repository.tags[name] = target
    return handler.json({})


def validate_yaml(handler: "Handler") -> None:
    handler.json({"errors": [], "warnings": []})


ROUTES = tuple(
    (method, re.compile(pattern), answer)
    for method, pattern, answer in (
        ("GET", "/api/whoami-v2", whoami),
        ("POST", "/api/repos/create", create),
        ("POST", "/api/validate-yaml", validate_yaml),
        ("GET", f"/api/{KIND}/{REPO}", describe),
        ("GET", f"/api/{KIND}/{REPO}/revision/{REVISION}", describe),
        ("GET", f"/api/{KIND}/{REPO}/refs", refs),
        ("GET", f"/api/{KIND}/{REPO}/commits/{REVISION}", commits),
        ("GET", f"/api/{KIND}/{REPO}/tree/{REVISION}(?:/(?P<path>.+))?", tree),
        ("POST", f"/api/{KIND}/{REPO}/paths-info/{REVISION}", paths_info),
        ("POST", f"/api/{KIND}/{REPO}/preupload/{REVISION}", preupload),
        ("POST", f"/api/{KIND}/{REPO}/commit/{REVISION}", commit),
        ("POST", f"/api/{KIND}/{REPO}/tag/{REVISION}", create_tag),
    )
)
