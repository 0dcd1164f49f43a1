"""The Hub's answers about accounts, repositories, revisions, commits and files."""

import base64
import fnmatch
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from helpers.hub.hub_store import Account, Entry, Repository, atomic_write

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
SIGNED = "signature=of-the-hub"
"""Query of a storage address that the Hub has signed."""

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class Refused(Exception):
    """A request that the Hub refuses, in the Hub's words."""

    def __init__(self, status: int, message: str, code: str | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.more = status, message, code, more


def signed_in(handler: "Handler") -> Account:
    """Who asks."""
    if handler.account is None:
        raise Refused(401, "Invalid credentials in Authorization header")
    return handler.account


def readable(handler: "Handler", repo: str) -> Repository:
    """The repository, if who asks may read it."""
    account, repository = handler.account, handler.hub.store.repositories.get(repo)
    if handler.token is not None:
        signed_in(handler)
    if repository is None or (repository.private and not (account and account.may_read(repo))):
        raise Refused(401 if account is None else 404, "Repository not found", "RepoNotFound")
    return repository


def named(repository: Repository, revision: str) -> str:
    """The commit that a revision names."""
    commit = repository.resolve(revision)
    if commit is None:
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
    return commit


def writable(handler: "Handler", repo: str) -> Repository:
    """The repository, if who asks may write to it."""
    repository = readable(handler, repo)
    if handler.account is None or not handler.account.may_write(repo):
        raise Refused(403, "You don't have the rights to write to this repository")
    return repository


def whoami(handler: "Handler") -> None:
    account = signed_in(handler)
    orgs = [{"name": name} for name in account.writes_to if name != account.name]
    handler.json({"type": "user", "name": account.name, "orgs": orgs, "auth": {"type": "access_token"}})


def create(handler: "Handler") -> None:
    asked, account = json.loads(handler.body), signed_in(handler)
    repo = f"{asked['organization'] or account.name}/{asked['name']}"
    url = f"{handler.hub.url}/datasets/{repo}"
    if not account.may_write(repo):
        raise Refused(403, "You don't have the rights to create a dataset under this namespace")
    with handler.hub.store.lock:
        if repo in handler.hub.store.repositories:
            raise Refused(409, "You already created this dataset repo", url=url)
        handler.hub.store.create(repo, private=asked.get("visibility") == "private", author=account.name)
    handler.json({"url": url, "name": repo, "id": repo})


def describe(handler: "Handler", repo: str, revision: str = "main") -> None:
    repository = readable(handler, repo)
    is_new = revision == "main" and not repository.commits
    commit = None if is_new else named(repository, revision)
    handler.json(
        {
            "id": repo,
            "author": repo.partition("/")[0],
            "sha": commit,
            "private": repository.private,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": path} for path in repository.files(commit or "main")],
        }
    )


def refs(handler: "Handler", repo: str) -> None:
    repository = readable(handler, repo)

    def listed(folder: str, names: dict[str, str]) -> list[dict[str, str]]:
        return [
            {"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": commit}
            for name, commit in sorted(names.items())
        ]

    branches, tags = listed("heads", repository.branches), listed("tags", repository.tags)
    handler.json({"branches": branches, "tags": tags, "converts": []})


def commits(handler: "Handler", repo: str, revision: str) -> None:
    repository = readable(handler, repo)
    history = repository.history(named(repository, revision))
    items = [
        {"id": oid, "title": one.title, "message": one.description, "date": CREATED,
         "authors": [{"user": one.author}]}
        for oid, one in history
    ]  # fmt: skip
    send_page(handler, items)


def tree(handler: "Handler", repo: str, revision: str, path: str = "") -> None:
    repository = readable(handler, repo)
    files = repository.files(named(repository, revision))
    below = f"{path.strip('/')}/" if path else ""
    listed = list_tree(files, below, handler.query.get("recursive") in (["True"], ["true"]))
    if below and not listed:
        raise Refused(404, f"{path} does not exist", "EntryNotFound")
    send_page(handler, listed)


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
    repository = readable(handler, repo)
    files = repository.files(named(repository, revision))
    asked = parse_qs(handler.body.decode()).get("paths", [])
    folders = [path for path in asked if any(file.startswith(f"{path}/") for file in files)]
    infos = [describe_entry(path, files[path]) for path in asked if path in files]
    handler.json([*infos, *({"type": "directory", "path": path, "oid": "0" * 40} for path in folders)])


def preupload(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    asked, files = json.loads(handler.body), repository.files(revision)

    def text(name: str) -> str:
        return repository.content(name, revision).decode() if name in files else ""

    ignored = (asked.get("gitIgnore") or text(".gitignore")).splitlines()
    large = [line.split()[0] for line in text(".gitattributes").splitlines() if "filter=lfs" in line]
    answers = []
    for file in asked["files"]:
        path, there = file["path"], files.get(file["path"])
        is_large = file["size"] >= LARGE_BYTES or any(_matches(path, pattern) for pattern in large)
        answers.append(
            {
                "path": path,
                "uploadMode": "lfs" if is_large else "regular",
                "shouldIgnore": any(_matches(path, pattern) for pattern in ignored),
                "oid": None if there is None else there.sha256 or there.oid,
            }
        )
    handler.json({"files": answers})


def _matches(path: str, pattern: str) -> bool:
    if not pattern or pattern.startswith("#"):
        return False
    folder = pattern.rstrip("/")
    return fnmatch.fnmatch(path.rsplit("/", 1)[-1], pattern) or path.startswith(f"{folder}/")


def commit(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    header, *changes = (json.loads(line) for line in handler.body.splitlines() if line)
    said, opened = header["value"], {}
    with handler.hub.store.lock:
        if "create_pr" in handler.query:
            number = 1 + sum(name.startswith("refs/pr/") for name in repository.branches)
            start, revision = repository.resolve(revision), f"refs/pr/{number}"
            if start is not None:
                repository.branches[revision] = start
            opened = {"pullRequestUrl": f"{handler.hub.url}/{repo}/discussions/{number}"}
        head = repository.branches.get(revision)
        if head is None and repository.commits and not opened:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        if said.get("parentCommit") not in (None, head):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        files = dict(repository.files(revision))
        for line in changes:
            _apply(handler, files, line["key"], line["value"])
        title, author = said["summary"], signed_in(handler).name
        oid = repository.add_commit(
            files, branch=revision, title=title, description=said["description"], author=author
        )
    url = f"{handler.hub.url}/datasets/{repo}/commit/{oid}"
    handler.json({"success": True, "commitOid": oid, "commitUrl": url, **opened})


def _apply(handler: "Handler", files: dict[str, Entry], key: str, value: dict[str, Any]) -> None:
    """Make one change to the files."""
    store, path = handler.hub.store, value["path"]
    if key == "file":
        files[path] = store.keep_regular(base64.b64decode(value["content"]))
    elif key == "lfsFile":
        if not store.large_path(value["oid"]).exists():
            raise Refused(400, f"LFS pointer {path} pointed to a file that does not exist")
        files[path] = store.large_entry(value["oid"], value["size"])
    elif key != "deletedFile":
        raise Refused(400, f"this server knows no {key}")
    elif files.pop(path, None) is None:
        raise Refused(404, "A file with this name doesn't exist")


def create_tag(handler: "Handler", repo: str, revision: str) -> None:
    repository = writable(handler, repo)
    target, name = named(repository, revision), json.loads(handler.body)["tag"]
    with handler.hub.store.lock:
        if name in repository.tags:
            raise Refused(409, f"Tag reference exists already: {name}")
        repository.tags[name] = target
    handler.json({})


def validate_yaml(handler: "Handler") -> None:
    handler.json({"errors": [], "warnings": []})


# Files: read in whole or in ranges, and large ones (LFS) taken.


def resolve(handler: "Handler", repo: str, revision: str, path: str) -> None:
    repository = readable(handler, repo)
    commit = named(repository, revision)
    entry, headers = repository.files(commit).get(path), {"X-Repo-Commit": commit}
    if entry is None:
        handler.send(404, b"", headers | {"X-Error-Code": "EntryNotFound"})
    elif entry.sha256 is None:
        send_range(handler, handler.hub.store.read(entry), headers | {"ETag": f'"{entry.oid}"'})
    else:
        linked = {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
        storage = f"{handler.hub.storage_url}/large/{entry.sha256}?{SIGNED}"
        handler.send(302, b"", headers | linked | {"Location": storage})


def send_range(handler: "Handler", content: bytes, headers: dict[str, str]) -> None:
    """Answer with the bytes that the request's ``Range`` asks for, or with all."""
    headers = {**headers, "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}
    asked = _RANGE.fullmatch(handler.headers.get("Range", ""))
    if asked is None:
        handler.send(200, content, headers)
        return
    start, end = int(asked[1] or 0), min(int(asked[2] or len(content) - 1), len(content) - 1)
    if not asked[1]:
        start, end = max(len(content) - int(asked[2]), 0), len(content) - 1
    if start >= len(content):
        handler.send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
        return
    headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
    handler.send(206, content[start : end + 1], headers)


def batch(handler: "Handler", repo: str) -> None:
    """Where to put large files, and which are there already."""
    writable(handler, repo)
    objects = []
    for wanted in json.loads(handler.body)["objects"]:
        sha256 = wanted["oid"]
        answer = {"oid": sha256, "size": wanted["size"]}
        if not handler.hub.store.large_path(sha256).exists():
            answer["actions"] = {
                "upload": {"href": f"{handler.hub.storage_url}/large/{sha256}?{SIGNED}"},
                "verify": {"href": f"{handler.hub.url}/datasets/{repo}.git/info/lfs/verify"},
            }
        objects.append(answer)
    handler.json({"transfer": "basic", "objects": objects})


def verify(handler: "Handler", repo: str) -> None:
    writable(handler, repo)
    asked = json.loads(handler.body)
    path = handler.hub.store.large_path(asked["oid"])
    if not path.exists() or path.stat().st_size != asked["size"]:
        raise Refused(404, "the object is not there")
    handler.json({})


def give_large(handler: "Handler", sha256: str) -> None:
    """Storage host: the bytes of a large file, to whoever has a signed address."""
    _check_admitted(handler)
    send_range(handler, handler.hub.store.large_path(sha256).read_bytes(), {"ETag": f'"{sha256}"'})


def take_large(handler: "Handler", sha256: str) -> None:
    """Storage host: the bytes of a large file."""
    _check_admitted(handler)
    if hashlib.sha256(handler.body).hexdigest() != sha256:
        raise Refused(400, "BadDigest: the content does not have this SHA-256")
    atomic_write(handler.hub.store.large_path(sha256), handler.body)
    handler.send(200, b"", {"ETag": f'"{sha256}"'})


def _check_admitted(handler: "Handler") -> None:
    """A request to the storage host is signed, and carries no token."""
    if handler.token is not None:
        raise Refused(400, "only one auth mechanism allowed: a token came to the storage host")
    if SIGNED.partition("=")[2] not in handler.query.get("signature", []):
        raise Refused(403, "the address is not signed")


ROUTES = (
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
    ("GET", f"/(?:datasets/)?{REPO}/resolve/{REVISION}/(?P<path>.+)", resolve),
    ("POST", f"/datasets/{REPO}\\.git/info/lfs/objects/batch", batch),
    ("POST", f"/datasets/{REPO}\\.git/info/lfs/verify", verify),
    ("GET", "/large/(?P<sha256>[0-9a-f]{64})", give_large),
    ("PUT", "/large/(?P<sha256>[0-9a-f]{64})", take_large),
)
