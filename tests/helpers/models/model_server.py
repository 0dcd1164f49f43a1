"""A small OpenAI-compatible server over a real model that gives log-probabilities, with faults on demand.

It computes plainly, one text at a time and nothing shared, so that it is also an oracle for what is faster.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DROP = "drop the connection"


@dataclass
class Reply:
    """One HTTP reply."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None


class ModelServer:
    """Serves one model; `script` holds the next replies, and `change` may spoil those of the model."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.name = folder.name
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.script: list[Reply | str] = []
        self.change: Callable[[dict[str, Any]], Any] = lambda reply: reply
        self._lock = threading.Lock()
        self.http = _Http(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def reset(self) -> None:
        self.requests.clear()
        self.script.clear()
        self.change = lambda reply: reply

    def reply(self, path: str, body: dict[str, Any]) -> Reply | str:
        with self._lock:
            self.requests.append((path, body))
            if self.script:
                return self.script.pop(0)
            answers = {"/v1/completions": self._completion, "/v1/chat/completions": self._chat}
            if path not in answers:
                return Reply({"error": {"message": f"no such path {path}"}}, 404)
            choices, usage = answers[path](body)
        numbered = [{"index": i, **choice} for i, choice in enumerate(choices)]
        return Reply(self.change({"object": "x", "model": self.name, "choices": numbered, "usage": usage}))

    def _completion(self, body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, int]]:
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        if body.get("echo"):
            assert body["max_tokens"] == 0
            return [self._echo(prompt) for prompt in prompts], {"prompt_tokens": 0, "completion_tokens": 0}
        [prompt] = prompts
        text, finish, usage = self._written(prompt, body)
        return [{"text": text, "finish_reason": finish, "logprobs": None}], usage

    def _chat(self, body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, int]]:
        prompt = self.tokenizer.apply_chat_template(
            body["messages"], tokenize=False, add_generation_prompt=True
        )
        text, finish, usage = self._written(prompt, body)
        return [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}], usage

    def _echo(self, text: str) -> dict[str, Any]:
        import torch

        ids = self.tokenizer(text)["input_ids"]
        with torch.no_grad():
            logprobs = torch.log_softmax(self.model(torch.tensor([ids])).logits[0], dim=-1)
        values = [None, *(float(logprobs[i - 1, ids[i]]) for i in range(1, len(ids)))]
        tokens = [self.tokenizer.decode([token]) for token in ids]
        return {"text": text, "logprobs": {"tokens": tokens, "token_logprobs": values}}

    def _written(self, prompt: str, body: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
        import torch

        assert body["temperature"] == 0
        ids: list[int] = self.tokenizer(prompt)["input_ids"]
        start, finish = len(ids), "length"
        with torch.no_grad():
            while len(ids) < start + body["max_tokens"]:
                ids.append(int(self.model(torch.tensor([ids])).logits[0, -1].argmax()))
                if ids[-1] == self.tokenizer.eos_token_id:
                    finish = "stop"
                    break
        text = self.tokenizer.decode(ids[start:], skip_special_tokens=True)
        return text, finish, {"prompt_tokens": start, "completion_tokens": len(ids) - start}


@contextmanager
def serving(folder: Path) -> Iterator[ModelServer]:
    """A running server."""
    server = ModelServer(folder)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        thread.join()
        server.http.server_close()


class _Http(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        # Clients that lose patience hang up in the middle.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            reply = server.reply(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if isinstance(reply, str):
                self.close_connection = True
                return
            content = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
