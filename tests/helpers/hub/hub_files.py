"""The Hub's answers about files: reading them in whole or in ranges, and taking large ones (LFS)."""

import hashlib
import json
import re
from typing import TYPE_CHECKING

from helpers.hub.hub_api import REPO, REVISION, Refused, named, readable, writable
from helpers.hub.hub_store import atomic_write

if TYPE_CHECKING:
    from helpers.hub.hub_server import Handler

SIGNED = "signature=of-the-hub"
"""Query of a storage address that the Hub has signed."""

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


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
    ("GET", f"/(?:datasets/)?{REPO}/resolve/{REVISION}/(?P<path>.+)", resolve),
    ("POST", f"/datasets/{REPO}\\.git/info/lfs/objects/batch", batch),
    ("POST", f"/datasets/{REPO}\\.git/info/lfs/verify", verify),
    ("GET", "/large/(?P<sha256>[0-9a-f]{64})", give_large),
    ("PUT", "/large/(?P<sha256>[0-9a-f]{64})", take_large),
)
