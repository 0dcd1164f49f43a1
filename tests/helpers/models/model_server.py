"""A small OpenAI-compatible server over a real model that gives log-probabilities, with faults on demand.

It computes plainly, one text at a time and nothing shared, so that it is also an oracle for what is faster.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from helpers.models.http_server import HttpServer, Reply, Request


class ModelServer(HttpServer):
    """Serves one model; `script` holds the next replies, and `change` may spoil those of the model."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.name = folder.name
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.script: list[Reply | str] = []
        self.change: Callable[[dict[str, Any]], Any] = lambda reply: reply
        self._lock = threading.Lock()

    def reset(self) -> None:
        self.requests.clear()
        self.script.clear()
        self.change = lambda reply: reply

    def reply(self, request: Request) -> Reply | str:
        path, body = request.path, request.json()
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


def serving(folder: Path) -> AbstractContextManager[ModelServer]:
    """A running server."""
    return ModelServer(folder).serving()
