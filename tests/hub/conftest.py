"""A Hub of one's own: a real HTTP server that speaks what reading a dataset needs of the Hub's protocol."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

_API = re.compile(
    r"/api/datasets/(?P<repo>[^/]+/[^/]+)(?:/(?P<part>refs|revision|tree)(?:/(?P<revision>[^/]+))?)?"
)
_RESOLVE = re.compile(r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass
class Repository:
    """A dataset repository: files by commit, and the names of commits."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, files: dict[str, bytes], *, branch: str = "main") -> str:
        """Record the files as what the repository holds now; returns the commit."""
        digest = hashlib.sha1(branch.encode())
        for path, content in sorted(files.items()):
            digest.update(path.encode() + b"\0" + content)
        self.commits[digest.hexdigest()] = dict(files)
        self.branches[branch] = digest.hexdigest()
        return digest.hexdigest()

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, a tag or a commit names."""
        commit = self.branches.get(revision) or self.tags.get(revision) or revision
        return commit if commit in self.commits else None


@dataclass
class Hub:
    """The server's state; tests change it while the server runs."""

    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    """Method and path of every request, in order."""
    silent: bool = False
    """Whether requests are taken and never answered."""
    stopped: threading.Event = field(default_factory=threading.Event)

    def repository(self, repo_id: str) -> Repository:
        """The repository, made if it is not there."""
        return self.repositories.setdefault(repo_id, Repository())


class Handler(BaseHTTPRequestHandler):
    """Answers reading requests as the Hub does."""

    protocol_version = "HTTP/1.1"

    def __init__(self, hub: Hub, *args: Any) -> None:
        self.hub = hub
        super().__init__(*args)

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def log_message(self, *args: Any) -> None:
        """Keep the test's output clean."""

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append(f"{self.command} {path}")
        if self.hub.silent:
            self.hub.stopped.wait()
            return
        if match := _RESOLVE.fullmatch(path):
            self._file(**match.groupdict())
        elif match := _API.fullmatch(path):
            self._describe(**match.groupdict())
        else:
            self._missing("EntryNotFound")

    def _describe(self, repo: str, part: str | None, revision: str | None) -> None:
        repository = self.hub.repositories.get(repo)
        if repository is None:
            return self._missing("RepoNotFound")
        if part == "refs":
            return self._json(_refs(repository))
        commit = repository.resolve(revision or "main")
        if commit is None:
            return self._missing("RevisionNotFound")
        files = repository.commits[commit]
        if part == "tree":
            return self._json([_tree_entry(path, content) for path, content in sorted(files.items())])
        return self._json(
            {"id": repo, "sha": commit, "siblings": [{"rfilename": path} for path in sorted(files)]}
        )

    def _file(self, repo: str, revision: str, path: str) -> None:
        repository = self.hub.repositories.get(repo)
        if repository is None:
            return self._missing("RepoNotFound")
        commit = repository.resolve(revision)
        if commit is None:
            return self._missing("RevisionNotFound")
        content = repository.commits[commit].get(path)
        if content is None:
            return self._missing("EntryNotFound")
        headers = {"ETag": f'"{_blob_id(content)}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        if asked is None:
            return self._send(200, content, headers)
        start, end = int(asked[1]), min(int(asked[2] or len(content) - 1), len(content) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
        return self._send(206, content[start : end + 1], headers)

    def _json(self, value: Any) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _missing(self, code: str) -> None:
        self._send(404, b"{}", {"Content-Type": "application/json", "X-Error-Code": code})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _refs(repository: Repository) -> dict[str, Any]:
    return {
        kind: [
            {"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": commit}
            for name, commit in sorted(names.items())
        ]
        for kind, folder, names in (
            ("branches", "heads", repository.branches),
            ("tags", "tags", repository.tags),
            ("converts", "convert", {}),
        )
    }


def _tree_entry(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(content), "oid": _blob_id(content)}


def _blob_id(content: bytes) -> str:
    """The id that git gives a file's content."""
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A running Hub without repositories."""
    state = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, state))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state
    state.stopped.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own for the Hub client in this process."""
    from huggingface_hub import constants

    cache = tmp_path / "hub-cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    return cache
