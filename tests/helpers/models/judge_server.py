"""A server of a real model that is held to a judge's answers, as servers hold one to a grammar or a choice."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from blend.eval.judging.verdicts import VERDICTS
from helpers.models.model_server import ModelServer
from helpers.models.tiny_models import CHAT_TEMPLATE

ALLOWED = [json.dumps({"verdict": word, "answer": None, "reason": "it says so"}) for word in VERDICTS]
"""Answers that it may give."""

_CONTEXT = 900


class JudgeServer(ModelServer):
    """Gives the allowed answer whose tokens the model finds likeliest on average behind the prompt's end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tokenizer.chat_template = CHAT_TEMPLATE

    def _written(self, prompt: str, body: dict[str, Any]) -> tuple[str, str, dict[str, int]]:
        import torch

        ids: list[int] = self.tokenizer(prompt)["input_ids"][-_CONTEXT:]
        likelihoods = []
        for text in ALLOWED:
            answer = self.tokenizer(text)["input_ids"]
            with torch.no_grad():
                logits = self.model(torch.tensor([[*ids, *answer]])).logits[0, len(ids) - 1 : -1]
            logprobs = torch.log_softmax(logits, dim=-1)[range(len(answer)), answer]
            likelihoods.append(float(logprobs.mean()))
        chosen = ALLOWED[likelihoods.index(max(likelihoods))]
        tokens_out = len(self.tokenizer(chosen)["input_ids"])
        return chosen, "stop", {"prompt_tokens": len(ids), "completion_tokens": tokens_out}


def serving_judge(folder: Path) -> AbstractContextManager[ModelServer]:
    """A running server."""
    return JudgeServer(folder).serving()
