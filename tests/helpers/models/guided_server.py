"""A server whose model reads options by guided decoding: in valid JSON, every verdict its own choice."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blend.schemas.sheets import VERDICTS
from helpers.models.model_server import ModelServer

DIGITS = "123456789"
"""Tenths among which it chooses its confidence."""


class GuidedServer(ModelServer):
    """Serves one model, which can write nothing but a verdict and a confidence on each option.

    As under a grammar of vLLM's, all tokens but the allowed ones are masked, and the likeliest of these is
    taken. The replies are kept in `written`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.written: list[str] = []

    def _chat(self, body: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, int]]:
        messages = body["messages"]
        prompt = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        options: dict[str, dict[str, str]] = json.loads(messages[1]["content"])["options"]
        text = "{"
        for number, option in options.items():
            text += f'{", " if len(text) > 1 else ""}"{number}": {{"verdict": "'
            text += self._likeliest(prompt + text, [*VERDICTS[option["role"]]])
            text += '", "confidence": 0.'
            text += self._likeliest(prompt + text, DIGITS) + "}"
        self.written.append(text + "}")
        finished = {"message": {"role": "assistant", "content": text + "}"}, "finish_reason": "stop"}
        return [finished], {"prompt_tokens": 0, "completion_tokens": 0}

    def _likeliest(self, text: str, choices: Sequence[str]) -> str:
        """Choose by the first token, in which all choices differ."""
        import torch

        firsts = [self.tokenizer(choice)["input_ids"][0] for choice in choices]
        assert len(set(firsts)) == len(choices)
        with torch.no_grad():
            logits = self.model(torch.tensor([self.tokenizer(text)["input_ids"]])).logits[0, -1]
        return choices[int(logits[firsts].argmax())]
