"""The Hub's answers about files: reading them in whole or in ranges, and taking large ones (LFS)."""

import hashlib
import json
import re
from typing import TYPE_CHECKING

from helpers.hub.hub_api import REPO, REVISION, readable_at, writable
from helpers.hub.hub_store import Entry, atomic_write

if TYPE_CHECKING:
    from helpers.hub.hub_server import Handler

SIGNED = "signature=of-the-hub"
"""Query of a storage address that the Hub has signed."""

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def resolve(handler: "Handler", repo: str, revision: str, path: str) -> None:
    found = readable_at(handler, repo, revision)
    if found is None:
        return
    repository, commit = found
    entry = repository.files(commit).get(path)
    if entry is None:
        handler.send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        return
    if entry.sha256 is None:
        headers = {"X-Repo-Commit": commit, "ETag": f'"{entry.oid}"'}
        send_range(handler, handler.hub.store.read(entry), headers)
        return
    handler.send(302, b"", _large_headers(handler, repo, commit, entry))


def _large_headers(handler: "Handler", repo: str, commit: str, entry: Entry) -> dict[str, str]:
    return {
        "X-Repo-Commit": commit,
        "X-Linked-Etag": f'"{entry.sha256}"',
        "X-Linked-Size": str(entry.size),
        "Location": f"{handler.hub.storage_url}/large/{entry.sha256}?{SIGNED}",
    }


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


def give_large(handler: "Handler", sha256: str) -> None:
    """Storage host: the bytes of a large file, to whoever has a signed address."""
    if _is_admitted(handler):
        content = handler.hub.store.large_path(sha256).read_bytes()
        send_range(handler, content, {"ETag": f'"{sha256}"'})


def batch(handler: "Handler", repo: str) -> None:
    """Where to put large files, and which are there already."""
    if writable(handler, repo) is None:
        return
    objects = []
    for wanted in json.loads(handler.body)["objects"]:
        answer = {"oid": wanted["oid"], "size": wanted["size"]}
        if not handler.hub.store.large_path(wanted["oid"]).exists():
            answer["actions"] = _actions(handler, repo, wanted["oid"])
        objects.append(answer)
    handler.json({"transfer": "basic", "objects": objects})


def _actions(handler: "Handler", repo: str, sha256: str) -> dict[str, object]:
    verify = {"href": f"{handler.hub.url}/datasets/{repo}.git/info/lfs/verify"}
    target = f"{handler.hub.storage_url}/large/{sha256}"
    return {"upload": {"href": f"{target}?{SIGNED}"}, "verify": verify}


def take_large(handler: "Handler", sha256: str) -> None:
    """Storage host: the bytes of a large file."""
    if not _is_admitted(handler):
        return
    if not _keep_large(handler, sha256, handler.body):
        handler.refuse(400, "BadDigest: the content does not have this SHA-256")
        return
    handler.send(200, b"", {"ETag": f'"{sha256}"'})


def verify(handler: "Handler", repo: str) -> None:
    if writable(handler, repo) is None:
        return
    asked = json.loads(handler.body)
    path = handler.hub.store.large_path(asked["oid"])
    if not path.exists() or path.stat().st_size != asked["size"]:
        handler.refuse(404, "the object is not there")
        return
    handler.json({})


def _keep_large(handler: "Handler", sha256: str, content: bytes) -> bool:
    if hashlib.sha256(content).hexdigest() != sha256:
        return False
    atomic_write(handler.hub.store.large_path(sha256), content)
    return True


def _is_admitted(handler: "Handler") -> bool:
    """Whether a request to the storage host is signed, and carries no token."""
    if handler.token is not None:
        handler.refuse(400, "only one auth mechanism allowed: a token came to the storage host")
        return False
    if SIGNED.partition("=")[2] not in handler.query.get("signature", []):
        handler.refuse(403, "the address is not signed")
        return False
    return True


ROUTES = tuple(
    (method, re.compile(pattern), answer)
    for method, pattern, answer in (
        ("GET", f"/(?:datasets/)?{REPO}/resolve/{REVISION}/(?P<path>.+)", resolve),
        ("POST", f"/datasets/{REPO}\\.git/info/lfs/objects/batch", batch),
        ("POST", f"/datasets/{REPO}\\.git/info/lfs/verify", verify),
        ("GET", "/large/(?P<sha256>[0-9a-f]{64})", give_large),
        ("PUT", "/large/(?P<sha256>[0-9a-f]{64})", take_large),
    )
)
