"""A small OpenAI-compatible server of texts with files and batches, which counts what it answers.

Its answer to a prompt depends on the prompt alone, so live requests and batches get the same ones.
"""

import hashlib
import json
import re
import threading
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any

from helpers.models.http_server import HttpServer, Reply, Request

PATHS = ("/v1/chat/completions", "/v1/completions")

# Whoever counts tokens must not look for any in the upload of a file.
_LIMITS = {"x-ratelimit-remaining-tokens": "1000000", "x-ratelimit-reset-tokens": "1s"}


class BatchServer(HttpServer):
    """Answers at once, or in batches that are done when they have been asked for a few times."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "tiny-2026-11-01"
        self.live: Counter[str] = Counter()
        """Prompts answered live, without the first words to learn the server's name."""
        self.batched: Counter[str] = Counter()
        """Items answered in batches, as ``model: item``."""
        self.bodies: list[dict[str, Any]] = []
        """Every body of a live request."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.polls = 1
        """Questions after which a batch is done."""
        self.failing: set[str] = set()
        """Ids whose requests fail, once each."""
        self.knows_batches = True
        self.refuses: str | None = None
        """Why batches fail as a whole."""
        self.requires_completion_tokens = False
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """A text, or what became of files and batches."""
        status, body = self._found(request)
        raw = body if isinstance(body, bytes) else None
        return Reply(body, status, _LIMITS, raw)

    def _found(self, request: Request) -> tuple[int, Any]:
        path = request.path.partition("?")[0]
        if path in PATHS:
            return self.ask(path, request.json())
        match [request.method, *path.removeprefix("/v1/").split("/")]:
            case ["POST", "files"] if self.knows_batches:
                return 200, self.upload(request.headers["Content-Type"], request.body)
            case ["POST", "batches"] if self.knows_batches:
                return 200, self.submit(request.json())
            case ["GET", "batches"]:
                return 200, {"object": "list", "data": list(self.batches.values()), "has_more": False}
            case ["GET", "batches", batch_id]:
                return 200, self.batch(batch_id)
            case ["GET", "files", file_id, "content"]:
                return 200, self.files[file_id]
        return 404, {"error": {"message": f"no such path {request.path}"}}

    def answered(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The reply to one request for a text."""
        if self.requires_completion_tokens and "max_tokens" in body:
            error = {"message": "use max_completion_tokens", "param": "max_tokens", "code": "unsupported"}
            return 400, {"error": error}
        prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        digest = hashlib.sha256(f"{prompt}|{body.get('seed')}".encode()).digest()
        text = json.dumps({"answer_choice": "ABCD"[digest[0] % 4]})
        said = (
            {"message": {"role": "assistant", "content": text, "reasoning_content": f"Hm, {digest[1]}"}}
            if path == PATHS[0]
            else {"text": text}
        )
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": 10 + digest[2] % 10}
        usage["completion_tokens_details"] = {"reasoning_tokens": 5}
        choice = {"index": 0, "finish_reason": "stop", **said}
        return 200, {"model": self.name, "choices": [choice], "usage": usage}

    def ask(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.bodies.append(body)
            prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
            status, reply = self.answered(path, body)
            if prompt != "Hi" and status == 200:
                self.live[prompt] += 1
            return status, reply

    def upload(self, content_type: str, body: bytes) -> dict[str, Any]:
        with self._lock:
            [mark] = re.findall(r"boundary=(\S+)", content_type)
            parts = body.split(b"--" + mark.strip('"').encode())
            [file] = [part for part in parts if b'filename="' in part.partition(b"\r\n\r\n")[0]]
            file_id = f"file-{len(self.files) + 1}"
            self.files[file_id] = file.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
            return {"id": file_id, "object": "file", "bytes": 1, "created_at": 1, "purpose": "batch"}

    def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            assert body["completion_window"] == "24h"
            batch = {
                "id": f"batch_{len(self.batches) + 1}",
                "object": "batch",
                "created_at": 1,
                "status": "in_progress",
                "polls": 0,
                **body,
            }
            self.batches[batch["id"]] = batch
            return batch

    def batch(self, batch_id: str) -> dict[str, Any]:
        with self._lock:
            batch = self.batches[batch_id]
            batch["polls"] += 1
            if batch["status"] == "in_progress" and batch["polls"] > self.polls:
                self._carry_out(batch)
            return batch

    def _carry_out(self, batch: dict[str, Any]) -> None:
        if self.refuses is not None:
            batch["status"] = "failed"
            batch["errors"] = {"object": "list", "data": [{"message": self.refuses, "code": "x"}]}
            return
        good, bad = self.results(self.files[batch["input_file_id"]])
        batch["request_counts"] = {
            "total": len(good) + len(bad),
            "completed": len(good),
            "failed": len(bad),
        }
        for key, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[key] = f"{batch['id']}-{key}"
                self.files[batch[key]] = "".join(lines).encode()
        batch["status"] = "completed"

    def results(self, requests: bytes) -> tuple[list[str], list[str]]:
        """Lines of results and of errors, the last request first."""
        good: list[str] = []
        bad: list[str] = []
        for line in reversed(requests.splitlines()):
            request = json.loads(line)
            assert request["method"] == "POST"
            assert request["url"] in PATHS
            name = request["custom_id"]
            self.batched[f"{request['body']['model']}: {name}"] += 1
            status, body = self.answered(request["url"], request["body"])
            if name in self.failing:
                self.failing.remove(name)
                status, body = 429, {"error": {"message": "Too many requests"}}
            response = {"status_code": status, "request_id": "r", "body": body}
            result = json.dumps({"id": "x", "custom_id": name, "response": response, "error": None}) + "\n"
            (good if status == 200 else bad).append(result)
        return good, bad


def serving_batches() -> AbstractContextManager[BatchServer]:
    """A running server."""
    return BatchServer().serving()
